import type { Site } from './site.js';

/**
 * Adds to the count of a key that has been counted at least twice, as if other processes had: the next failure takes
 * part in that count.
 */
export async function raiseCount({ database }: Pick<Site, 'database'>, name: string, points: number) {
  const { modifiedCount } = await database
    .collection<{ _id: string }>('oauth_limits')
    .updateMany({ _id: new RegExp(`^${name}:`) }, { $set: { points } });
  if (modifiedCount !== 1) throw new Error(`${modifiedCount} are counted as ${name}`);
}
