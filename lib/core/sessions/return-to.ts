import type { Request, RequestHandler, Response } from 'express';

import { pathOf } from '../../settings/endpoint-urls.js';
import type { LoginHints } from '../../settings/options/login-options.js';
import type { Settings } from '../../settings/settings.js';
import { hashSecret } from '../../shared/crypto/secrets.js';
import { OAuthError } from '../../shared/errors.js';
import {
  type Form,
  formatForm,
  hasParameter,
  parseForm,
  peekParameter,
} from '../../shared/protocol/parameters.js';
import { queryOf } from '../http/query.js';
import { redirect } from '../http/redirect.js';
import { cookiesNamed, hostCookieAttributes, hostCookieName } from './signed-cookies.js';

export type ReturnToSettings = Pick<Settings, 'issuer' | 'issuerPath' | 'basePath' | 'advanced'>;
export type ToLoginSettings = ReturnToSettings & Pick<Settings, 'login'>;

const COOKIE = 'oauth-way-back';
/** Seconds for a login, with a second factor and a mistyped password. */
const LIFE = 600;
/** Characters: browsers drop a cookie of more than 4096 bytes, including its name and attributes. */
const MAX_COOKIE = 3_800;
/**
 * Characters of the return path in the address of the login page and in its cookie together. nginx takes 4096 bytes of
 * headers from a site by default (`proxy_buffer_size`), and the site has headers of its own.
 */
