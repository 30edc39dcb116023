/**
 * The range from the first to the last of some ids, beside the list of them: with a list alone SecantusDB reads the
 * whole collection, with this only the user's part of the index.
 */
export function rangeOf(ids: readonly string[]) {
  const sorted = ids.toSorted();
  return { $gte: sorted[0], $lte: sorted.at(-1) };
}
