import type { Request, RequestHandler, Response } from 'express';
import onHeaders from 'on-headers';

import type { Settings } from '../../settings/settings.js';
import { seeOther } from '../http/redirect.js';
import { personOf } from './resource-owner.js';
import { clearReturnTo, findReturnTo, hasReturnTo, isPagePath, type ReturnToSettings } from './return-to.js';

/**
 * Sends somebody who has just logged in to the page of ours that had sent them to the login: in the place of the
 * redirect with which their login ends, wherever that leads; otherwise from the first page that they open. Once, and this
 * decides nothing: the page asks what it always asks, of the user who is logged in now.
 */
export function createResume(settings: Settings): RequestHandler {
  const watched = new WeakSet<Response>();
  return function resumeAfterLogin(req, res, next) {
    if (!hasReturnTo(settings, req) || !isNavigation(req)) return next();
    // the request is for such a page; a proxy may have taken the issuer's path off
    const [pathname = ''] = req.originalUrl.split('?');
    if (isPagePath(settings, pathname) || isPagePath({ ...settings, issuerPath: '' }, pathname))
      return next();
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

/**
 * Express has no hook for an answer that is about to be sent; express-session replaces `end` as well. `onHeaders` is for
 * sites that send the head by themselves, or begin with a body.
 */
function resumeAtRedirect(
  settings: Settings,
  { req, res }: { readonly req: Request; readonly res: Response },
): void {
  const { end } = res as unknown as { readonly end: (...given: unknown[]) => Response };
  let isDone = false;
  const takePath = (): string | undefined => {
    if (isDone) return undefined;
    isDone = true;
    if (res.headersSent || !REDIRECTS.includes(res.statusCode) || !res.hasHeader('Location'))
      return undefined;
    try {
      return personOf(settings, req) && consumeReturnTo(settings, { req, res });
    } catch {
      // what the site asks about the request may fail when its answer ends: the answer is left as it is
      return undefined;
    }
  };
  Object.assign(res, {
    end(...given: unknown[]) {
      Object.assign(res, { end });
      const path = takePath();
      if (path === undefined) return end.apply(res, given);
      for (const name of OF_BODY) res.removeHeader(name);
      // without a body express-session stores the login before the browser gets anything (see http/redirect.ts)
      seeOther(res, path);
      return res;
    },
  });
  onHeaders(res, () => {
    const path = takePath();
    if (path !== undefined) res.status(303).set({ Location: path, 'Cache-Control': 'no-store' });
  });
}

/** Those that a browser follows by GET. */
const REDIRECTS: readonly number[] = [301, 302, 303];
const OF_BODY = ['Content-Length', 'Content-Type', 'ETag'];

/**
 * The way back of a user who has logged in, once; for a login that answers with something other than a page and
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

/** Whether a window goes to another page: not a script, a frame or a prefetch. (Fetch Metadata) */
function isNavigation({ headers }: Request): boolean {
  if ((headers['sec-purpose'] ?? headers.purpose) !== undefined) return false;
  const { 'sec-fetch-mode': mode, 'sec-fetch-dest': destination } = headers;
  if (mode !== undefined) return mode === 'navigate' && destination === 'document';
  // browsers do not send these headers without TLS
  return (headers.accept ?? '').includes('text/html') && headers['x-requested-with'] === undefined;
}
