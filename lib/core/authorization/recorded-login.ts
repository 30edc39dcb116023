import type { OpenidAuthorization } from '../openid/openid-authorization.js';
import type { UserAuthentication } from '../sessions/user-authentication.js';

/** What a grant stores about the login of the user who has allowed it. */
export interface RecordedLogin {
  /** What ID tokens say. Present if the client may sign the user in. */
  readonly openid?: OpenidAuthorization | undefined;
  /** What access tokens say. Present with the option `stepUp`. */
  readonly authentication?: UserAuthentication | undefined;
}
