import { RateLimiterMongo } from 'rate-limiter-flexible';

import { unableForTheMoment } from '../../shared/errors.js';
import type { SharedFailures } from '../../shared/limits/failure-limit.js';
import { Collection } from '../connection/collection.js';
import { type Database, isDuplicateKey } from '../connection/database.js';
import { defineCollection, requiredType } from '../connection/model.js';

/** What a caller has failed at lately; the fields are those of rate-limiter-flexible. */
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

/** What rate-limiter-flexible asks of a driver's collection: to count on if what is counted has not expired. */
interface Counting {
  findOneAndUpdate(
    filter: { readonly key: string },
    update: { readonly $inc: { readonly points: number }; readonly $setOnInsert: { readonly expire: Date } },
  ): Promise<StoredFailures>;
}

/**
 * Counts failures in the database, with one command each. The limiter would try an insert when a count has expired, and
 * rely on the error for a key that is taken, which not every server gives in the same way. One pipeline goes on or
 * begins anew, by the id alone, so that MongoDB repeats it by itself when two make the document at once.
 */
export function createFailureStore(database: Database): SharedFailures {
  const stored = new Collection(database, FAILURES);
  const count = (...[{ key }, { $inc, $setOnInsert }]: Parameters<Counting['findOneAndUpdate']>) => {
    const goesOn = { $gt: ['$expire', new Date()] };
    const points = { $cond: [goesOn, { $add: ['$points', $inc.points] }, $inc.points] };
    const expire = { $cond: [goesOn, '$expire', $setOnInsert.expire] };
    return stored.findOneAndUpdate({ _id: key }, [{ $set: { points, expire } }], { upsert: true });
  };
  const counting: Counting = {
    async findOneAndUpdate(...requested) {
      const counted = await count(...requested).catch((error: unknown) => {
        // a server that does not repeat it by itself
        if (isDuplicateKey(error)) return count(...requested);
        throw error;
      });
      // if another failure made the document at this very moment, a database may have counted but return nothing
      const made = counted ?? (await stored.findOne({ _id: requested[0].key }));
      if (made === null) throw unableForTheMoment('the count of failures is not there after it was made');
      return made;
    },
  };

  return {
    counterOf({ name, window }) {
      const limiter = new RateLimiterMongo({
        storeClient: { collection: () => counting },
        // the schema has them
        disableIndexesCreation: true,
        keyPrefix: name,
        duration: window,
        // the callers decide how many are too many
        points: 1,
      });
      return async (key, failures) => {
        const { consumedPoints, msBeforeNext } = await limiter.penalty(key, failures);
        return { failures: consumedPoints, wait: Math.ceil(msBeforeNext / 1000) };
      };
    },
  };
}
