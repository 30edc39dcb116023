import type { ClientRequest } from '../client-authentication/client-request.js';
import { heldScopes, type ResolveScopes } from '../clients/resolve-scopes.js';
import { heldDetails, narrowDetails } from '../details/compare-details.js';
import type { Grant } from '../grants/grant.js';
import type { GrantStore } from '../grants/grant-store.js';
import type { GrantIssueDependencies } from '../grants/issue-grant.js';
import type { ReadRefreshToken } from '../grants/migrated-tokens.js';
import type { PreparedTokens, TokenIssuer, TokenResponse } from '../grants/token-issuer.js';
import type { SharedFailures } from '../limits/shared-failures.js';
import type { Proof } from '../proofs/proof.js';
import type { Settings } from '../settings/settings.js';

/** A token request whose client is authenticated and allowed to use the grant type. */
export interface TokenRequest extends Omit<ClientRequest, 'proof' | 'certificate'> {
  /** What its tokens are bound to, if to anything. */
  readonly proof?: Proof | undefined;
}

/** @throws OAuthError */
export type HandleTokenRequest = (request: TokenRequest) => Promise<TokenResponse>;

/** What a grant type is called on the applications page. */
export interface GrantTypeTexts {
  readonly label: string;
  readonly meaning: string;
}

/**
 * One `grant_type`: a request in, a response out; it never sees `req` or `res`. A new one is a file here and a line in
 * the list of what is built in.
 *
 * @see RFC 6749 §4
 */
export interface GrantType<Name extends string = string> {
  /** The wire value. */
  readonly name: Name;
  /** Whether it is on unless the host says otherwise. Default: false. */
  readonly isDefault?: boolean;
  /** Its texts by language, unless the page texts have some under `grantType.<name>`. */
  readonly texts?: Readonly<Record<string, GrantTypeTexts>>;
  /** The request parameters it reads, beside those of the client's authentication. */
  readonly parameters: readonly string[];
  /**
   * Whether its tokens are of a grant that is stored already: that ends with its client, so the client need
   * not be read anew. Default: false.
   */
  readonly allowsCachedClient?: boolean;
  /** Whether it goes on with what was allowed before, for which resource that was is known then. Default: false. */
  readonly redeemsGrant?: boolean;
  /** The parameter that names whose secret is tried, if a person's can be guessed: failures on it are limited. */
  readonly throttledBy?: string;
  /** The errors by which nothing is refused yet: the client is to ask again. */
  readonly pendingErrors?: readonly string[];
  /** Whether what a person connects by it is a device. Default: false. */
  readonly connectsDevice?: boolean;
  /** Whether a request can name authorization details (RFC 9396 §6). Default: false. */
  readonly takesDetails?: boolean;
  /** The option that the host has to give with it, and why. */
  readonly needs?: { readonly option: string; readonly because: string };
  /** What the token endpoint does with it; absent if it is the authorization endpoint's alone. */
  create?(dependencies: GrantTypeDependencies): HandleTokenRequest;
}

/** What the grant types are made of. */
export interface GrantTypeDependencies extends GrantIssueDependencies {
  readonly settings: Settings;
  readonly grants: GrantStore;
  readonly resolveScopes: ResolveScopes;
  readonly readRefreshToken: ReadRefreshToken;
  /** Where limits of all processes are counted. */
  readonly failures: SharedFailures;
}

/** The first tokens of a grant that a person has authorized, prepared for the step that uses its code up. */
export async function prepareFirstTokens(
  {
    settings,
    issuer,
  }: {
    readonly settings: Pick<Settings, 'scopes' | 'impliedScopes' | 'authorizationDetails'>;
    readonly issuer: TokenIssuer;
  },
  grant: Grant,
  {
    client,
    resources,
    authorizationDetails,
    proof,
    now,
  }: Pick<TokenRequest, 'client' | 'resources' | 'authorizationDetails' | 'proof' | 'now'>,
): Promise<PreparedTokens> {
  const scopes = heldScopes(grant.authorization.scopes, client, settings);
  return issuer.prepare({
    grantId: grant.grantId,
    client,
    grantType: grant.grantType,
    authorization: grant.authorization,
    scopes,
    authorizationDetails: narrowDetails(
      authorizationDetails,
      heldDetails(grant.authorization.authorizationDetails, client, settings),
      settings,
    ),
    resources,
    withRefreshToken: issuer.givesRefreshToken(client),
    proof,
    authorizedAt: grant.createdAt,
    now,
  });
}
