import type { Request, Response } from 'express';

import { pathOf } from '../../settings/endpoint-urls.js';
import type { Settings } from '../../settings/settings.js';
import { cookiesNamed } from './cookies.js';
import { safeReturnPath } from './return-path.js';

export type ReturnToSettings = Pick<Settings, 'issuer' | 'issuerPath' | 'basePath' | 'advanced'>;

/** Seconds that somebody has to log in, with a second factor and a mistyped password. */
const LIFE = 600;
/** Characters: browsers drop a cookie of more than 4096 bytes, including its name and attributes. */
const MAX_LENGTH = 3_800;
/** Seconds by which the clocks of two processes may differ. */
const SKEW = 60;
/** The pages that send users away to log in: a way back leads to no other. */
const PAGES = ['authorize', 'device', 'applications', 'authorizations', 'access-tokens'];
/** Cookie values must not contain these; percent-encoded they mean the same in an address. (RFC 6265 §4.1.1) */
const NO_COOKIE = /[",;\\]/g;

/**
 * Keeps the way back to a page of ours through a login, in a cookie, because a session does not survive it: Passport
 * renews it against fixation. It holds only a path that anybody could open. With TLS its name begins with `__Host-`, so
 * that browsers take it only from this very host: no sibling domain, and nobody without TLS, can plant one.
 *
 * @param path as `storableReturnTo` gives it
 * @see RFC 6265bis §4.1.3.2
 */
export function saveReturnTo(settings: ReturnToSettings, res: Response, path: string): void {
  res.cookie(nameOf(settings), `${Math.floor(Date.now() / 1000) + LIFE}.${path}`, {
    ...attributesOf(settings),
    maxAge: LIFE * 1000,
    encode: String,
  });
}

/** The path as a cookie can keep it; undefined if this request leads to no login, or the path is too long. */
export function storableReturnTo(settings: ReturnToSettings, req: Request, path: string): string | undefined {
  const { 'sec-fetch-dest': destination = 'document' } = req.headers;
  // if another site loads it into one of its pages, nobody wants to log in
  if (!settings.advanced.resumeAfterLogin || destination !== 'document') return undefined;
  const value = path.replace(NO_COOKIE, encodeURIComponent);
  return value.length > MAX_LENGTH || !isPageOfOwn(settings, value) ? undefined : value;
}

/** The way back that this browser has kept; undefined if there is none, or it is too old. */
export function findReturnTo(settings: ReturnToSettings, req: Request): string | undefined {
  if (!hasReturnTo(settings, req)) return undefined;
  const values = cookiesNamed(req, nameOf(settings));
  // ours has one path: if there are two, somebody else has added one
  const [, end, path] = values.length === 1 ? (/^(\d{1,12})\.(.*)$/.exec(values[0]!) ?? []) : [];
  const left = Number(end) - Date.now() / 1000;
  if (path === undefined || !(left > 0 && left <= LIFE + SKEW)) return undefined;
  return isPageOfOwn(settings, path) ? path : undefined;
}

/** Only a search in one header, because every request of the site passes here. */
export function hasReturnTo(settings: ReturnToSettings, { headers: { cookie } }: Request): boolean {
  return cookie !== undefined && settings.advanced.resumeAfterLogin && cookie.includes(nameOf(settings));
}

export function clearReturnTo(settings: ReturnToSettings, req: Request, res: Response): void {
  if (hasReturnTo(settings, req)) res.clearCookie(nameOf(settings), attributesOf(settings));
}

/** Whether a path is one that we may have kept. */
function isPageOfOwn(settings: ReturnToSettings, path: string): boolean {
  if (safeReturnPath(path, '') === '') return false;
  const { pathname } = new URL(path, settings.issuer);
  // dots would lead elsewhere than the text says
  return path.split('?')[0] === pathname && isPagePath(settings, pathname);
}

/** Whether one of these pages answers a request; a proxy may have taken the issuer's path off. */
export function isForPageOfOwn(settings: ReturnToSettings, { originalUrl }: Request): boolean {
  const [pathname = ''] = originalUrl.split('?');
  return isPagePath(settings, pathname) || isPagePath({ ...settings, issuerPath: '' }, pathname);
}

function isPagePath(settings: ReturnToSettings, pathname: string): boolean {
  return PAGES.some((name) => {
    const page = pathOf(settings, name);
    return pathname === page || pathname.startsWith(`${page}/`);
  });
}

function nameOf({ issuer }: ReturnToSettings): string {
  return issuer.startsWith('https:') ? '__Host-oauth-way-back' : 'oauth-way-back';
}

// lax: a browser that comes back from another site's login has to send it
function attributesOf({ issuer }: ReturnToSettings) {
  return { path: '/', httpOnly: true, secure: issuer.startsWith('https:'), sameSite: 'lax' } as const;
}
