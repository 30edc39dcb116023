import type { Request } from 'express';

import {
  type Answering,
  type CookieKind,
  keepSigned,
  type SignedCookieSettings,
  takeSigned,
} from '../core/sessions/signed-cookies.js';
import { hashSecret } from '../shared/crypto/secrets.js';

const ENDED_LOGIN: CookieKind = { name: 'oauth-login-ended', purpose: 'ended login' };

/**
 * Whether ending this request's login lets us know when the next one was: the session is in a store, so what ended
 * stays ended. One that is all in its cookie is back as soon as somebody puts the old cookie back.
 */
export function isEndingFinal(req: Request): boolean {
  return (req as { sessionStore?: object }).sessionStore !== undefined;
}

/**
 * Call it just before a login is ended, and the function that it gives once that is done. Whoever is logged in
 * afterwards has logged in since, which a login page of the site's does not tell us. Using the cookie again gains
 * nothing: it claims no other time, for no other user, and not for the session that was to end.
 *
 * It is only for logins that we have ended. Somebody who merely comes without a session may have hidden one, which
 * would then be taken for a new one. One case remains: somebody who holds two sessions of one user, neither of them
 * noted, and ends one; the other then seems to be from a login since.
 *
 * @see OpenID Connect Core §2 (auth_time), §3.1.2.1 (max_age)
 */
export function beforeLoginEnds(
  settings: SignedCookieSettings,
  context: Answering,
  now: Date,
): (() => void) | undefined {
  if (!isEndingFinal(context.req)) return undefined;
  const ended = nameOfSession(context.req);
  return () => keepSigned(settings, ENDED_LOGIN, context, `${now.getTime()}_${ended}`);
}

/**
 * The time (milliseconds since 1970) after which the user has logged in to this session; undefined if it is not
 * known. The login may seem older than it is, but never younger.
 */
export function takeEndOfLoginBefore(settings: SignedCookieSettings, context: Answering): number | undefined {
  if (!isEndingFinal(context.req)) return undefined;
  const [, at, ended] = /^(\d{1,15})_([\w-]+)$/.exec(takeSigned(settings, ENDED_LOGIN, context) ?? '') ?? [];
  // a store that is slow to forget, or was written to meanwhile, may still have the old session
  return ended === undefined || ended === nameOfSession(context.req) ? undefined : Number(at);
}

/** Not the id itself: whoever knows that could use the session. */
function nameOfSession(req: Request): string {
  return hashSecret(String((req as { sessionID?: string }).sessionID));
}
