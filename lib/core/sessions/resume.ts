import type { Request, RequestHandler, Response } from 'express';

import type { Settings } from '../../settings/settings.js';
import { seeOther } from '../http/redirect.js';
import { personOf } from './resource-owner.js';
import { findWayBack, forgetWayBack, hasWayBack, isForPageOfOurs, type WayBackSettings } from './way-back.js';

type ResumeSettings = WayBackSettings & Pick<Settings, 'isLoggedIn'>;

/**
 * Sends somebody who has just logged in to the page of ours that had sent them to the login: from the first page that
 * they open, once, wherever their login led them. This decides nothing: the page asks what it always asks, of the
 * person who is logged in now.
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
 * The way back of a person who has logged in, once; for a login that answers with something other than a page and
 * leaves it to a script to go there.
 */
export function takeWayBack(
  settings: WayBackSettings,
  { req, res }: { readonly req: Request; readonly res: Response },
): string | undefined {
  const path = findWayBack(settings, req);
  forgetWayBack(settings, req, res);
  return path;
}

/** Forgets the way back when a person who is logged in comes to a page of ours. */
export function endWayBack(settings: ResumeSettings): RequestHandler {
  return function forgetOnArrival(req, res, next) {
    if (personOf(settings, req) !== undefined) forgetWayBack(settings, req, res);
    next();
  };
}

/** Whether a person opens a page in a window: not a script, a frame or a prefetch. (Fetch Metadata) */
function isPageOpened({ method, headers }: Request): boolean {
  if (method !== 'GET' || (headers['sec-purpose'] ?? headers.purpose) !== undefined) return false;
  const { 'sec-fetch-mode': mode, 'sec-fetch-dest': destination } = headers;
  if (mode !== undefined) return mode === 'navigate' && destination === 'document';
  // browsers do not send these headers without TLS
  return (headers.accept ?? '').includes('text/html') && headers['x-requested-with'] === undefined;
}
