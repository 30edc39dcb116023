import { group, option, type OptionsOf } from '../table/option.js';
import { flag, milliseconds, recordOf, seconds, textLike } from '../table/shapes.js';

export const advancedRows = {
  /**
   * Paths of single endpoints below the issuer, by the names of `oauth.endpoints`: `{ authorize: '/authorize', token:
   * '/token' }`. Default: each below `basePath`, by its name.
   */
  paths: option({
    shape: () =>
      recordOf(
        textLike(/^(\/[A-Za-z0-9._~-]+)+$/, 'a path such as /token, of letters, digits and -._~'),
        "an object of paths by endpoint, such as { token: '/token' }",
      ),
    default: {},
  }),
  /**
   * Milliseconds that a database command may take; beyond that the answer is 503. At most half of them go to waiting
   * for its turn and for a connection. Default: `5000`.
   */
  databaseTimeout: option({ shape: () => milliseconds({ example: 5000 }), default: 5000 }),
  /**
   * Seconds that a process remembers a client for requests about grants that exist (a refresh token, introspection,
   * revocation, a device that waits). A change by another process is known after that time at the latest, and at once
   * if MongoDB has change streams (a replica set or a sharded cluster). Requests that make a new grant or redeem a code
   * read the client each time. `0`: nothing is remembered. Default: `5`.
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
  /**
   * Whether users get back to what waited for their login, even if your login ignores the return parameter. A cookie
   * of this server keeps their way back for ten minutes, and only to pages of this server; `router` sends them there
   * from the first page that they open once they are logged in. Default: `true`.
   */
  resumeAfterLogin: option({ shape: flag, default: true }),
  /**
   * Whether the metadata is at the places of OpenID Connect Discovery as well, and `/authorize`, `/token` and
   * `/register` answer at the root of the site, for clients that read no metadata. They answer a GET of `/authorize`
   * with a `client_id`, a form that is posted to `/token`, and JSON that is posted to `/register`; all else there is
   * the site's own. Default: `false`. (RFC 8414 §5)
   */
  rootAliases: option({ shape: flag, default: false }),
};

/** For unusual sites. */
export type AdvancedOptions = OptionsOf<typeof advancedRows>;

/** For unusual sites. */
export const advancedOptions = {
  /** What few sites ever set: `{ databaseTimeout: 2000 }`. */
  advanced: group(advancedRows, '{ databaseTimeout: 2000 }'),
};
