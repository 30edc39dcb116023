import type { Client } from '../clients/client.js';

/** A client at which somebody has signed in from one session here, and that is to hear when the session ends. */
export interface SignIn {
  /** The session, as clients know it (OpenID Connect Back-Channel Logout §2.1). */
  readonly sid: string;
  readonly userId: string;
  readonly clientId: string;
  readonly at: Date;
  readonly expiresAt: Date;
}

/** Whose sign-ins: all of a user, or those of one session, at one client. */
export interface SignInsOf {
  readonly userId: string;
  readonly sid?: string | undefined;
  readonly clientId?: string | undefined;
}

export interface EndedSignIn {
  readonly client: Client;
  readonly signIn: SignIn;
  /** The id by which this client knows the session; undefined if that can no longer be told. */
  readonly sid: string | undefined;
}

/**
 * Ends the sign-ins of a user, or of one session of theirs: clients are told by the back channel, and their grants
 * from it end. What they are to be told is stored before anything else is done.
 *
 * @returns the sign-ins that there were
 */
export type EndSignIns = (
  of: SignInsOf,
  now: Date,
  /** Whether a page with the frames of clients comes next. Default: no, and clients with only a frame are kept. */
  how?: { readonly isFramed?: boolean },
) => Promise<readonly EndedSignIn[]>;
