import type { FindOptions } from './collection.js';

/**
 * The range from the first to the last of some ids, beside the list of them: with a list alone SecantusDB reads the
 * whole collection, with this only the user's part of the index.
 */
export function rangeOf(ids: readonly string[]) {
  const sorted = ids.toSorted();
  return { $gte: sorted[0], $lte: sorted.at(-1) };
}

/** The last stage of a list (`DatedIds`), in one document: sending a thousand of them costs more than finding them. */
export const datedIds = (id: string, date: string, more: object = {}): object => ({
  $group: { _id: null, ids: { $push: id }, dates: { $push: date }, ...more },
});

/** An update that sets these members, and removes those that are present but undefined. */
export function setOrUnset(fields: Readonly<Record<string, unknown>>): Record<string, object> {
  const entries = Object.entries(fields);
  const removed = entries.filter(([, value]) => value === undefined).map(([name]) => [name, 1]);
  return {
    $set: Object.fromEntries(entries.filter(([, value]) => value !== undefined)),
    ...(removed.length > 0 && { $unset: Object.fromEntries(removed) as object }),
  };
}

/** Documents that are read or changed by one command. */
export const BATCH = 200;

/** The conditions on `_id` that cut a collection into parts, of which a command can change whatever matches. */
export async function* idRanges(documents: {
  find(filter: object, part: FindOptions): Promise<readonly object[]>;
}): AsyncGenerator<{ readonly _id: object }> {
  const part = { projection: { _id: 1 }, sort: { _id: 1 }, limit: BATCH } as const;
  for (let after = {}; ;) {
    const ids = (await documents.find(after, part)).map((found) => (found as { _id: unknown })._id);
    const last = ids.at(-1);
    if (last === undefined) return;
    yield { _id: { ...(after as { _id?: object })._id, $lte: last } };
    after = { _id: { $gt: last } };
  }
}
