import type { ChoiceValue } from '../../settings/options/choice-options.js';
import type { ActorClaim } from '../../shared/protocol/actor.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import type { TokenKind } from '../../shared/protocol/token-kind.js';

/**
 * What a guarded route knows of the token it was called with: `req.auth`. The fields of the Model Context Protocol's
 * `AuthInfo` are spelt and typed as they are there, so that its servers work behind the guard unchanged.
 */
export interface AccessToken {
  /** The access token itself. */
  token: string;
  /**
   * What the token is: `app`, `device`, `personal` if a user has made it for programs of their own, or `service` if
   * it is a team's and acts for no person.
   */
  kind: TokenKind;
  clientId: string;
  /** What the token allows: the scopes that were granted, followed by those that they include. */
  scopes: string[];
  /** Seconds since 1970; always there, optional only to agree with `AuthInfo`. */
  expiresAt?: number;
  /** The resource server the token is for (RFC 8707); absent: the API of the authorization server itself. */
  resource?: URL;
  /** The user on whose behalf the client acts; absent if it acts for itself (client_credentials). */
  userId?: string;
  /**
   * Who acts for that user through the client: `sub` is the party that has the token now (for a client of this
   * server, its id), `act` the one through whom it came. Absent if the user's own client acts. (RFC 8693 §4.1)
   */
  actor?: ActorClaim;
  /**
   * What the token allows beside its scopes: what a user has allowed, or what its client may do for itself (RFC
   * 9396).
   */
  authorizationDetails?: AuthorizationDetail[];
  /** What the user has selected, by the names of the choices. */
  choices?: Record<string, ChoiceValue>;
  /**
   * When the user has logged in, in seconds since 1970, if the authorization server says it: with its option
   * `stepUp`. A refresh does not change it. (RFC 9470 §6)
   */
  authTime?: number;
  /** The class of that login. */
  acr?: string;
  /** The ways of that login: `['pwd', 'otp']`. (RFC 8176) */
  amr?: string[];
  /**
   * What the token is bound to: `jkt` is the thumbprint of its client's key (RFC 9449 §6), `x5t#S256` that of its
   * certificate (RFC 8705 §3.1).
   */
  cnf?: { jkt?: string; 'x5t#S256'?: string; [member: string]: unknown };
  /**
   * Fires when the token ends: when it expires or is revoked, its client is blocked, it allows less than the route
   * needs, or the user has selected something else for it (`choices`). It also fires if nobody could check the token
   * for a minute: its `reason`, an `OAuthError`, is then `temporarily_unavailable` (503), and the token may be valid.
   * It is for what goes on after the response has begun: a stream of events, a WebSocket. The token is watched from the
   * first read of `signal` until the connection is closed.
   */
  readonly signal?: AbortSignal;
  /** What an extension grant has stored with its grant; behind `bearerGuard`, the further claims of the token. */
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
 * What a guarded route knows of the token it was called with: `req.auth`, never undefined. It is for TypeScript, which
 * cannot know that a guard comes before a handler, and for handlers in other files: `authOf(req).userId`.
 *
 * @param req the request, behind `oauth.guard(…)` or `bearerGuard(…)`; if the guard is `optional`, look at `req.auth`
 * instead
 * @throws TypeError if no guard has let the request in by a token
 */
export function authOf(req: object): AccessToken {
  const { auth } = req as { readonly auth?: Partial<AccessToken> | null };
  // express-oauth2-jwt-bearer and others put something else there
  if (typeof auth?.clientId !== 'string' || !Array.isArray(auth.scopes))
    throw new TypeError(
      'authOf: no access token let this request in; put oauth.guard(…) before this route, and behind a guard that is optional ask req.auth itself',
    );
  return auth as AccessToken;
}
