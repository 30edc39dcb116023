import type { Request, Response } from 'express';

import type { Settings } from '../../settings/settings.js';
import { equalText, tagOf } from '../../shared/crypto/secrets.js';

export type SignedCookieSettings = Pick<Settings, 'issuer' | 'serverSecret'>;

/** The name of a cookie, and the purpose that its signature covers: no kind is accepted as another. */
export interface CookieKind {
  readonly name: string;
  readonly purpose: string;
  /** Seconds. Default: an hour, time enough to log in again. */
  readonly life?: number;
}

/** A request and its response, and the user of the cookie. */
export interface CookieContext {
  readonly req: Request;
  readonly res: Response;
  /** Empty for a browser in which nobody is logged in. */
  readonly userId: string;
}

const LIFE = 3600;

/**
 * Keeps a value through a login or a logout in a signed cookie, because the session does not survive: Passport renews
 * it. Only the same user can use the value.
 */
export function saveSigned(
  settings: SignedCookieSettings,
  kind: CookieKind,
  { res, userId }: CookieContext,
  payload: string,
): void {
  const { life = LIFE } = kind;
  const text = `${Math.floor(Date.now() / 1000) + life}.${payload}`;
  res.cookie(hostCookieName(settings, kind.name), `${text}.${sign(settings, kind, text, userId)}`, {
    ...hostCookieAttributes(settings),
    maxAge: life * 1000,
  });
}

/** Reads and clears the signed value. Undefined if missing, expired, or set for another user. */
export function consumeSigned(
  settings: SignedCookieSettings,
  kind: CookieKind,
  { req, res, userId }: CookieContext,
): string | undefined {
  const name = hostCookieName(settings, kind.name);
  const values = cookiesNamed(req, name);
  if (values.length > 0) res.clearCookie(name, hostCookieAttributes(settings));
  const matches = values.map((value) => /^((\d{1,12})\.([\w-]+))\.([\w-]+)$/.exec(value));
  const [, text = '', end, payload, tag = ''] = matches.length === 1 ? (matches[0] ?? []) : [];
  const isRight = Number(end) > Date.now() / 1000 && equalText(tag, sign(settings, kind, text, userId));
  return isRight ? payload : undefined;
}

function sign(
  { serverSecret }: SignedCookieSettings,
  { purpose }: CookieKind,
  text: string,
  userId: string,
): string {
  return tagOf(`${purpose} ${JSON.stringify([text, userId])}`, serverSecret);
}

/**
 * With TLS the name begins with `__Host-`: browsers then accept the cookie only from this very host, so no sibling
 * domain, and nobody without TLS, can plant one.
 *
 * @see RFC 6265bis §4.1.3.2
 */
export function hostCookieName({ issuer }: Pick<Settings, 'issuer'>, name: string): string {
  return issuer.startsWith('https:') ? `__Host-${name}` : name;
}

// lax: a browser that comes back from another site's login has to send the cookie
export function hostCookieAttributes({ issuer }: Pick<Settings, 'issuer'>) {
  return { path: '/', httpOnly: true, secure: issuer.startsWith('https:'), sameSite: 'lax' } as const;
}

/** The raw values of all cookies with this name: different paths may have one each. */
export function cookiesNamed({ headers: { cookie = '' } }: Request, name: string): string[] {
  return cookie
    .split(';')
    .map((pair) => pair.trim())
    .flatMap((pair) => (pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : []));
}
