import type { RequestHandler } from 'express';
import helmet from 'helmet';

/**
 * Headers of the site's own pages. Those of the authorization server set their own policy, with the clients that
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
    // would cut a client off the window it opened for the login
    crossOriginOpenerPolicy: false,
  });
}
