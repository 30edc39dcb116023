import type { RequestHandler } from 'express';

import { option, type OptionsOf } from '../table/option.js';
import { flag, functionLike, listOf, oneOf, text } from '../table/shapes.js';

export const bearerMethods = () =>
  listOf(oneOf(['header', 'body', 'query']), "a list of 'header', 'body' and 'query', such as ['header']", {
    isNeeded: true,
  });

/** Gives the person with this id, or a promise; null, undefined or false if there is none. */
export type FindUser = (userId: string) => unknown;

export const findUser = () => functionLike<FindUser>('(id) => User.findById(id)');

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
   * Whether `req.user` is set to the person of the token, whom the option `findUser` finds: 401 if that person no
   * longer exists, 403 for a token that a client has for itself, as with `person`. Default: `false`, `req.user` stays
   * what it is.
   */
  user: option({ shape: flag, default: false }),
  /**
   * Middleware for tokens that are not this server's, if the API takes others in the same header:
   * `passport.authenticate('jwt', { session: false })`. It alone decides about them, and there is no `req.auth`. This
   * server's own tokens begin with `eas_`, or are JWTs of the type `at+jwt` by its issuer. Default: none, they are
   * refused.
   */
  others: option({
    shape: () => functionLike<RequestHandler>("passport.authenticate('jwt', { session: false })"),
  }),
  /**
   * The resource that the token must be for, one of the option `resources`. Default: the server's own API.
   * (RFC 8707)
   */
  resource: option({ shape: () => text("the URL of a resource, such as 'https://api.photos.example'") }),
};

export type GuardOptions = OptionsOf<typeof routeOptions>;

/** A strategy for Passport's: `guard.strategy({ … })`. */
export const strategyOptions = {
  /** The scopes the token must have, beside those of `passport.authenticate(…, { scope })`. Default: none. */
  scopes: routeOptions.scopes,
  /** The resource that the token must be for. Default: the server's own API. (RFC 8707) */
  resource: routeOptions.resource,
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
};

export type VerifyOptions = OptionsOf<typeof verifyOptions>;
