import { randomUUID } from 'node:crypto';

import type { Request } from 'express';

/** A session that clients know by a separate name. */
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
