import type { Request, RequestHandler, Response } from 'express';

import { createSecret } from '../crypto/secrets.js';
import { tagOf } from '../crypto/tags.js';
import type { Settings } from '../settings/settings.js';
import { cookiesNamed } from './cookies.js';
import { resourceOwnerOf } from './resource-owner.js';
import { sidOf } from './sign-in-session.js';

type BrowserStateSettings = Pick<
  Settings,
  'issuer' | 'issuerPath' | 'openid' | 'serverSecret' | 'userId' | 'isLoggedIn'
>;

export const BROWSER_STATE_COOKIE = 'oauth_browser_state';

/**
 * The state of this browser, as our page in frames of clients reads it from a cookie: another one after each login and
 * logout, and of nobody's too hard to guess for a page that would like to know whether somebody is logged in.
 *
 * @returns undefined if the browser has none, and needs none; or if that is off
 * @see OpenID Connect Session Management §3.2
 */
export function noteBrowserState(
  settings: BrowserStateSettings,
  { req, res }: { readonly req: Request; readonly res: Response },
): string | undefined {
  if (!isOn(settings)) return undefined;
  const known = knownState(req);
  const session = sessionOf(settings, req);
  if (session === undefined && known === undefined) return undefined;
  const state =
    session === undefined ? nobodys(known) : tagOf(`browser state ${session}`, settings.serverSecret);
  if (state !== known) tellBrowser(settings, res, state);
  return state;
}

/** The same for an answer to a client, which always has one. */
export function beginBrowserState(
  settings: BrowserStateSettings,
  asked: { readonly req: Request; readonly res: Response },
): string {
  const noted = noteBrowserState(settings, asked);
  if (noted !== undefined) return noted;
  const state = nobodys(undefined);
  tellBrowser(settings, asked.res, state);
  return state;
}

/** In front of what the host answers itself, so that a login or logout of its own is noticed by the page after it. */
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

/** The name of the session by which the person has signed in somewhere. */
function sessionOf(settings: BrowserStateSettings, req: Request): string | undefined {
  const person = resourceOwnerOf(settings, req);
  return person && sidOf(req, settings.userId(person));
}

/** It stays as it is as long as nobody logs in. */
function nobodys(known: string | undefined): string {
  return known?.startsWith('~') === true ? known : `~${createSecret()}`;
}

function knownState(req: Request): string | undefined {
  return cookiesNamed(req, BROWSER_STATE_COOKIE).find((value) => /^~?[\w-]{1,100}$/.test(value));
}

/** §3.2: for a script to read, so it says nothing of the person; and in frames of other sites (SameSite). */
function tellBrowser({ issuer, issuerPath }: BrowserStateSettings, res: Response, state: string): void {
  const isSecure = issuer.startsWith('https:');
  res.cookie(BROWSER_STATE_COOKIE, state, {
    path: issuerPath || '/',
    secure: isSecure,
    sameSite: isSecure ? 'none' : 'lax',
    httpOnly: false,
    encode: String,
  });
}
