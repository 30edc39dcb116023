import { option, type OptionsOf } from './option.js';
import { flag, listOf, oneOf, text } from './shapes.js';

export const bearerMethods = () =>
  listOf(oneOf(['header', 'body', 'query']), "a list of 'header', 'body' and 'query', such as ['header']", {
    isNeeded: true,
  });

/** The guard of the site's own API. */
export const guardOptions = {
  /** Where the guard looks for the token. Default: `['header']`; `body` and `query` are older ways. (RFC 6750 §2) */
  bearerMethods: option({ shape: bearerMethods, default: ['header'] }),
};

/** One route's: `guard({ … })`. */
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
   * Whether the token must be a person's, so that `req.auth.userId` is there; one that a client has for itself
   * (client_credentials) is refused by 403 then. Default: `false`.
   */
  person: option({ shape: flag, default: false }),
  /**
   * The resource that the token must be for, one of the option `resources`. Default: the server's own API.
   * (RFC 8707)
   */
  resource: option({ shape: () => text("the URL of a resource, such as 'https://api.photos.example'") }),
};

export type GuardOptions = OptionsOf<typeof routeOptions>;
