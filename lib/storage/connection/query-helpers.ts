import { withoutUndefined } from '../../shared/without-undefined.js';

/**
 * The range from the first to the last of some ids, beside the list of them: with a list alone SecantusDB reads the
 * whole collection, with the range only the user's part of the index.
 */
export function idRange(ids: readonly string[]) {
  const sorted = ids.toSorted();
  return { $gte: sorted[0], $lte: sorted.at(-1) };
}

/** The last stage of a list (`DatedIds`), in one document: sending a thousand costs more than finding them. */
export const datedIds = (id: string, date: string, more: object = {}): object => ({
  $group: { _id: null, ids: { $push: id }, dates: { $push: date }, ...more },
});

/** An update that sets these members, and removes undefined ones. */
export function setOrUnset(fields: Readonly<Record<string, unknown>>): Record<string, object> {
  const removed = Object.keys(fields)
    .filter((name) => fields[name] === undefined)
    .map((name) => [name, 1]);
  return {
    $set: withoutUndefined(fields),
    ...(removed.length > 0 && { $unset: Object.fromEntries(removed) as object }),
  };
}

/** One aggregation over a collection that runs a pipeline for each id, so that each pipeline uses an index. */
export function unionByIds(
  collection: string,
  [first, ...others]: readonly string[],
  pipelineOf: (id: string) => readonly object[],
): object[] {
  if (first === undefined) throw new RangeError('an aggregation of no ids');
  return [
    ...pipelineOf(first),
    ...others.map((id) => ({ $unionWith: { coll: collection, pipeline: pipelineOf(id) } })),
  ];
}
