import { group, option, type OptionsOf } from '../table/option.js';
import { milliseconds, recordOf, seconds, textLike } from '../table/shapes.js';

export const advancedRows = {
  /**
   * Paths of endpoints below the issuer, by the names of `oauth.endpoints`: `{ authorize: '/authorize', token: '/token'
   * }`. Default: each below `basePath`, by its name.
   */
  paths: option({
    shape: () =>
      recordOf(
        textLike(/^(\/[A-Za-z0-9._~-]+)+$/, 'a path such as /token, of letters, digits and -._~'),
        "an object of paths by endpoint, such as { token: '/token' }",
      ),
    default: {},
  }),
  /** Milliseconds for a database command; then the answer is 503. Default: `5000`. */
  databaseTimeout: option({ shape: () => milliseconds({ example: 5000 }), default: 5000 }),
  /**
   * Seconds that a process remembers a client, for requests about existing grants. A change by another process takes
   * effect that much later, at once on a replica set or a sharded cluster. `0`: nothing is remembered. Default: `5`.
   */
  clientCacheTtl: option({
    shape: () =>
      seconds({
        min: 0,
        max: 60,
        because: ': so long a deleted client may be taken for one that is there',
        example: 5,
      }),
    default: 5,
  }),
};

/** For unusual sites. */
export type AdvancedOptions = OptionsOf<typeof advancedRows>;

/** For unusual sites. */
export const advancedOptions = {
  /** What few sites ever set: `{ databaseTimeout: 2000 }`. */
  advanced: group(advancedRows, '{ databaseTimeout: 2000 }'),
};
