import type { OpenidAuthorization } from '../openid/openid-authorization.js';
import type { UserAuthentication } from '../sessions/user-authentication.js';

/** What a grant keeps of the login during which it was allowed. */
export interface RecordedLogin {
  /** Present if the client may sign the person in. */
  readonly login?: OpenidAuthorization | undefined;
  /** Present if access tokens say when and how the person has logged in. */
  readonly authentication?: UserAuthentication | undefined;
}
