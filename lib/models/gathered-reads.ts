import { gather } from './gather.js';

type Projection = Readonly<Record<string, 0 | 1>>;

/** Finds documents by their ids. */
type ReadByIds<T> = (
  ids: readonly string[],
  projection: Projection | undefined,
) => Promise<ReadonlyMap<string, T>>;

/** Reads of the same parts of documents are done together; projections are told apart by their identity. */
export function gatherReads<T>(
  find: ReadByIds<T>,
): (id: string, projection: Projection | undefined) => Promise<T | null> {
  const gathered = (projection: Projection | undefined) =>
    gather((ids: readonly string[]) => find([...new Set(ids)], projection));
  const ofWhole = gathered(undefined);
  const ofParts = new WeakMap<object, typeof ofWhole>();
  return async (id, projection) => {
    const of = projection === undefined ? ofWhole : (ofParts.get(projection) ?? gathered(projection));
    if (projection !== undefined) ofParts.set(projection, of);
    return (await of(id)).get(id) ?? null;
  };
}
