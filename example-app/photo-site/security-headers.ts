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
 * Headers of the site's own pages. The authorization server's pages have their own policy, which allows the redirect
 * targets of their forms.
 */
export function securityHeaders(isPublic: boolean): RequestHandler {
  return helmet({
    contentSecurityPolicy: { useDefaults: false, directives },
    xFrameOptions: { action: 'deny' },
    strictTransportSecurity: isPublic,
    // it would separate a client from the window that it opened for the login
    crossOriginOpenerPolicy: false,
  });
}

/** Swagger UI has inline styles and pictures, and calls the API. */
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
