import { randomUUID } from 'node:crypto';

import type { Request } from 'express';

/** A session that clients know by a name of its own. */
interface SessionOfSignIns {
  readonly session?: { oauthSignIn?: { readonly sid: string; readonly userId: string } };
}

/** The name by which clients know this session of this person; undefined if they have signed in nowhere by it. */
export function sidOf(req: Request, userId: string): string | undefined {
  const known = (req as SessionOfSignIns).session?.oauthSignIn;
  // a session may outlive a login: the name is one person's
  return known?.userId === userId && typeof known.sid === 'string' ? known.sid : undefined;
}

/**
 * The same, and a new one if there is none. Undefined without a session.
 *
 * @param findBefore that of a session of the same person which a new login has taken the place of
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
  // not the id of the session, by which whoever knows it could use it
  const sid = findBefore() ?? randomUUID();
  session.oauthSignIn = { sid, userId };
  return sid;
}
