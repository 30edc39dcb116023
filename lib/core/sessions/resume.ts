import type { Request, RequestHandler, Response } from 'express';
import onHeaders from 'on-headers';

import type { Settings } from '../../settings/settings.js';
import { seeOther } from '../http/redirect.js';
import { personOf } from './resource-owner.js';
import { clearReturnTo, findReturnTo, hasReturnTo, isPagePath, type ReturnToSettings } from './return-to.js';

/**
 * Returns users who have just logged in to the page of this server that had sent them to the login: in place of the
 * redirect that ends the login, wherever it leads; otherwise from the first page that they open. This happens once and
 * decides nothing: the page checks the current user as always.
 */
export function createResume(settings: Settings): RequestHandler {
  const watched = new WeakSet<Response>();
  return function resumeAfterLogin(req, res, next) {
    if (!hasReturnTo(settings, req) || !isNavigation(req)) return next();
    // the request is for a page of this server; a proxy may have removed the issuer's path
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
 * Express has no hook before a response is sent; express-session replaces `end` as well. `onHeaders` is for sites that
 * send the head themselves, or begin with a body.
 */
function resumeAtRedirect(
  settings: Settings,
  { req, res }: { readonly req: Request; readonly res: Response },
): void {
  const { end } = res as unknown as { readonly end: (...args: unknown[]) => Response };
  let isDone = false;
  const takePath = (): string | undefined => {
    if (isDone) return undefined;
    isDone = true;
    if (res.headersSent || !REDIRECTS.includes(res.statusCode) || !res.hasHeader('Location'))
      return undefined;
    try {
      return personOf(settings, req) && consumeReturnTo(settings, { req, res });
    } catch {
      // the site's `isLoggedIn` may fail at the end of a response, which is then left as it is
      return undefined;
    }
  };
  Object.assign(res, {
    end(...args: unknown[]) {
      Object.assign(res, { end });
      const path = takePath();
      if (path === undefined) return end.apply(res, args);
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

/** The redirects that a browser follows by GET. */
const REDIRECTS: readonly number[] = [301, 302, 303];
const OF_BODY = ['Content-Length', 'Content-Type', 'ETag'];

/**
 * Reads and clears the return path of a user who has logged in; for a login whose response is no page, and whose script
 * follows the path.
 */
export function consumeReturnTo(
  settings: ReturnToSettings,
  { req, res }: { readonly req: Request; readonly res: Response },
): string | undefined {
  const path = findReturnTo(settings, req);
  clearReturnTo(settings, req, res);
  return path;
}

/** Whether a window opens another page: not a script, a frame or a prefetch. (Fetch Metadata) */
function isNavigation({ headers }: Request): boolean {
  if ((headers['sec-purpose'] ?? headers.purpose) !== undefined) return false;
  const { 'sec-fetch-mode': mode, 'sec-fetch-dest': destination } = headers;
  if (mode !== undefined) return mode === 'navigate' && destination === 'document';
  // browsers do not send these headers without TLS
  return (headers.accept ?? '').includes('text/html') && headers['x-requested-with'] === undefined;
}
