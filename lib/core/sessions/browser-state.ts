import type { Request, RequestHandler, Response } from 'express';

import type { Settings } from '../../settings/settings.js';
import { createSecret, tagOf } from '../../shared/crypto/secrets.js';
import { resourceOwnerOf } from './resource-owner.js';
import { sidOf } from './sign-in-session.js';
import { cookiesNamed } from './signed-cookies.js';

type BrowserStateSettings = Pick<Settings, 'issuer' | 'issuerPath' | 'openid' | 'serverSecret' | 'people'>;

export const BROWSER_STATE_COOKIE = 'oauth_browser_state';

/**
 * The state of this browser, which our page in frames of clients reads from a cookie. It changes with each login and
 * logout. If nobody is logged in, it is random, so that no page can guess from it whether somebody is.
 *
 * @returns undefined if the browser has none and needs none, or if session management is off
 * @see OpenID Connect Session Management §3.2
 */
export function noteBrowserState(
  settings: BrowserStateSettings,
  { req, res }: { readonly req: Request; readonly res: Response },
): string | undefined {
  if (!isOn(settings)) return undefined;
  const known = cookiesNamed(req, BROWSER_STATE_COOKIE).find((value) => /^~?[\w-]{1,100}$/.test(value));
  // the name of the session in which the user has signed in at a client
  const person = resourceOwnerOf(settings, req);
  const session = person && sidOf(req, settings.people.id(person));
  if (session === undefined && known === undefined) return undefined;
  const state =
    session === undefined ? nobodys(known) : tagOf(`browser state ${session}`, settings.serverSecret);
  if (state !== known) notifyBrowser(settings, res, state);
  return state;
}

/** The same for a response to a client, which always has a state. */
export function beginBrowserState(
  settings: BrowserStateSettings,
  context: { readonly req: Request; readonly res: Response },
): string {
  const recorded = noteBrowserState(settings, context);
  if (recorded !== undefined) return recorded;
  const state = nobodys(undefined);
  notifyBrowser(settings, context.res, state);
  return state;
}

/** Goes before the site's own handlers, so that a login or logout there is noticed on the page after it. */
export function withBrowserState(settings: BrowserStateSettings, next: RequestHandler): RequestHandler {
  if (!isOn(settings)) return next;
  return function browserState(req, res, done) {
    noteBrowserState(settings, { req, res });
    return next(req, res, done);
  };
}

function isOn({ openid }: BrowserStateSettings): boolean {
  return openid !== false && openid.sessionManagement;
}

/** Stays the same as long as nobody logs in. */
function nobodys(known: string | undefined): string {
  return known?.startsWith('~') === true ? known : `~${createSecret()}`;
}

/**
 * OpenID Connect Session Management §3.2: a script reads it, so it says nothing about the user; it is sent in frames
 * of other sites (SameSite).
 */
function notifyBrowser({ issuer, issuerPath }: BrowserStateSettings, res: Response, state: string): void {
  const isSecure = issuer.startsWith('https:');
  res.cookie(BROWSER_STATE_COOKIE, state, {
    path: issuerPath || '/',
    secure: isSecure,
    sameSite: isSecure ? 'none' : 'lax',
    httpOnly: false,
    encode: String,
  });
}
