import { csrfSync } from 'csrf-sync';
import type { Request } from 'express';

import { equalText, macOf } from '../crypto/secrets.js';
import { PageRefusal } from './page-refusal.js';

const TOKEN_BYTES = 32;

const { generateToken, isRequestValid } = csrfSync({
  size: TOKEN_BYTES,
  getTokenFromRequest: (req) => tokenIn(req).ofSession,
});

/** The token that a form of this session must send back in the field `csrf_token`. */
export function csrfTokenOf(req: Request): string {
  requireSession(req);
  return generateToken(req);
}

/**
 * The same, for a form that speaks for the person it was made for: a session may outlive a login, and what one
 * has read and sent must not count for the next.
 */
export function personalCsrfTokenOf(req: Request, userId: string): string {
  const token = csrfTokenOf(req);
  return `${token}.${macOf(token, userId)}`;
}

/** Whether the form in `req.body` was made for this session, and for this person if one is named. */
export function hasCsrfToken(req: Request, userId?: string): boolean {
  requireSession(req);
  if (!isRequestValid(req)) return false;
  const { ofSession = '', ofPerson = '' } = tokenIn(req);
  return userId === undefined || equalText(ofPerson, macOf(ofSession, userId));
}

/**
 * @throws PageRefusal where the form was not made for this session, or not for this person
 * @see RFC 6749 §10.12
 */
export function verifyCsrfToken(req: Request, userId?: string): void {
  if (!hasCsrfToken(req, userId)) {
    throw new PageRefusal('this form is out of date; open the page again and repeat what you did', {
      detail: 'CSRF token missing, of another session or of another person',
      text: 'error.formOutOfDate',
    });
  }
}

function tokenIn({ body }: Request): { readonly ofSession?: string; readonly ofPerson?: string } {
  const { csrf_token: token } = (body ?? {}) as { readonly csrf_token?: unknown };
  if (typeof token !== 'string') return {};
  const [ofSession = '', ofPerson = ''] = token.split('.');
  return { ofSession, ofPerson };
}

function requireSession(req: Request): void {
  if ((req as { session?: unknown }).session !== undefined) return;
  throw new Error(
    'express-authorization-server: there is no session; write app.use(session({ … })) and app.use(passport.session()) before app.use(oauth.router)',
  );
}
