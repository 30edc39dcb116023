import type { OpenidAuthorization } from '../openid/openid-authorization.js';
import type { PersonsTurn, Turn } from './interaction.js';
import type { ResponseParameters } from './response-modes/response-mode.js';

/** What is asked about the logins of people: by which one a request is answered, and what is kept of it. */
export interface Logins {
  /**
   * Whether the person has to log in again before this request goes on.
   *
   * @throws OAuthError if they have just done that, and it is still not what the client wants
   */
  needsAgain(turn: PersonsTurn): boolean;
  /**
   * What the grant keeps of the login, and of the claims that were allowed; undefined if nobody is signed in by the
   * request.
   *
   * @throws OAuthError if the login is none that the client wants
   */
  record(turn: PersonsTurn, allowed: readonly string[]): OpenidAuthorization | undefined;
  /** The person is to leave this session to log in again; what it gives is called once they have. Default: nothing. */
  leave?(turn: PersonsTurn): (() => void) | undefined;
  /** What an answer says beside, an error as well. Default: nothing. */
  tell?(asked: Pick<Turn, 'req' | 'res' | 'request'>): ResponseParameters;
}

/** Of a server that signs nobody in: any login will do. */
export const ANY_LOGIN: Logins = { needsAgain: () => false, record: () => undefined };
