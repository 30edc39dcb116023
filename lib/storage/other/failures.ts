import { RateLimiterMongo } from 'rate-limiter-flexible';

import { unableForTheMoment } from '../../shared/errors.js';
import type { SharedFailures } from '../../shared/limits/failure-limit.js';
import { Collection } from '../connection/collection.js';
import { type Database, isDuplicateKey } from '../connection/database.js';
import { defineCollection, requiredType } from '../connection/model.js';

/** The recent failures of a caller; the fields are those of rate-limiter-flexible. */
export interface StoredFailures {
  /** A hash of the caller and of the target. */
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

/** The collection of a driver as rate-limiter-flexible uses it: increments a count that has not expired. */
interface Counting {
  findOneAndUpdate(
    filter: { readonly key: string },
    update: { readonly $inc: { readonly points: number }; readonly $setOnInsert: { readonly expire: Date } },
  ): Promise<StoredFailures>;
}

/**
 * Counts failures in the database, with one command each. If a count has expired, the limiter would insert a new one,
 * and rely on the duplicate key error, which differs between servers. One pipeline continues the count or begins anew,
 * by the id alone, so that MongoDB retries it by itself when two callers insert at once.
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
        // a server that does not retry by itself
        if (isDuplicateKey(error)) return count(...requested);
        throw error;
      });
      // if another failure inserted the document at this very moment, a database may have counted but return nothing
      const made = counted ?? (await stored.findOne({ _id: requested[0].key }));
      if (made === null) throw unableForTheMoment('the count of failures is not there after it was made');
      return made;
    },
  };

  return {
    counterOf({ name, window }) {
      const limiter = new RateLimiterMongo({
        storeClient: { collection: () => counting },
        // the schema defines the indexes
        disableIndexesCreation: true,
        keyPrefix: name,
        duration: window,
        // the callers apply their own limits
        points: 1,
      });
      return async (key, failures) => {
        const { consumedPoints, msBeforeNext } = await limiter.penalty(key, failures);
        return { failures: consumedPoints, wait: Math.ceil(msBeforeNext / 1000) };
      };
    },
  };
}
