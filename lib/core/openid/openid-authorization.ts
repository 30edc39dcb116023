import type { Client } from '../clients/client.js';
import type { UserAuthentication } from '../sessions/user-authentication.js';

/** What a grant stores about an OpenID Connect request, and about the login during which the user allowed it. */
export interface OpenidAuthorization extends UserAuthentication {
  /** From the request, for the first ID token (OpenID Connect Core §2). */
  readonly nonce?: string;
  /** The requested single claims that the user allowed, as JSON. */
  readonly claims?: string;
  /** The scopes and claims that allowed the single claims, without the ones that the user withdrew later. */
  readonly claimScopes?: readonly string[];
  /** The client's preferred languages of the claims, the best first (OpenID Connect Core §5.2). */
  readonly claimsLocales?: readonly string[];
  /** The session of the login, as clients know it (OpenID Connect Back-Channel Logout §2.1). */
  readonly sid?: string;
}

/** The content of an ID token. */
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

/** Makes an ID token, which tells a client who logged in. @see OpenID Connect Core §2 */
export type CreateIdToken = (plan: IdTokenPlan) => Promise<string>;
