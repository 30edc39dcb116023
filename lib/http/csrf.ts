import { csrfSync } from 'csrf-sync';
import type { Request } from 'express';

import { PageRefusal } from './page-refusal.js';

const TOKEN_BYTES = 32;

const { generateToken, isRequestValid } = csrfSync({
  size: TOKEN_BYTES,
  getTokenFromRequest: (req) => (req.body as { csrf_token?: string } | undefined)?.csrf_token,
});

/** The token that a form of this session must send back in the field `csrf_token`. */
export function csrfTokenOf(req: Request): string {
  requireSession(req);
  return generateToken(req);
}

/** Whether the form in `req.body` was made for this session. */
export function hasCsrfToken(req: Request): boolean {
  requireSession(req);
  return isRequestValid(req);
}

/**
 * @throws PageRefusal where the form was not made for this session
 * @see RFC 6749 §10.12
 */
export function verifyCsrfToken(req: Request): void {
  if (!hasCsrfToken(req)) {
    throw new PageRefusal('this form is out of date; open the page again and repeat what you did', {
      detail: 'CSRF token missing or of another session',
      text: 'error.formOutOfDate',
    });
  }
}

function requireSession(req: Request): void {
  if ((req as { session?: unknown }).session !== undefined) return;
  throw new Error(
    'express-authorization-server: there is no session; write app.use(session({ … })) and app.use(passport.session()) before app.use(oauth.router)',
  );
}
