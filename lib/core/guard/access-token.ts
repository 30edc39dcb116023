import type { ChoiceValue } from '../../settings/options/choice-options.js';
import type { ActorClaim } from '../../shared/protocol/actor.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import type { TokenKind } from '../../shared/protocol/token-kind.js';

/**
 * The data of a guarded route's token: `req.auth`. The fields of the Model Context Protocol's `AuthInfo` have its names
 * and types, so that its servers work behind the guard unchanged.
 */
export interface AccessToken {
  /** The access token itself. */
  token: string;
  /**
   * The kind of token: `app`, `device`, `personal` if a user has made it for programs of their own, or `service` if a
   * team owns it and it acts for no person.
   */
  kind: TokenKind;
  clientId: string;
  /** The granted scopes, followed by the scopes that they include. */
  scopes: string[];
  /** Seconds since 1970; always present, optional only to agree with `AuthInfo`. */
  expiresAt?: number;
  /** The resource of the token (RFC 8707); absent: the API of the authorization server itself. */
  resource?: URL;
  /** The user on whose behalf the client acts; absent if it acts for itself (client_credentials). */
  userId?: string;
  /**
   * The actor for that user: `sub` is the party that has the token now (for a client of this server, its id), `act` the
   * party that passed it on. Absent if the user's own client acts. (RFC 8693 §4.1)
   */
  actor?: ActorClaim;
  /** Permissions beside the scopes, of a user or of the client itself (RFC 9396). */
  authorizationDetails?: AuthorizationDetail[];
  /** The user's selections, by the names of the choices. */
  choices?: Record<string, ChoiceValue>;
  /**
   * When the user logged in, in seconds since 1970, if the authorization server has its option `stepUp`. A refresh does
   * not change it. (RFC 9470 §6)
   */
  authTime?: number;
  /** The class of that login. */
  acr?: string;
  /** The methods of that login: `['pwd', 'otp']`. (RFC 8176) */
  amr?: string[];
  /**
   * The bindings of the token: `jkt` is the thumbprint of its client's key (RFC 9449 §6), `x5t#S256` that of its
   * certificate (RFC 8705 §3.1).
   */
  cnf?: { jkt?: string; 'x5t#S256'?: string; [member: string]: unknown };
  /**
   * Fires when the token ends: when it expires or is revoked, its client is blocked, it allows less than the route
   * needs, or the user changes its `choices`. It also fires if the token could not be checked for a minute: its
   * `reason`, an `OAuthError`, is then `temporarily_unavailable` (503), and the token may be valid. Use it for work
   * that continues after the response has begun: a stream of events, a WebSocket. The token is watched from the first
   * read of `signal` until the connection is closed.
   */
  readonly signal?: AbortSignal;
  /** Data that an extension grant stored; behind `bearerGuard`, the further claims of the token. */
  extra?: Record<string, unknown>;
}

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- the way Express's types are extended
  namespace Express {
    interface Request {
      /** Set by `oauth.guard(…)`. */
      auth?: AccessToken;
    }
  }
}

/**
 * The data of a guarded route's token: `req.auth`, never undefined. For TypeScript, which cannot know that a guard
 * comes before a handler, and for handlers in other files: `authOf(req).userId`.
 *
 * @param req the request, behind `oauth.guard(…)` or `bearerGuard(…)`; if the guard is `optional`, read `req.auth`
 * instead
 * @throws TypeError if no guard has let the request in by a token
 */
export function authOf(req: object): AccessToken {
  const { auth } = req as { readonly auth?: Partial<AccessToken> | null };
  // express-oauth2-jwt-bearer and others store other values there
  if (typeof auth?.clientId !== 'string' || !Array.isArray(auth.scopes))
    throw new TypeError(
      'authOf: no access token let this request in; put oauth.guard(…) before this route, and behind a guard that is optional ask req.auth itself',
    );
  return auth as AccessToken;
}
