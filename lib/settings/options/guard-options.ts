import type { Request, RequestHandler } from 'express';
import { z } from 'zod';

import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import type { BearerMethod } from '../../shared/protocol/bearer-method.js';
import { TOKEN_KINDS } from '../../shared/protocol/token-kind.js';
import { acrValueList, loginMaxAge } from '../features/step-up-options.js';
import { option, type OptionsOf } from '../table/option.js';
import { callback, flag, listOf, oneOf, seconds, text, textLike } from '../table/shapes.js';

export const bearerMethods = (): z.ZodType<readonly BearerMethod[], readonly BearerMethod[]> =>
  listOf(oneOf(['header', 'body', 'query']), "a list of 'header', 'body' and 'query', such as ['header']", {
    isNeeded: true,
  });

/** Who calls, as far as `details` may need to know. */
export interface UpgradeCaller {
  readonly clientId: string;
  readonly userId?: string;
  readonly scopes: readonly string[];
}

/** What emits `close` once it is closed. */
export interface ClosingSocket {
  once(event: 'close', listener: () => void): unknown;
}

/** What a call needs beside scopes. */
export type NeededDetails = readonly AuthorizationDetail[];

/** Gives the person with this id, or a promise; null, undefined or false if there is none. */
export type FindUser = (userId: string) => unknown;

export const recheck = (): z.ZodType<number, number> => seconds({ max: 3600, example: 5 });

export const findUser = (): z.ZodType<FindUser, FindUser> => callback<FindUser>('(id) => User.findById(id)');

/** The guard of the site's own API. */
export const guardOptions = {
  /**
   * `(userId) => user` or a promise: finds the person of a token for `req.user`, on routes that ask for it (`user`,
   * `orSession`, the strategy for Passport). If it gives `null`, the person no longer exists, and the token is refused
   * with 401. It is called at each request. Default: none.
   */
  findUser: option({ shape: findUser }),
  /** Where the guard looks for the token. Default: `['header']`; `body` and `query` are older ways. (RFC 6750 §2) */
  bearerMethods: option({ shape: bearerMethods, default: ['header'] }),
  /**
   * Seconds after which the tokens of open connections (`req.auth.signal`, `guard.upgrade`, streams of `oauth.mcp`) are
   * looked at again, all together. With `guardMemory` a change is told within a second, and this is for when the change
   * stream is silent. Default: `5`.
   */
  recheck: option({ shape: recheck, default: 5 }),
};

/** The options of one route: `guard({ … })`. */
export const routeOptions = {
  /** The scopes the token must have. Default: none, any valid token will do. */
  scopes: option({
    shape: () => listOf(text("a scope, such as 'photos:read'"), "a list of scopes, such as ['photos:read']"),
    default: [],
  }),
  /** Whether one of the scopes is enough. Default: `false`, all are needed. */
  any: option({ shape: flag, default: false }),
  /**
   * Lets requests without a token through, with no `req.auth`; a bad token is refused all the same. Default:
   * `false`.
   */
  optional: option({ shape: flag, default: false }),
  /**
   * Whether the token must be a person's, so that `req.auth.userId` is there. One that a client has for itself
   * (client_credentials) is then refused with 403. Default: `false`.
   */
  person: option({ shape: flag, default: false }),
  /**
   * Seconds that may have passed since the person has logged in, such as `300`. A token from an older login, or without
   * one, is answered 401 `insufficient_user_authentication`, and the challenge says what to ask the person for. The
   * authorization server needs the option `stepUp`. Default: none, any age will do. (RFC 9470 §3)
   */
  maxAge: option({ shape: loginMaxAge }),
  /**
   * The classes of which the login of the person must have one, the best first: `['mfa']`. It is answered in the same
   * way. Default: none, any class will do. (RFC 9470 §3)
   */
  acr: option({ shape: acrValueList }),
  /**
   * `(req, auth) => [{ type: 'payment', amount: req.body.amount }]` or a promise: the authorization details that this
   * call needs, an empty list if none; `auth` is what `req.auth` will be. A token that does not have them is answered
   * 401 `insufficient_authorization`, and the challenge has them, so that the client can ask the person for just that.
   * Of a type with `singleUse` they are used up before your handler runs. What the function reads of a body has to be
   * parsed before the guard. Default: none. (RAR Metadata and Error Remediation §4)
   */
  details: option({
    shape: () =>
      callback<(req: Request, auth: UpgradeCaller) => NeededDetails | Promise<NeededDetails>>(
        "(req) => [{ type: 'payment', amount: req.body.amount }]",
      ),
  }),
  /**
   * Whether `req.user` is set to the person of the token, whom the option `findUser` finds: 401 if that person no
   * longer exists, 403 for a token that a client has for itself, as with `person`. Default: `false`, `req.user` stays
   * what it is.
   */
  user: option({ shape: flag, default: false }),
  /**
   * The kinds of token that are let in, of `app`, `device`, `personal` and `service`; others are refused with 403:
   * `kinds: ['app', 'device']` keeps out the tokens that people make for programs of their own. Default: all.
   */
  kinds: option({
    shape: () => listOf(oneOf(TOKEN_KINDS), "a list of kinds, such as ['app', 'device']", { isNeeded: true }),
  }),
  /**
   * Middleware for tokens that are not this server's, if the API takes others in the same header:
   * `passport.authenticate('jwt', { session: false })`. It alone decides about them, and there is no `req.auth`. This
   * server's own tokens begin with `eas_`, or are JWTs of the type `at+jwt` by its issuer. Default: none, they are
   * refused.
   */
  onForeignToken: option({
    shape: () => callback<RequestHandler>("passport.authenticate('jwt', { session: false })"),
  }),
  /**
   * The resource that the token must be for, one of the option `resources`. Default: the server's own API.
   * (RFC 8707)
   */
  resource: option({ shape: () => text("the URL of a resource, such as 'https://api.photos.example'") }),
};

