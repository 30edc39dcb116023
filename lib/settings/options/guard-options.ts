import type { Request, RequestHandler } from 'express';

import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import { type BearerMethod, TOKEN_KINDS } from '../../shared/protocol/token-kind.js';
import * as z from '../../shared/schema.js';
import { group, option, type OptionsOf, pick } from '../table/option.js';
import { callback, flag, listOf, oneOf, scopeList, seconds, text, textLike } from '../table/shapes.js';

export const bearerMethods = (): z.Schema<readonly BearerMethod[], readonly BearerMethod[]> =>
  listOf(oneOf(['header', 'body', 'query']), "a list of 'header', 'body' and 'query', such as ['header']", {
    isNeeded: true,
  });

/** The caller of a guarded route, for `details`. */
export interface UpgradeCaller {
  readonly clientId: string;
  readonly userId?: string;
  readonly scopes: readonly string[];
}

/** An emitter of `close`. */
export interface ClosingSocket {
  once(event: 'close', listener: () => void): unknown;
}

/** The authorization details that a call needs. */
export type NeededDetails = readonly AuthorizationDetail[];

/** Returns the user with this id, or a promise; null, undefined or false if there is none. */
export type FindUser = (userId: string) => unknown;

/** RFC 9470 §3, RFC 6750 §3: a value of the list `acr_values`, in quotes. */
export const acrValueList = () =>
  listOf(
    textLike(/^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/, "a class of logins without spaces, such as 'mfa'"),
    "a list of classes of logins, such as ['mfa']",
    { isNeeded: true },
  );

/** A detail that the schema of its type accepts; only the site knows its fields. */
export interface CheckedDetail extends AuthorizationDetail {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- what the site's schema makes of it
  readonly [field: string]: any;
}

/** Compares a requested detail with a granted one. */
export const comparison = option({
  shape: () =>
    callback<(requested: CheckedDetail, granted: CheckedDetail) => boolean>(
      '(asked, granted) => asked.actions.every((action) => granted.actions.includes(action))',
    ),
});

export const recheck = (): z.Schema<number, number> => seconds({ max: 3600, example: 5 });

export const findUser = (): z.Schema<FindUser, FindUser> => callback<FindUser>('(id) => User.findById(id)');

const guardRows = {
  /**
   * Lets the guard remember grants, so that a request needs no database command. A change takes effect within a second.
   * It needs a replica set and `maxPoolSize` of 3 or more. Default: `false`.
   */
  cache: option({ shape: flag, default: false }),
  /** Where the guard looks for the token. Default: `['header']`; `body` and `query` are older ways. (RFC 6750 §2) */
  bearerMethods: option({ shape: bearerMethods, default: ['header'] }),
  /**
   * Seconds between two checks of the tokens of open connections. With `guard.cache`, changes end them within a second.
   * Default: `5`.
   */
  recheck: option({ shape: recheck, default: 5 }),
};

/** The cache of the guard, and where it looks for tokens. */
export type SiteGuardOptions = OptionsOf<typeof guardRows>;

/** The guard of the site's API. */
export const guardOptions = {
  /** What the guard of your API remembers, and where it looks for tokens: `{ cache: true }`. */
  guard: group(guardRows, '{ cache: true }'),
};

