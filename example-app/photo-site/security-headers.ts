import type { RequestHandler } from 'express';
import helmet from 'helmet';

const directives = {
  defaultSrc: ["'none'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'"],
  formAction: ["'self'"],
  baseUri: ["'none'"],
  frameAncestors: ["'none'"],
};

/**
 * Headers of the site's own pages. The authorization server's pages set their own policy, which allows the clients that
 * their forms lead to.
 */
export function securityHeaders(isPublic: boolean): RequestHandler {
  return helmet({
    contentSecurityPolicy: { useDefaults: false, directives },
    xFrameOptions: { action: 'deny' },
    strictTransportSecurity: isPublic,
    // it would cut a client off from the window that it opened for the login
    crossOriginOpenerPolicy: false,
  });
}

/** Swagger UI is a program with styles and pictures in its page, and calls the API. */
export const apiDocsPolicy: RequestHandler = helmet.contentSecurityPolicy({
  useDefaults: false,
  directives: {
    ...directives,
    scriptSrc: ["'self'"],
    styleSrc: ["'self'", "'unsafe-inline'"],
    imgSrc: ["'self'", 'data:'],
    connectSrc: ["'self'"],
  },
});
