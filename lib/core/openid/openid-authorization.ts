import type { Client } from '../clients/client.js';
import type { UserAuthentication } from '../sessions/user-authentication.js';

/** What a grant keeps of a request to sign somebody in, and of the login during which it was allowed. */
export interface OpenidAuthorization extends UserAuthentication {
  /** From the request, for the first ID token (OpenID Connect Core §2). */
  readonly nonce?: string;
  /** Single claims that were asked for and allowed, as JSON. */
  readonly claims?: string;
  /** The scopes and claims by which these were allowed, without what was taken back later. */
  readonly claimScopes?: readonly string[];
  /** The client's preferred languages for them, the best first (OpenID Connect Core §5.2). */
  readonly claimsLocales?: readonly string[];
  /** The session of the login, as clients know it (OpenID Connect Back-Channel Logout §2.1). */
  readonly sid?: string;
}

/** What an ID token is made of. */
export interface IdTokenPlan {
  readonly client: Client;
  readonly userId: string;
  readonly openid: OpenidAuthorization;
  readonly scopes: readonly string[];
  readonly accessToken?: string | undefined;
  readonly code?: string | undefined;
  readonly isRefreshed: boolean;
  readonly now: Date;
}

/** Makes an ID token, which tells a client who has logged in. @see OpenID Connect Core §2 */
export type CreateIdToken = (plan: IdTokenPlan) => Promise<string>;
