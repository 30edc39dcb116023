/** An insert with a limit on the number of documents. */
export interface LimitedInsert<Inserted> {
  readonly max: number;
  /** Counts the documents, up to `limit`. */
  readonly count: (limit: number) => Promise<number>;
  readonly insert: () => Promise<Inserted>;
  readonly remove: () => Promise<unknown>;
  readonly tooMany: () => Error;
}

/**
 * Inserts one more document within the limit. Concurrent requests, even in several processes, can all pass the first
 * check, so each counts again afterwards and removes its own document beyond the limit. There may be fewer than `max`
 * then, and never more.
 *
 * @throws the error that `tooMany` returns
 */
export async function insertWithinLimit<Inserted>({
  max,
  count,
  insert,
  remove,
  tooMany,
}: LimitedInsert<Inserted>): Promise<Inserted> {
  if ((await count(max)) >= max) throw tooMany();
  const inserted = await insert();
  if ((await count(max + 1)) <= max) return inserted;
  await remove();
  throw tooMany();
}
