import type { RequestHandler } from 'express';

import { isLoopbackHost } from '../../shared/protocol/redirect-uri.js';

/**
 * Warns once if a request comes for another host than the issuer says: the issuer may have been left out of the
 * environment, and every address that clients and users are given would be wrong. Requests on this machine by a host
 * that is loopback are health checks and the like.
 *
 * @param issuer the issuer
 * @param others other addresses at which the server is reached on purpose
 */
export function warnOfHost(issuer: string, others: readonly string[]): RequestHandler {
  const hosts = new Set([issuer, ...others].map((url) => new URL(url).hostname));
  let isReported = false;
  return function warnOfAnotherHost(req, _res, next) {
    const host = (req.hostname as string | undefined)?.toLowerCase();
    if (!isReported && host !== undefined && !hosts.has(host) && !isLoopbackHost(host)) {
      isReported = true;
      process.emitWarning(
        `express-authorization-server: a request came for ${host.slice(0, 100).replace(/[^\w.:[\]-]/g, '?')}, and the issuer is ${issuer}; if that is not the public URL of this site, look whether it is set where the site runs (process.env.ISSUER is read before dotenv has run, unless 'dotenv/config' is imported first). Behind a proxy write app.set('trust proxy', …)`,
        { code: 'EAS_HOST' },
      );
    }
    next();
  };
}