/** The options of one route: `guard({ … })`. */
export const routeOptions = {
  /** The scopes that the token must have. Default: none. */
  scopes: option({ shape: scopeList, default: [] }),
  /** Whether one of the scopes is enough. Default: `false`. */
  any: option({ shape: flag, default: false }),
  /** Lets requests without a token through, without `req.auth`; a bad token is refused. Default: `false`. */
  optional: option({ shape: flag, default: false }),
  /** Whether the token must be a user's, so that `req.auth.userId` is there; others get 403. Default: `false`. */
  requireUser: option({ shape: flag, default: false }),
  /**
   * Greatest age of the user's login in seconds. Other tokens get 401 `insufficient_user_authentication`, with a
   * challenge that says what to ask the user for. Needs `stepUp` at the authorization server. Default: any. (RFC 9470
   * §3)
   */
  maxAge: option({ shape: () => seconds({ max: 31_536_000, example: 300 }) }),
  /**
   * Accepted classes (`acr`) of the user's login, the best first: `['mfa']`. Other tokens are answered as for `maxAge`.
   * Default: any. (RFC 9470 §3)
   */
  acr: option({ shape: acrValueList }),
  /**
   * `(req, auth) => [{ type: 'payment', amount: req.body.amount }]`: the authorization details that this request needs.
   * Other tokens get 401 `insufficient_authorization`, with a challenge that has them. Mount the body parser before the
   * guard. Default: none.
   */
  details: option({
    shape: () =>
      callback<(req: Request, auth: UpgradeCaller) => NeededDetails | Promise<NeededDetails>>(
        "(req) => [{ type: 'payment', amount: req.body.amount }]",
      ),
  }),
  /**
   * Whether `req.user` is set to the user whom `people.find` finds: 401 if that user no longer exists, 403 for a token
   * that acts for no user. Default: `false`.
   */
  user: option({ shape: flag, default: false }),
  /** The accepted kinds of token, of `app`, `device`, `personal` and `service`; others get 403. Default: all. */
  kinds: option({
    shape: () => listOf(oneOf(TOKEN_KINDS), "a list of kinds, such as ['app', 'device']", { isNeeded: true }),
  }),
  /**
   * Middleware for requests without a token of this server: `orElse: passport.authenticate('jwt', { session: false })`.
   * It alone decides about them, by a token of its own, a key in another header or a cookie, and there is no
   * `req.auth`. A 401 of it gets the challenge of the guard. This server's own tokens begin with `eas_`, or are JWTs of
   * the type `at+jwt` by its issuer. Default: none, they are refused.
   */
  orElse: option({
    shape: () => callback<RequestHandler>("passport.authenticate('jwt', { session: false })"),
  }),
  /**
   * The resource that the token must be for, one of the option `resources`. Default: the server's API.
   * (RFC 8707)
   */
  resource: option({ shape: () => text("the URL of a resource, such as 'https://api.photos.example'") }),
};

export type GuardOptions = OptionsOf<typeof routeOptions>;

/** Connections that leave HTTP: `guard.upgrade(server, { … }, onUpgrade)`. */
export const upgradeOptions = {
  ...pick(routeOptions, 'scopes', 'any', 'requireUser', 'user', 'resource', 'maxAge', 'acr'),
  /** `(req, auth) => [{ type: 'payment' }]`, as for `oauth.guard`. Default: none. */
  details: routeOptions.details,
  /** The guarded path, such as `/live`; others are left to other listeners. Default: every path. */
  path: option({ shape: () => textLike(/^\/\S*$/, "a path, such as '/live'") }),
  /** As Express's setting `trust proxy`, for the address of the caller. Default: `false`. */
  trustProxy: option({
    shape: () =>
      z.custom<boolean | number | string | readonly string[]>(
        (value) => ['boolean', 'number', 'string'].includes(typeof value) || Array.isArray(value),
        "what Express takes as 'trust proxy', such as 1",
      ),
    default: false,
  }),
};

export type UpgradeOptions = OptionsOf<typeof upgradeOptions>;

/** A strategy for Passport: `guard.strategy({ … })`. */
export const strategyOptions = {
  /** The scopes that the token must have, beside those of `passport.authenticate(…, { scope })`. Default: none. */
  scopes: routeOptions.scopes,
  ...pick(routeOptions, 'resource', 'maxAge', 'acr', 'details'),
};

export type StrategyOptions = OptionsOf<typeof strategyOptions>;

/** Requirements on a token that code verifies: `oauth.verify(token, { … })`. */
export const verifyOptions = {
  ...pick(routeOptions, 'scopes', 'any'),
  /** Whether the token must be a user's, so that `userId` is there. Default: `false`. */
  requireUser: routeOptions.requireUser,
  ...pick(routeOptions, 'resource'),
  /**
   * What the token opens, if that stays open: a WebSocket of `ws`, `socket.conn` of Socket.IO, or anything that emits
   * `close`. The result then has a `signal`, which fires when the token ends or no longer suffices. Default: none.
   */
  socket: option({
    shape: () =>
      z.custom<ClosingSocket>(
        (value) => typeof (value as Partial<ClosingSocket> | null | undefined)?.once === 'function',
        "what emits 'close', such as a WebSocket of ws or socket.conn of Socket.IO",
      ),
  }),
};

export type VerifyOptions = OptionsOf<typeof verifyOptions>;
