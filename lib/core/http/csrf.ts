import { Tokens } from '@fastify/csrf';
import type { Request } from 'express';

import { peekParameter } from '../../shared/protocol/parameters.js';
import { PageRefusal } from './page-error.js';
import { missingSession, saveSession } from './site-session.js';

/** SHA-256 of a secret of the session and of the form's user, with a new salt for each page. */
const tokens = new Tokens({ userInfo: true, secretLength: 32, saltLength: 16 });

/** The user of a form: `anybody` before the user is known, which cannot be a user's id. */
const ownerOf = (userId?: string) => (userId === undefined ? 'anybody' : `person ${userId}`);

interface CsrfSession {
  oauthCsrfSecret?: string;
}

/** Sessions whose new secret their store does not have yet. */
const withNewSecret = new WeakSet<CsrfSession>();

/**
 * The token that a form of this session must send back in the field `csrf_token`. The token differs on each page, so
 * that the length of compressed pages does not reveal it (BREACH).
 */
export function csrfTokenOf(req: Request): string {
  return tokens.create(secretOf(req), ownerOf());
}

/**
 * The token of a form that acts for one user: a session may outlive a login, and a form of one user must not count for
 * the next.
 */
export function personalCsrfTokenOf(req: Request, userId: string): string {
  return tokens.create(secretOf(req), ownerOf(userId));
}

/**
 * Stores a secret that this request has made. Call it before the page is sent: express-session sends all of a page but
 * its last byte before the store has answered, and a quick form would be refused.
 */
export async function saveCsrfSecret(req: Request): Promise<void> {
  const { session } = req as { readonly session?: CsrfSession };
  if (session !== undefined && withNewSecret.delete(session)) await saveSession(req);
}

/** Whether the form in `req.body` was made for this session, and for `userId` if present. */
export function hasCsrfToken(req: Request, userId?: string): boolean {
  return isTokenFor(req, 'csrf_token', ownerOf(userId));
}

/**
 * The token of a confirmation page: only somebody who saw that page in this session has the token, and it counts only
 * for this user and for the subject of that page.
 */
export function confirmationTokenOf(req: Request, userId: string, about: string): string {
  return tokens.create(secretOf(req), confirmed(userId, about));
}

/** Whether the form in `req.body` comes from that confirmation page. */
export function hasConfirmation(req: Request, userId: string, about: string): boolean {
  return isTokenFor(req, 'confirmation_token', confirmed(userId, about));
}

/**
 * @throws PageRefusal if the form was not made for this session, or not for this user
 * @see RFC 6749 §10.12
 */
export function verifyCsrfToken(req: Request, userId?: string): void {
  if (!hasCsrfToken(req, userId)) {
    throw new PageRefusal('this form is out of date; open the page again and repeat what you did', {
      detail: 'CSRF token missing, of another session or of another user',
      text: 'error.formOutOfDate',
    });
  }
}

function isTokenFor(req: Request, field: string, owner: string): boolean {
  const { oauthCsrfSecret: secret = '' } = sessionOf(req);
  const token = peekParameter(req.body, field);
  return token !== undefined && tokens.verify(secret, token, owner);
}

function confirmed(userId: string, about: string): string {
  return `confirmed ${JSON.stringify([userId, about])}`;
}

function secretOf(req: Request): string {
  const session = sessionOf(req);
  if (session.oauthCsrfSecret === undefined) {
    session.oauthCsrfSecret = tokens.secretSync();
    withNewSecret.add(session);
  }
  return session.oauthCsrfSecret;
}

function sessionOf(req: Request): CsrfSession {
  const { session } = req as { readonly session?: CsrfSession };
  if (session !== undefined) return session;
  throw missingSession(req);
}

/**
 * Whether the browser says that a page of this origin sent the form. Only then may a form without the CSRF token of
 * this session be displayed again with its contents: another site may have filled in the fields.
 *
 * @see Fetch Metadata Request Headers §2.3
 */
export function isFromSameOrigin(req: Request): boolean {
  return req.headers['sec-fetch-site'] === 'same-origin';
}
