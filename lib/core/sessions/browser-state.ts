import type { Request, RequestHandler, Response } from 'express';

import type { Settings } from '../../settings/settings.js';
import { createSecret, tagOf } from '../../shared/crypto/secrets.js';
import { resourceOwnerOf } from './resource-owner.js';
import { sidOf } from './sign-in-session.js';
import { cookiesNamed } from './signed-cookies.js';

export const BROWSER_STATE_COOKIE = 'oauth_browser_state';

/**
 * The state of this browser in a cookie, which the page in frames of clients reads. It changes with each login and
 * logout. If nobody is logged in, the state is random, so that no page can infer from it whether somebody is.
 *
 * @param context `isForClient`: a response to a client always has a state. Default: no state is made for a visitor
 * @returns undefined if the browser has no state and needs none, or if session management is off
 * @see OpenID Connect Session Management §3.2
 */
export function noteBrowserState(
  { issuer, issuerPath, openid, people, serverSecret }: Settings,
  context: { readonly req: Request; readonly res: Response; readonly isForClient?: boolean },
): string | undefined {
  if (!openid || !openid.sessionManagement) return undefined;
  const { req, res, isForClient = false } = context;
  const existing = cookiesNamed(req, BROWSER_STATE_COOKIE).find((value) => /^~?[\w-]{1,100}$/.test(value));
  // the name of the session in which the user signed in at a client
  const person = resourceOwnerOf({ people }, req);
  const session = person && sidOf(req, people.id(person));
  if (session === undefined && existing === undefined && !isForClient) return undefined;
  // a visitor's state stays the same until a login
  const nobodys = existing?.startsWith('~') === true ? existing : `~${createSecret()}`;
  const state = session === undefined ? nobodys : tagOf(`browser state ${session}`, serverSecret);
  if (state === existing) return state;
  // §3.2: scripts read the cookie, so its value is a hash; `SameSite=None` sends it in frames of other sites
  const isSecure = issuer.startsWith('https:');
  res.cookie(BROWSER_STATE_COOKIE, state, {
    path: issuerPath || '/',
    secure: isSecure,
    sameSite: isSecure ? 'none' : 'lax',
    httpOnly: false,
    encode: String,
  });
  return state;
}

/** Wraps the site's handlers, so that the page after a login or logout there updates the state. */
export function withBrowserState(settings: Settings, next: RequestHandler): RequestHandler {
  if (!settings.openid || !settings.openid.sessionManagement) return next;
  return function browserState(req, res, done) {
    noteBrowserState(settings, { req, res });
    return next(req, res, done);
  };
}
