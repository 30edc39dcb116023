import type { Request } from 'express';

import { hashSecret } from '../crypto/secrets.js';
import {
  type Answering,
  type CookieKind,
  keepSigned,
  type SignedCookieSettings,
  takeSigned,
} from './signed-cookies.js';

const ENDED_LOGIN: CookieKind = { name: 'oauth-login-ended', purpose: 'ended login' };

/**
 * Whether a login of this request can come to be known by ending it: the session is in a store, so that what ended
 * stays ended. One that is all in its cookie is back as soon as somebody puts the old cookie back.
 */
export function isEndingFinal(req: Request): boolean {
  return (req as { sessionStore?: object }).sessionStore !== undefined;
}

/**
 * For the moment before a login is ended; call what it gives once that is done. Whoever is logged in afterwards has
 * logged in since then, which a login page that nobody watches does not say itself. The cookie can be used again, and
 * that gains nothing: it claims no other time, for no other person, and not for the session that was to end.
 *
 * It is for logins that we have ended alone. Who merely comes without a session may have hidden one, and would have it
 * taken for a new one. What is left is somebody who holds two sessions of one person, neither of them noted, and ends
 * one: the other seems to be of a login since then.
 *
 * @see OpenID Connect Core §2 (auth_time), §3.1.2.1 (max_age)
 */
export function beforeLoginEnds(
  settings: SignedCookieSettings,
  asked: Answering,
  now: Date,
): (() => void) | undefined {
  if (!isEndingFinal(asked.req)) return undefined;
  const ended = nameOfSession(asked.req);
  return () => keepSigned(settings, ENDED_LOGIN, asked, `${now.getTime()}_${ended}`);
}

/**
 * Milliseconds since 1970, after which the person has logged in to this session; undefined if it is not known. So the
 * login may seem older than it is, never younger.
 */
export function takeEndOfLoginBefore(settings: SignedCookieSettings, asked: Answering): number | undefined {
  if (!isEndingFinal(asked.req)) return undefined;
  const [, at, ended] = /^(\d{1,15})_([\w-]+)$/.exec(takeSigned(settings, ENDED_LOGIN, asked) ?? '') ?? [];
  // a store that is slow to forget, or was written to meanwhile, may have the old session still
  return ended === undefined || ended === nameOfSession(asked.req) ? undefined : Number(at);
}

/** Not the id itself, by which whoever knows it could use it. */
function nameOfSession(req: Request): string {
  return hashSecret(String((req as { sessionID?: string }).sessionID));
}
