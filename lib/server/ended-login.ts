import type { Request } from 'express';

import {
  consumeSigned,
  type CookieContext,
  type CookieKind,
  saveSigned,
  type SignedCookieSettings,
} from '../core/sessions/signed-cookies.js';
import { hashSecret } from '../shared/crypto/secrets.js';

const ENDED_LOGIN: CookieKind = { name: 'oauth-login-ended', purpose: 'ended login' };

/**
 * True if sessions are stored on the server. A cookie session can be restored by sending the old cookie again, so its
 * end proves nothing about the next login's time.
 */
export function isEndingFinal(req: Request): boolean {
  return (req as { sessionStore?: object }).sessionStore !== undefined;
}

/**
 * Call before logout; call the returned function after it. A user who is logged in afterwards has logged in since then,
 * which the site's login page does not report. Replaying the cookie gains nothing: it has the same time, for the same
 * user, and not for the ended session.
 *
 * Only for logins that this server has ended. A user who comes without a session may have hidden one, which would then
 * count as new. One case remains: a user with two sessions, neither with a recorded login, ends one; the other then
 * seems to come from a later login.
 *
 * @see OpenID Connect Core §2 (auth_time), §3.1.2.1 (max_age)
 */
export function beforeLoginEnds(
  settings: SignedCookieSettings,
  context: CookieContext,
  now: Date,
): (() => void) | undefined {
  if (!isEndingFinal(context.req)) return undefined;
  const ended = hashSessionId(context.req);
  return () => saveSigned(settings, ENDED_LOGIN, context, `${now.getTime()}_${ended}`);
}

/**
 * The time (milliseconds since 1970) after which the user logged in to this session; undefined if unknown. The login
 * may seem older than it is, but never younger.
 */
export function consumeLoginEnd(settings: SignedCookieSettings, context: CookieContext): number | undefined {
  if (!isEndingFinal(context.req)) return undefined;
  const [, at, ended] =
    /^(\d{1,15})_([\w-]+)$/.exec(consumeSigned(settings, ENDED_LOGIN, context) ?? '') ?? [];
  // a slow store, or one that was written to meanwhile, may still have the old session
  return ended === undefined || ended === hashSessionId(context.req) ? undefined : Number(at);
}

/** A hash of the session id, because the id itself gives access to the session. */
function hashSessionId(req: Request): string {
  return hashSecret(String((req as { sessionID?: string }).sessionID));
}
