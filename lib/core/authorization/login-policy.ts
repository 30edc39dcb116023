import type { RequestContext } from '../http/handle.js';
import type { CreateIdToken } from '../openid/openid-authorization.js';
import type { CookieContext } from '../sessions/signed-cookies.js';
import type { AuthorizationRequest, ReadLoginRequest } from './authorization-request.js';
import type { AuthenticatedContext } from './interaction.js';
import type { ResponseParameters } from './response-modes/response-mode.js';
import type { RecordedLogin } from './response-types/response-type.js';

/**
 * Which logins satisfy a request, and what a grant stores about a login. OpenID Connect and `stepUp` each bring a
 * policy; both are made from `server/login-checks.ts`.
 */
export interface LoginPolicy {
  /** Default: a request has no requirements on the login. */
  readonly readRequest?: ReadLoginRequest;
  /**
   * Whether the user has to log in again before this request continues.
   *
   * @throws OAuthError if the user has just logged in again, and the login still does not meet the request
   */
  needsAgain(context: AuthenticatedContext): boolean;
  /**
   * What the grant stores about the login and the allowed claims.
   *
   * @throws OAuthError if the login does not meet the request
   */
  record(context: AuthenticatedContext, allowed: readonly string[]): RecordedLogin;
  /** The stored data of a login without an authorization request (a device). */
  read(context: CookieContext): RecordedLogin['authentication'];
  /** Whether the request has an `id_token_hint` about this user, issued to this client. Default: no. */
  hasIdTokenHintFor?(context: AuthenticatedContext): boolean;
  /** Called before the login ends so that the user logs in again. Call the result after the end. Default: nothing. */
  leave?(context: AuthenticatedContext): (() => void) | undefined;
  /** Default: there are no ID tokens. */
  readonly createIdToken?: CreateIdToken;
  /** Further parameters of a response, errors included. Default: none. */
  extraResponseParameters?(
    context: RequestContext & { readonly request: AuthorizationRequest },
  ): ResponseParameters;
}

/** The policy of a server without OpenID Connect and `stepUp`: any login satisfies a request. */
export const ANY_LOGIN: LoginPolicy = {
  needsAgain: () => false,
  record: () => ({}),
  read: () => undefined,
};
