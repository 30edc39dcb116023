/** Something of which there may be only so many in the database. */
export interface LimitedInsert<Inserted> {
  readonly max: number;
  /** Counts what there is, no further than `limit`. */
  readonly count: (limit: number) => Promise<number>;
  readonly insert: () => Promise<Inserted>;
  readonly remove: () => Promise<unknown>;
  readonly tooMany: () => Error;
}

/**
 * Inserts one more if there is room. Of several requests at once, in whichever process, each can find room before the
 * others have inserted, so each counts again afterwards and removes what is too much. There may be fewer than `max` then,
 * and never more.
 *
 * @throws what `tooMany` returns
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