const MAX_HEADERS = 2_800;
/** Seconds by which the clocks of two processes may differ. */
const SKEW = 60;
/** The pages that send users away to log in: no return path leads elsewhere. */
const PAGES = ['authorize', 'device', 'applications', 'authorizations', 'access-tokens'];
/** Characters that cookie values must not contain (RFC 6265 §4.1.1). An address may have them percent-encoded. */
const NO_COOKIE = /[",;\\]/g;
/** The parameter of a path that refers to the path in the cookie, and the length of the digest in it. */
const REFERENCE_PARAMETER = 'oauth_way_back';
const DIGEST_LENGTH = 22;
/** The parameters of a request that login pages read, and the length up to which they stay in the address. */
const LEGIBLE = ['client_id', 'redirect_uri', 'ui_locales'];
const MAX_LEGIBLE = 200;
const SOMEWHERE = 'http://same.invalid';

/**
 * A path to return to after the login that is safe to redirect to: on this site only. Anything else becomes `fallback`.
 * For a site's own login page: `res.redirect(safeReturnPath(req.query.return_to))`.
 *
 * @see RFC 9700 §4.11 (open redirectors)
 */
export function safeReturnPath(value: unknown, fallback = '/'): string {
  // browsers read \ as / and drop tabs and line breaks: '/\evil.example' and '/<tab>/evil.example' leave the site
  if (typeof value !== 'string' || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(value)) return fallback;
  if (!URL.canParse(value, SOMEWHERE)) return fallback;
  const url = new URL(value, SOMEWHERE);
  // '/..//evil.example' resolves to '//evil.example', which names another host
  return url.origin === SOMEWHERE && !url.pathname.startsWith('//') ? value : fallback;
}

/**
 * Sends a user to the site's login page, with the return path and hints for the login.
 *
 * A cookie carries the return path through the login, because a session does not survive it: Passport renews it against
 * fixation. The cookie holds only a path that anybody could open.
 *
 * @param leaving `status`: 302, or 303 if a form may have been sent; `returnPath`: the path on this site to return to
 */
export function sendToLogin(
  settings: ToLoginSettings,
  leaving: {
    readonly req: Request;
    readonly res: Response;
    readonly status: 302 | 303;
    readonly returnPath: string;
    readonly hints?: LoginHints;
  },
): void {
  const { req, res, status, returnPath, hints = {} } = leaving;
  // a page that another site embeds does not start a login
  const isToLogin = (req.headers['sec-fetch-dest'] ?? 'document') === 'document';
  const value = returnPath.replace(NO_COOKIE, encodeURIComponent);
  const path = isToLogin && value.length <= MAX_COOKIE && isReturnPage(settings, value) ? value : undefined;
  // only the authorization endpoint follows references; the paths of other pages are short
  const isReferred =
    path !== undefined &&
    encodeURIComponent(path).length + path.length > MAX_HEADERS &&
    path.split('?')[0] === pathOf(settings, 'authorize');
  // the site's function first: if it fails, no login begins
  const address = settings.login.addressOf(req, isReferred ? referenceTo(path) : returnPath, hints);
  if (path !== undefined)
    res.cookie(hostCookieName(settings, COOKIE), `${Math.floor(Date.now() / 1000) + LIFE}.${path}`, {
      ...hostCookieAttributes(settings),
      maxAge: LIFE * 1000,
      encode: String,
    });
  redirect(res, status, address);
}

/** A short path that refers to the path in this browser's cookie. */
function referenceTo(path: string): string {
  const [pathname = '', query = ''] = path.split('?');
  const form = parseForm(query);
  const name: Record<string, string> = {};
  for (const each of LEGIBLE) {
    const value = peekParameter(form, each);
    if (value !== undefined && value.length <= MAX_LEGIBLE) name[each] = value;
  }
  return `${pathname}?${formatForm({ ...name, [REFERENCE_PARAMETER]: digestOf(path) })}`;
}

/** Whether a request is for a path of `referenceTo`, which lacks the parameters of an authorization request. */
export function isReference(query: Form): boolean {
  return (
    peekParameter(query, REFERENCE_PARAMETER) !== undefined &&
    !['response_type', 'request', 'request_uri'].some((name) => hasParameter(query, name))
  );
}

/**
 * Redirects a request for a reference to the path in the cookie.
 *
 * @throws OAuthError invalid_request_uri if the cookie is gone, or has another path
 */
export function followReference(settings: ReturnToSettings): RequestHandler {
  return function followReferenceBack(req, res, next) {
    const query = queryOf(req);
    if (!isReference(query)) return next();
    const path = findReturnTo(settings, req);
    if (path === undefined || digestOf(path) !== peekParameter(query, REFERENCE_PARAMETER))
      throw new OAuthError('invalid_request_uri', 'the request is no longer there', {
        detail:
          'the request was too long for the address of the login page, and the cookie that had it is gone: it is ten minutes old, or another request has taken its place',
      });
    redirect(res, 303, path);
  };
}

function digestOf(path: string): string {
  return hashSecret(path).slice(0, DIGEST_LENGTH);
}

/** The return path in this browser's cookie; undefined if there is none, or it is too old. */
export function findReturnTo(settings: ReturnToSettings, req: Request): string | undefined {
  if (!hasReturnTo(settings, req)) return undefined;
  const values = cookiesNamed(req, hostCookieName(settings, COOKIE));
  // this server's cookie has one path: of two cookies, somebody else added one
  const [, end, path] = values.length === 1 ? (/^(\d{1,12})\.(.*)$/.exec(values[0]!) ?? []) : [];
  const left = Number(end) - Date.now() / 1000;
  if (path === undefined || !(left > 0 && left <= LIFE + SKEW)) return undefined;
  return isReturnPage(settings, path) ? path : undefined;
}

/** Only a search in one header, because every request of the site passes here. */
export function hasReturnTo(settings: ReturnToSettings, { headers: { cookie } }: Request): boolean {
  return cookie !== undefined && cookie.includes(hostCookieName(settings, COOKIE));
}

export function clearReturnTo(settings: ReturnToSettings, req: Request, res: Response): void {
  if (hasReturnTo(settings, req))
    res.clearCookie(hostCookieName(settings, COOKIE), hostCookieAttributes(settings));
}

/** Whether this server may have stored the path in a cookie. */
function isReturnPage(settings: ReturnToSettings, path: string): boolean {
  if (safeReturnPath(path, '') === '') return false;
  const { pathname } = new URL(path, settings.issuer);
  // dots would lead to another path than the text
  return path.split('?')[0] === pathname && isPagePath(settings, pathname);
}

export function isPagePath(settings: ReturnToSettings, pathname: string): boolean {
  return PAGES.some((name) => {
    const page = pathOf(settings, name);
    return pathname === page || pathname.startsWith(`${page}/`);
  });
}
