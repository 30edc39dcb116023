import type { Request, Response } from 'express';

import { equalText } from '../crypto/secrets.js';
import { tagOf } from '../crypto/tags.js';
import type { Settings } from '../settings/settings.js';
import { cookiesNamed } from './cookies.js';
import { sidOf } from './sign-in-session.js';

export type KeptSidSettings = Pick<Settings, 'issuer' | 'serverSecret'>;

interface Answering {
  readonly req: Request;
  readonly res: Response;
}

/** Seconds that somebody has to log in again. */
const LIFE = 3600;

/**
 * Keeps the name of a session over a login that a client asks for, in a cookie, because the session itself does not
 * outlast it: Passport renews it. Whoever logs in again has not logged out, so the clients of the login before have to
 * hear of the logout that comes one day. It opens nothing, and is of use to the same person alone.
 *
 * @see OpenID Connect Core §3.1.2.1, Back-Channel Logout §2.1
 */
export function keepSid(settings: KeptSidSettings, { req, res }: Answering, userId: string): void {
  const sid = sidOf(req, userId);
  if (sid === undefined) return;
  const text = `${Math.floor(Date.now() / 1000) + LIFE}.${sid}`;
  res.cookie(nameOf(settings), `${text}.${sign(settings, text, userId)}`, {
    ...attributesOf(settings),
    maxAge: LIFE * 1000,
  });
}

/** The name that was kept, once; undefined if there is none, if it has grown old, or if it is another person's. */
export function takeSid(
  settings: KeptSidSettings,
  { req, res }: Answering,
  userId: string,
): string | undefined {
  const values = cookiesNamed(req, nameOf(settings));
  if (values.length > 0) res.clearCookie(nameOf(settings), attributesOf(settings));
  const found = values.map((value) => /^((\d{1,12})\.([\w-]+))\.([\w-]+)$/.exec(value));
  const [, text = '', end, sid, tag = ''] = found.length === 1 ? (found[0] ?? []) : [];
  const isRight = Number(end) > Date.now() / 1000 && equalText(tag, sign(settings, text, userId));
  return isRight ? sid : undefined;
}

function sign({ serverSecret }: KeptSidSettings, text: string, userId: string): string {
  return tagOf(`session ${JSON.stringify([text, userId])}`, serverSecret);
}

function nameOf({ issuer }: KeptSidSettings): string {
  return issuer.startsWith('https:') ? '__Host-oauth-session-name' : 'oauth-session-name';
}

// lax: a browser that comes back from the login of another site has to bring it along
function attributesOf({ issuer }: KeptSidSettings) {
  return { path: '/', httpOnly: true, secure: issuer.startsWith('https:'), sameSite: 'lax' } as const;
}
