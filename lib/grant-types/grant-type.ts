import type { Client } from '../clients/client.js';
import type { Grant } from '../grants/grant.js';
import type { PreparedTokens, TokenIssuer, TokenResponse } from '../grants/token-issuer.js';
import type { Stores } from '../models/stores.js';
import type { Emit } from '../observability/events.js';
import type { Parameters } from '../protocol/parameters.js';
import type { Settings } from '../settings/settings.js';

/** A token request whose client is authenticated and allowed to use the grant type. */
export interface TokenRequest {
  readonly client: Client;
  readonly parameters: Parameters;
  /** The resources that the request names (RFC 8707 §2.2). */
  readonly resources: readonly string[];
  /** Says what happened, as an event of this request. */
  readonly emit: Emit;
}

/** One `grant_type` of the token endpoint: a request in, a response out; it never sees `req` or `res`. */
export interface GrantType {
  /** The wire value. */
  readonly grantType: string;
  /** The request parameters it reads, beside those of the client's authentication. */
  readonly parameters: readonly string[];
  /** Whether its tokens are of a grant that is stored already: that ends with its client, so the client need not be read anew. Default: false. */
  readonly goesByStoredGrant?: boolean;
  /** The parameter that names whose secret is tried, where a person's can be guessed: failures on it are limited. */
  readonly guessedFor?: string;
  /** @throws OAuthError */
  handle(request: TokenRequest): Promise<TokenResponse>;
}

/** What the grant types are made of. */
export interface GrantTypeDependencies {
  readonly settings: Settings;
  readonly models: Stores;
  readonly issuer: TokenIssuer;
  /** The scopes that a request names, or the default ones. */
  readonly resolveScopes: (client: Client, scope: string | undefined) => readonly string[];
}

/** The first tokens of a grant that a person has authorized, prepared for the step that uses its code up. */
export function prepareFirstTokens(
  issuer: TokenIssuer,
  grant: Grant,
  { client, resources }: Pick<TokenRequest, 'client' | 'resources'>,
): Promise<PreparedTokens> {
  return issuer.prepare({
    grantId: grant._id,
    client,
    userId: grant.userId,
    grantType: grant.grantType,
    scopes: grant.scopes,
    grantScopes: grant.scopes,
    withRefreshToken: issuer.givesRefreshToken(client),
    authorizedAt: grant.createdAt,
    resources,
    grantResources: grant.resources,
  });
}

/** What the events of a grant say of it. */
export function factsOf({ _id, clientId, userId, scopes }: Grant): {
  clientId: string;
  grantId: string;
  userId?: string;
  scopes: readonly string[];
} {
  return { clientId, grantId: _id, scopes, ...(userId !== undefined && { userId }) };
}
