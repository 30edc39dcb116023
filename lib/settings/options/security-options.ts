import { CLOCK_TOLERANCE } from '../../shared/date.js';
import { isApplicationScheme } from '../../shared/protocol/redirect-uri.js';
import { defaultsOf, group, objectOf, option, type OptionsOf } from '../table/option.js';
import { clockTolerance, falseOr, flag, listOf, oneOf, textLike } from '../table/shapes.js';
import { rateLimitOptions } from './limit-options.js';

export const securityRows = {
  /**
   * Who must use PKCE: `public` clients (RFC 9700 §2.1.1), `all` clients (OAuth 2.1), or nobody (`optional`: whoever
   * steals a code of a public client can redeem it). A code that was requested with a challenge always needs the
   * verifier. Default: `public`. (RFC 7636)
   */
  pkce: option({ shape: () => oneOf(['public', 'all', 'optional']), default: 'public' }),
  /**
   * Whether clients must name the resource they want, if there are `resources`. A token without one works at the API of
   * the site, which the user may not expect. A request for scopes of OpenID Connect alone need not: its token works at
   * userinfo only. Default: `false`. (RFC 8707 §2)
   */
  requireResource: option({ shape: flag, default: false }),
  /**
   * How often a caller may fail before the answer is 429. `false` switches off these limits, those on logins at
   * `localLogin` too, and those that follow: for load tests only. A user may type 10 wrong device codes in 15 minutes,
   * and allow 50 new unverified clients in a day. An address, or a confidential client that you have not registered, may
   * ask for 60 device codes and push 300 requests in a minute. The site fetches what clients name (documents, `jwks_uri`,
   * `logo_uri`, logout URIs), in each process at most 60 times a minute for one user or address, of which 10 may fail,
   * and 600 times for all addresses. After 60 failures in a minute at one host, or one in the last 5 seconds at the URL,
   * the answer is 503. Clients that a user has allowed, and your own, are not limited.
   */
  rateLimits: option({
    members: rateLimitOptions,
    shape: () =>
      falseOr(
        objectOf(rateLimitOptions, 'an object'),
        `false or an object of ${Object.keys(rateLimitOptions).join(', ')}, such as { token: 60 }`,
      ),
    default: defaultsOf(rateLimitOptions),
  }),
  /**
   * Seconds, at most 60, by which other clocks may differ, for JWTs of clients and trusted issuers, and `auth_time` at
   * the guard. `tokens.reuseGrace` is longer by it, and `oauth.health()` warns from half of it on: clocks of processes.
   * Default: `30`. (RFC 7519 §4.1.4)
   */
  clockTolerance: option({ shape: clockTolerance, default: CLOCK_TOLERANCE }),
  /**
   * Private-use schemes without a dot that clients may use in redirect URIs: `['myapp']` for `myapp://callback`. Any
   * app on a device can claim one, so users are asked each time. Default: `[]`; `cursor`, `vscode`, `vscode-insiders`
   * and `windsurf` are always allowed. (RFC 8252 §7.1)
   */
  privateSchemes: option({
    shape: () =>
      listOf(
        textLike(/^[a-z][a-z0-9+.-]*$/, "the name of a scheme in lower case, without colon: 'myapp'").refine(
          (name) => isApplicationScheme(`${name}:`),
          "the scheme of an application, such as 'myapp'",
        ),
        "a list of schemes, such as ['myapp']",
      ),
    default: [],
  }),
  /** Allows an `http:` issuer that is not loopback, and requests without TLS. Default: `false`. */
  dangerouslyAllowInsecureHttp: option({ shape: flag, default: false }),
};

/** Requirements on clients and requests. */
export type SecurityOptions = OptionsOf<typeof securityRows>;

/** Security. */
export const securityOptions = {
  /** What is demanded of clients and requests: `{ pkce: 'all' }`. */
  security: group(securityRows, "{ pkce: 'all' }"),
};
