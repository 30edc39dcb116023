import type { Request, RequestHandler, Response } from 'express';

import type { Settings } from '../../settings/settings.js';
import { seeOther } from '../http/redirect.js';
import { personOf } from './resource-owner.js';
import {
  clearReturnTo,
  findReturnTo,
  hasReturnTo,
  isForPageOfOwn,
  type ReturnToSettings,
} from './return-to.js';

type ResumeSettings = ReturnToSettings & Pick<Settings, 'isLoggedIn'>;

/**
 * Sends somebody who has just logged in to the page of ours that had sent them to the login: in the place of the
 * redirect with which their login ends, wherever that leads; otherwise from the first page that they open. Once, and this
 * decides nothing: the page asks what it always asks, of the person who is logged in now.
 */
export function createResume(settings: ResumeSettings): RequestHandler {
  const watched = new WeakSet<Response>();
  return function resumeAfterLogin(req, res, next) {
    if (!hasReturnTo(settings, req) || !isNavigation(req) || isForPageOfOwn(settings, req)) return next();
    if (personOf(settings, req) === undefined) {
      if (!watched.has(res)) resumeAtRedirect(settings, { req, res });
      watched.add(res);
      return next();
    }
    const path = req.method === 'GET' ? consumeReturnTo(settings, { req, res }) : undefined;
    if (path === undefined) return next();
    seeOther(res, path);
  };
}

/** Express has no hook for an answer that is about to be sent; express-session replaces `end` as well. */
function resumeAtRedirect(
  settings: ResumeSettings,
  { req, res }: { readonly req: Request; readonly res: Response },
): void {
  const end = res.end.bind(res);
  const send = end as (...given: unknown[]) => Response;
  res.end = ((...given: unknown[]) => {
    res.end = end;
    const isLogin = isRedirect(res) && isLoggedIn(settings, req);
    const path = isLogin ? consumeReturnTo(settings, { req, res }) : undefined;
    if (path === undefined) return send(...given);
    for (const name of ['Content-Length', 'Content-Type', 'ETag']) res.removeHeader(name);
    // without a body express-session stores the login before the browser gets anything (see http/redirect.ts)
    seeOther(res, path);
    return res;
  }) as typeof end;
}

/** Those that a browser follows by GET. */
function isRedirect(res: Response): boolean {
  return !res.headersSent && [301, 302, 303].includes(res.statusCode) && res.hasHeader('Location');
}

/** What the host asks about the request may fail when its answer ends; then the answer is left as it is. */
function isLoggedIn(settings: ResumeSettings, req: Request): boolean {
  try {
    return personOf(settings, req) !== undefined;
  } catch {
    return false;
  }
}

/**
 * The way back of a person who has logged in, once; for a login that answers with something other than a page and
 * leaves it to a script to go there.
 */
export function consumeReturnTo(
  settings: ReturnToSettings,
  { req, res }: { readonly req: Request; readonly res: Response },
): string | undefined {
  const path = findReturnTo(settings, req);
  clearReturnTo(settings, req, res);
  return path;
}

/** Forgets the way back when a person who is logged in comes to a page of ours. */
export function clearReturnToOnArrival(settings: ResumeSettings): RequestHandler {
  return function forgetOnArrival(req, res, next) {
    if (personOf(settings, req) !== undefined) clearReturnTo(settings, req, res);
    next();
  };
}

/** Whether a window goes to another page: not a script, a frame or a prefetch. (Fetch Metadata) */
function isNavigation({ headers }: Request): boolean {
  if ((headers['sec-purpose'] ?? headers.purpose) !== undefined) return false;
  const { 'sec-fetch-mode': mode, 'sec-fetch-dest': destination } = headers;
  if (mode !== undefined) return mode === 'navigate' && destination === 'document';
  // browsers do not send these headers without TLS
  return (headers.accept ?? '').includes('text/html') && headers['x-requested-with'] === undefined;
}
