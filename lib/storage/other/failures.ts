import { RateLimiterMongo } from 'rate-limiter-flexible';

import type { SharedFailures } from '../../shared/limits/shared-failures.js';
import { documentsOf, SCHEMA_OPTIONS } from '../connection/collection.js';
import { type Database, DUPLICATE_KEY } from '../connection/database.js';
import type { Collection } from '../connection/model.js';

/** What a caller has failed at lately; the fields are those of rate-limiter-flexible. */
export interface StoredFailures {
  /** A hash of who it is and of what was tried. */
  readonly _id: string;
  readonly points: number;
  readonly expire: Date;
}

export const FAILURES: Collection<StoredFailures> = {
  model: 'AuthorizationServerFailures',
  name: 'oauth_limits',
  schema: ({ Schema }) =>
    new Schema<StoredFailures>(
      {
        _id: { type: String, required: true },
        points: { type: Number, required: true },
        expire: { type: Date, required: true },
      },
      SCHEMA_OPTIONS,
    ).index({ expire: 1 }, { expireAfterSeconds: 0 }),
};

type Fields = Readonly<Record<string, unknown>>;

/** What rate-limiter-flexible needs of a driver's collection in order to count; it gets our model's. */
interface Counting {
  findOneAndUpdate(filter: Fields, update: Readonly<Record<string, Fields>>): Promise<StoredFailures>;
}

/** Counts failures in the database, with one command each. */
export function createFailureStore(database: Database): SharedFailures {
  const stored = documentsOf(database, FAILURES);
  const counting: Counting = {
    async findOneAndUpdate({ key, ...filter }, update) {
      const current = { _id: key, ...filter };
      const counted =
        (await stored.findOneAndUpsert(current, withoutKey(update))) ??
        // if another failure made the document at this very moment, a database may have counted but return nothing
        (await stored.findOne(current));
      // the stored count has expired: the limiter begins anew, as after a duplicate key
      if (counted === null)
        throw Object.assign(new Error('the upsert gave no document'), { code: DUPLICATE_KEY });
      return counted;
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

/** The key is the id, as in all collections that can be sharded; an upsert takes it from the filter. */
function withoutKey(update: Readonly<Record<string, Fields>>): Fields {
  return Object.fromEntries(
    Object.entries(update).map(([operator, { key: _id, ...fields }]) => [operator, fields]),
  );
}
