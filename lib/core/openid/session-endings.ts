import type { Client } from '../clients/client.js';
import type { SignIn, SignInsOf } from './session-store.js';

/** A client with the sign-in that has ended there. */
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
  how?: LogoutNotification,
) => Promise<readonly EndedSignIn[]>;

export interface LogoutNotification {
  /** Whether a page with the frames of clients comes next. Default: no, and clients with only a frame are kept. */
  readonly isFramed?: boolean;
}

/** Tells clients that somebody has logged out. */
export interface LogoutSender {
  /** Stores what they are to be told; it is sent in the background. */
  add(signIns: readonly SignIn[], now: Date): Promise<void>;
  close(): Promise<void>;
}
