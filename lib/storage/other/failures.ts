import { addSeconds } from '../../shared/date.js';
import { unableForTheMoment } from '../../shared/errors.js';
import type { SharedFailures } from '../../shared/limits/failure-limit.js';
import { Collection } from '../connection/collection.js';
import { type Database, isDuplicateKey } from '../connection/database.js';
import { defineCollection, requiredType } from '../connection/model.js';

/** What a caller has failed at lately. */
export interface StoredFailures {
  /** A hash of who it is and of what was tried. */
  readonly _id: string;
  readonly points: number;
  readonly expire: Date;
}

export const FAILURES = defineCollection<StoredFailures>({
  model: 'AuthorizationServerFailures',
  name: 'oauth_limits',
  fields: () => ({ points: requiredType(Number) }),
  ttl: 'expire',
});

/**
 * Counts failures in the database, with one command each. Its pipeline goes on or begins anew, by the id alone, so that
 * MongoDB repeats it by itself when two make the document at once.
 */
export function createFailureStore(database: Database): SharedFailures {
  const stored = new Collection(database, FAILURES);
  return {
    counterOf:
      ({ name, window }) =>
      async (key, failures) => {
        const _id = `${name}:${key}`;
        const count = () => {
          const now = new Date();
          const goesOn = { $gt: ['$expire', now] };
          const points = { $cond: [goesOn, { $add: ['$points', failures] }, failures] };
          const expire = { $cond: [goesOn, '$expire', addSeconds(now, window)] };
          return stored.findOneAndUpdate({ _id }, [{ $set: { points, expire } }], { upsert: true });
        };
        const counted = await count().catch((error: unknown) => {
          // a server that does not repeat it by itself
          if (isDuplicateKey(error)) return count();
          throw error;
        });
        // if another failure made the document at this very moment, a database may have counted but return nothing
        const made = counted ?? (await stored.findOne({ _id }));
        if (made === null) throw unableForTheMoment('the count of failures is not there after it was made');
        const wait = Math.max(0, Math.ceil((made.expire.getTime() - Date.now()) / 1000));
        return { failures: made.points, wait };
      },
  };
}
