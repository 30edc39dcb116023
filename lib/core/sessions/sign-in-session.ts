import { randomUUID } from 'node:crypto';

import type { Request } from 'express';

import {
  type Answering,
  type CookieKind,
  keepSigned,
  type SignedCookieSettings,
  takeSigned,
} from './signed-cookies.js';

interface SessionOfSignIns {
  readonly session?: { oauthSignIn?: { readonly sid: string; readonly userId: string } };
}

/** The name by which clients know this session of this user; undefined if it has signed them in at none. */
export function sidOf(req: Request, userId: string): string | undefined {
  const known = (req as SessionOfSignIns).session?.oauthSignIn;
  // a session may outlive a login: the name is one user's
  return known?.userId === userId && typeof known.sid === 'string' ? known.sid : undefined;
}

/**
 * The same, or a new one if there is none. Undefined without a session.
 *
 * @param findBefore finds the name of the same user's session that a new login has replaced
 */
export function beginSid(
  req: Request,
  userId: string,
  findBefore: () => string | undefined = () => undefined,
): string | undefined {
  const { session } = req as SessionOfSignIns;
  if (session === undefined) return undefined;
  const known = sidOf(req, userId);
  if (known !== undefined) return known;
  // not the id of the session: whoever knows that could use the session
  const sid = findBefore() ?? randomUUID();
  session.oauthSignIn = { sid, userId };
  return sid;
}

const SESSION_NAME: CookieKind = { name: 'oauth-session-name', purpose: 'session' };

/**
 * Keeps the name of a session through a login that a client asks for. A user who logs in again has not logged out, so
 * the clients of the previous login must be told when they finally log out. The name gives no access.
 *
 * @see OpenID Connect Core §3.1.2.1, Back-Channel Logout §2.1
 */
export function keepSid(settings: SignedCookieSettings, context: Answering): void {
  const sid = sidOf(context.req, context.userId);
  if (sid !== undefined) keepSigned(settings, SESSION_NAME, context, sid);
}

/** The name that was kept, once; undefined if there is none, if it is too old, or if it is another user's. */
export function takeSid(settings: SignedCookieSettings, context: Answering): string | undefined {
  return takeSigned(settings, SESSION_NAME, context);
}
