import type { Request, RequestHandler, Response } from 'express';

import type { Settings } from '../settings/settings.js';
import { seeOther } from './redirect.js';
import { personOf } from './resource-owner.js';
import { findWayBack, forgetWayBack, hasWayBack, isForPageOfOurs, type WayBackSettings } from './way-back.js';

type ResumeSettings = WayBackSettings & Pick<Settings, 'isLoggedIn'>;

/**
 * Sends whoever has just logged in on to the page of ours that had sent them to the login: from the first page that
 * they open, once, wherever their login led them. Nothing is decided by that: the page asks what it always asks, of
 * the person who is logged in now.
 */
export function createResume(settings: ResumeSettings): RequestHandler {
  return function resumeAfterLogin(req, res, next) {
    if (!hasWayBack(settings, req) || !isPageOpened(req)) return next();
    if (personOf(settings, req) === undefined || isForPageOfOurs(settings, req)) return next();
    const path = takeWayBack(settings, { req, res });
    if (path === undefined) return next();
    seeOther(res, path);
  };
}

/**
 * The way back of a person who has logged in, once; for a login that answers something else than a page, and leaves it
 * to a script to go there.
 */
export function takeWayBack(
  settings: WayBackSettings,
  { req, res }: { readonly req: Request; readonly res: Response },
): string | undefined {
  const path = findWayBack(settings, req);
  forgetWayBack(settings, req, res);
  return path;
}

/** Who is logged in and has come to a page of ours needs no way back any more. */
export function endWayBack(settings: ResumeSettings): RequestHandler {
  return function forgetOnArrival(req, res, next) {
    if (personOf(settings, req) !== undefined) forgetWayBack(settings, req, res);
    next();
  };
}

/**
 * Whether a person opens a page in a window: no script asks, no frame, and nothing is fetched ahead. (Fetch Metadata)
 */
function isPageOpened({ method, headers }: Request): boolean {
  if (method !== 'GET' || (headers['sec-purpose'] ?? headers.purpose) !== undefined) return false;
  const { 'sec-fetch-mode': mode, 'sec-fetch-dest': destination } = headers;
  if (mode !== undefined) return mode === 'navigate' && destination === 'document';
  // browsers say none of that without TLS
  return (headers.accept ?? '').includes('text/html') && headers['x-requested-with'] === undefined;
}
