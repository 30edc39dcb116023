import type { Request } from 'express';

/** The name of a session, stored with its user: a session may outlive a login. */
export interface SessionOfSignIns {
  readonly session?: { oauthSignIn?: { readonly sid: string; readonly userId: string } };
}

/** The name by which clients know this session of this user; undefined if it has signed the user in at no client. */
export function sidOf(req: Request, userId: string): string | undefined {
  const stored = (req as SessionOfSignIns).session?.oauthSignIn;
  return stored?.userId === userId && typeof stored.sid === 'string' ? stored.sid : undefined;
}
