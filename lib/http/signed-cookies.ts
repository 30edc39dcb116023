import type { Request, Response } from 'express';

import { equalText } from '../crypto/secrets.js';
import { tagOf } from '../crypto/tags.js';
import type { Settings } from '../settings/settings.js';
import { cookiesNamed } from './cookies.js';

export type SignedCookieSettings = Pick<Settings, 'issuer' | 'serverSecret'>;

/** What a cookie is called, and what for it is signed: one is never taken for another. */
export interface CookieKind {
  readonly name: string;
  readonly purpose: string;
}

/** For whom a cookie is, or was. */
export interface Answering {
  readonly req: Request;
  readonly res: Response;
  readonly userId: string;
}

/** Seconds that somebody has to log in again. */
const LIFE = 3600;

/**
 * Keeps a word over a login, in a cookie, because the session itself does not outlast it: Passport renews it. It is of
 * use to the same person alone.
 */
export function keepSigned(
  settings: SignedCookieSettings,
  kind: CookieKind,
  { res, userId }: Omit<Answering, 'req'>,
  word: string,
): void {
  const text = `${Math.floor(Date.now() / 1000) + LIFE}.${word}`;
  res.cookie(nameOf(settings, kind), `${text}.${sign(settings, kind, text, userId)}`, {
    ...attributesOf(settings),
    maxAge: LIFE * 1000,
  });
}

/** The word that was kept, once; undefined if there is none, if it has grown old, or if it is another person's. */
export function takeSigned(
  settings: SignedCookieSettings,
  kind: CookieKind,
  { req, res, userId }: Answering,
): string | undefined {
  const name = nameOf(settings, kind);
  const values = cookiesNamed(req, name);
  if (values.length > 0) res.clearCookie(name, attributesOf(settings));
  const found = values.map((value) => /^((\d{1,12})\.([\w-]+))\.([\w-]+)$/.exec(value));
  const [, text = '', end, word, tag = ''] = found.length === 1 ? (found[0] ?? []) : [];
  const isRight = Number(end) > Date.now() / 1000 && equalText(tag, sign(settings, kind, text, userId));
  return isRight ? word : undefined;
}

function sign(
  { serverSecret }: SignedCookieSettings,
  { purpose }: CookieKind,
  text: string,
  userId: string,
): string {
  return tagOf(`${purpose} ${JSON.stringify([text, userId])}`, serverSecret);
}

function nameOf({ issuer }: SignedCookieSettings, { name }: CookieKind): string {
  return issuer.startsWith('https:') ? `__Host-${name}` : name;
}

// lax: a browser that comes back from the login of another site has to bring it along
function attributesOf({ issuer }: SignedCookieSettings) {
  return { path: '/', httpOnly: true, secure: issuer.startsWith('https:'), sameSite: 'lax' } as const;
}
