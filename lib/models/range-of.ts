/**
 * From the first to the last of some ids, beside the list of them: by a list alone SecantusDB reads the whole
 * collection, by this the part of the index that is the user's.
 */
export function rangeOf(ids: readonly string[]) {
  const sorted = ids.toSorted();
  return { $gte: sorted[0], $lte: sorted.at(-1) };
}
