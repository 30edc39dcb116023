import { sidOf } from './sign-in-session.js';
import {
  type Answering,
  type CookieKind,
  keepSigned,
  type SignedCookieSettings,
  takeSigned,
} from './signed-cookies.js';

const SESSION_NAME: CookieKind = { name: 'oauth-session-name', purpose: 'session' };

/**
 * Keeps the name of a session through a login that a client asks for. A user who logs in again has not logged out, so
 * the clients of the previous login must be told when they finally log out. The name gives no access.
 *
 * @see OpenID Connect Core §3.1.2.1, Back-Channel Logout §2.1
 */
export function keepSid(settings: SignedCookieSettings, context: Answering): void {
  const sid = sidOf(context.req, context.userId);
  if (sid !== undefined) keepSigned(settings, SESSION_NAME, context, sid);
}

/** The name that was kept, once; undefined if there is none, if it is too old, or if it is another user's. */
export function takeSid(settings: SignedCookieSettings, context: Answering): string | undefined {
  return takeSigned(settings, SESSION_NAME, context);
}