export type GuardOptions = OptionsOf<typeof routeOptions>;

/** Connections that leave HTTP: `guard.upgrade(server, { … }, onUpgrade)`. */
export const upgradeOptions = {
  /** The scopes the token must have. Default: none, any valid token will do. */
  scopes: routeOptions.scopes,
  /** Whether one of the scopes is enough. Default: `false`, all are needed. */
  any: routeOptions.any,
  /** Whether the token must be a person's. Default: `false`. */
  person: routeOptions.person,
  /** Whether `req.user` is set to the person of the token. Default: `false`. */
  user: routeOptions.user,
  /** The resource that the token must be for. Default: the server's own API. (RFC 8707) */
  resource: routeOptions.resource,
  /** Seconds that may have passed since the person has logged in. Default: any age will do. (RFC 9470 §3) */
  maxAge: routeOptions.maxAge,
  /** The classes of which the login must have one. Default: any class will do. (RFC 9470 §3) */
  acr: routeOptions.acr,
  /** `(req, auth) => [{ type: 'payment' }]`: the authorization details that the connection needs. Default: none. */
  details: routeOptions.details,
  /** The path that is guarded, such as `/live`; others are left to other listeners. Default: every path. */
  path: option({ shape: () => textLike(/^\/\S*$/, "a path, such as '/live'") }),
  /** As Express's setting `trust proxy`, by which the address of the caller is known. Default: `false`. */
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

/** A strategy for Passport's: `guard.strategy({ … })`. */
export const strategyOptions = {
  /** The scopes the token must have, beside those of `passport.authenticate(…, { scope })`. Default: none. */
  scopes: routeOptions.scopes,
  /** The resource that the token must be for. Default: the server's own API. (RFC 8707) */
  resource: routeOptions.resource,
  /** Seconds that may have passed since the person has logged in. Default: any age will do. (RFC 9470 §3) */
  maxAge: routeOptions.maxAge,
  /** The classes of which the login must have one. Default: any class will do. (RFC 9470 §3) */
  acr: routeOptions.acr,
  /** `(req, auth) => [{ type: 'payment' }]`: the authorization details that the call needs. Default: none. */
  details: routeOptions.details,
};

export type StrategyOptions = OptionsOf<typeof strategyOptions>;

/** What a token must be that code checks: `oauth.verify(token, { … })`. */
export const verifyOptions = {
  /** The scopes the token must have. Default: none, any valid token will do. */
  scopes: routeOptions.scopes,
  /** Whether one of the scopes is enough. Default: `false`, all are needed. */
  any: routeOptions.any,
  /** Whether the token must be a person's, so that `userId` is there. Default: `false`. */
  person: routeOptions.person,
  /** The resource that the token must be for. Default: the server's own API. (RFC 8707) */
  resource: routeOptions.resource,
  /**
   * What the token opens, if that stays open: a WebSocket of `ws`, `socket.conn` of Socket.IO, or anything else that
   * emits `close`. The result then has a `signal`, which fires when the token expires or is revoked, its client is
   * blocked, or it allows less than this. Default: none, and there is no `signal`.
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
