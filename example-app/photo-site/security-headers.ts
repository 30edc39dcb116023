import type { RequestHandler } from 'express';
import helmet from 'helmet';

/**
 * Headers of the site's own pages. The authorization server's pages set their own policy, which allows the clients that
 * their forms lead to.
 */
export function securityHeaders(isPublic: boolean): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'"],
        formAction: ["'self'"],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    xFrameOptions: { action: 'deny' },
    strictTransportSecurity: isPublic,
    // it would cut a client off from the window that it opened for the login
    crossOriginOpenerPolicy: false,
  });
}
