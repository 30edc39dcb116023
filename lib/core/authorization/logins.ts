import type { AuthenticatedContext, InteractionContext } from './interaction.js';
import type { RecordedLogin } from './recorded-login.js';
import type { ResponseParameters } from './response-modes/response-mode.js';

/** Questions about people's logins: with which one a request is answered, and what is kept of it. */
export interface Logins {
  /**
   * Whether the person has to log in again before this request continues.
   *
   * @throws OAuthError if they have just done so, and the login is still not what the client wants
   */
  needsAgain(context: AuthenticatedContext): boolean;
  /**
   * What the grant keeps of the login and of the allowed claims.
   *
   * @throws OAuthError if the login is not one that the client wants
   */
  record(context: AuthenticatedContext, allowed: readonly string[]): RecordedLogin;
  /** What is kept of a login that no authorization request asks for (a device). */
  read(context: Pick<AuthenticatedContext, 'req' | 'res' | 'userId'>): RecordedLogin['authentication'];
  /** Whether the client has sent an ID token of its own about this very person with the request. Default: no. */
  isHinted?(context: AuthenticatedContext): boolean;
  /** The person leaves this session to log in again; call what it returns once they have. Default: nothing. */
  leave?(context: AuthenticatedContext): (() => void) | undefined;
  /** Further parameters of an answer, errors included. Default: none. */
  extraResponseParameters?(context: Pick<InteractionContext, 'req' | 'res' | 'request'>): ResponseParameters;
}

/** For a server that signs nobody in: any login will do. */
export const ANY_LOGIN: Logins = {
  needsAgain: () => false,
  record: () => ({}),
  read: () => undefined,
};
