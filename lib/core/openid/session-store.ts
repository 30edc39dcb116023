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

/** Who is signed in where. (OpenID Connect Back-Channel Logout §2.3) */
export interface SignInStore {
  /** One that exists already gets the new times. */
  keep(signIn: SignIn): Promise<void>;
  find(of: SignInsOf): Promise<SignIn[]>;
  remove(of: SignInsOf & { readonly clientIds: readonly string[] }): Promise<void>;
}
