import type { Client } from '../clients/client.js';

/** A user's sign-in at a client from one session here; the client is notified when the session ends. */
export interface SignIn {
  /** The session, as clients know it (OpenID Connect Back-Channel Logout §2.1). */
  readonly sid: string;
  readonly userId: string;
  readonly clientId: string;
  readonly at: Date;
  readonly expiresAt: Date;
}

/** Filters sign-ins: all sign-ins of a user, or those of one session or at one client. */
export interface SignInsOf {
  readonly userId: string;
  readonly sid?: string | undefined;
  readonly clientId?: string | undefined;
}

export interface EndedSignIn {
  readonly client: Client;
  readonly signIn: SignIn;
  /** The id by which this client knows the session; undefined if it can no longer be determined. */
  readonly sid: string | undefined;
}

/**
 * Ends the sign-ins of a user, or of one of the user's sessions: clients are notified by the back channel, and the
 * grants of the sign-ins end. The notifications are stored before anything else is done.
 *
 * @returns the ended sign-ins
 */
export type EndSignIns = (
  of: SignInsOf,
  now: Date,
  /** Whether a page with clients' frames follows. Default: no, and sign-ins at clients with only a frame are kept. */
  how?: { readonly isFramed?: boolean },
) => Promise<readonly EndedSignIn[]>;
