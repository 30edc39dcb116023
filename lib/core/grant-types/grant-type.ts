import type { Settings } from '../../settings/settings.js';
import type { KnownGrantType } from '../../settings/table/registry.js';
import type { SharedFailures } from '../../shared/limits/failure-limit.js';
import { narrowDetails, stillRegisteredDetails } from '../authorization-details/compare-details.js';
import { unusedDetails } from '../authorization-details/single-use.js';
import type { ClientRequest } from '../client-authentication/client-request.js';
import type { ClientAuthenticationRequest } from '../client-authentication/method.js';
import type { AssertionIds } from '../client-authentication/verify-assertion.js';
import type { Client } from '../clients/client.js';
import { type ResolveScopes, stillRegisteredScopes } from '../clients/resolve-scopes.js';
import type { Grant } from '../grants/grant.js';
import type { GrantIssueDependencies } from '../grants/issue-grant.js';
import { kindOf } from '../grants/named-token.js';
import type { AccessTokens } from '../grants/tokens/access-tokens.js';
import type { ReadRefreshToken } from '../grants/tokens/migrated-tokens.js';
import type { GeneratedTokens, TokenResponse } from '../grants/tokens/token-issuer.js';
import type { TokenSpec } from '../grants/tokens/token-plan.js';
import type { ReportChange } from '../observability/events.js';
import type { Proof } from '../proof-of-possession/binding.js';

/** A token request whose client is authenticated and allowed to use the grant type: made once, passed whole. */
export interface TokenContext extends ClientRequest {
  readonly proof?: Proof | undefined;
}

export interface GrantTypeTexts {
  readonly label: string;
  readonly meaning: string;
}

/** The flow of a grant type in OpenAPI documents. @see OpenAPI 3.2 §4.29 (OAuth Flows Object) */
export interface OpenApiFlow {
  readonly name: string;
  /** The names of its members that are URLs, each with the name of the endpoint. */
  readonly urls: Readonly<Record<string, string>>;
  /** The first version of OpenAPI that has it. Default: 3.0. */
  readonly since?: '3.2';
}

/**
 * One `grant_type`: a request in, a response out; it never sees `req` or `res`. A new one is a file here and a line in
 * the list of what is built in.
 *
 * @see RFC 6749 §4
 */
export interface GrantType<Name extends string = string> extends KnownGrantType {
  readonly name: Name;
  /** Its texts by language, unless the page texts have some under `grantType.<name>`. */
  readonly texts?: Readonly<Record<string, GrantTypeTexts>>;
  readonly parameters: readonly string[];
  /** Those that it reads and that may be repeated, besides `resource`. Default: none. */
  readonly repeatable?: readonly string[];
  /**
   * Whether it redeems a grant that is stored and that ends when its client is blocked or deleted, so that the client
   * may come from the cache. Default: false.
   */
  readonly allowsCachedClient?: boolean;
  /** Whether the request need not name a resource, because a grant or an assertion says it. Default: false. */
  readonly mayOmitResource?: boolean;
  /** The errors that do not refuse the request yet: the client is to ask again. */
  readonly pendingErrors?: readonly string[];
  /** Whether a user connects a device with it. Default: false. */
  readonly connectsDevice?: boolean;
  /** Whether a request can name authorization details (RFC 9396 §6). Default: false. */
  readonly takesDetails?: boolean;
  /**
   * Finds the client of a request that has no client credentials, by what it presents instead; nothing is proven yet.
   * Default: each client authenticates. (RFC 7521 §4.1)
   */
  createIdentifyUnauthenticated?(settings: Settings): IdentifyUnauthenticated;
  /** Its flow in OpenAPI documents. Default: they have none for it. */
  readonly openapiFlow?: OpenApiFlow;
  /** What the token endpoint does with it; absent if only the authorization endpoint has it. */
  create?(dependencies: GrantTypeDependencies): (context: TokenContext) => Promise<TokenResponse>;
}

/** Undefined: the client has to authenticate. @throws OAuthError if nobody can be meant */
export type IdentifyUnauthenticated = (
  request: Pick<ClientAuthenticationRequest, 'authorization' | 'parameters' | 'now'>,
) => Client | undefined | Promise<Client | undefined>;

export interface GrantTypeDependencies extends GrantIssueDependencies {
  readonly settings: Settings;
  readonly resolveScopes: ResolveScopes;
  readonly readRefreshToken: ReadRefreshToken;
  readonly accessTokens: AccessTokens;
  readonly assertionIds: AssertionIds;
  readonly failures: SharedFailures;
  readonly reportChange: ReportChange;
}

/** The grant types that are on at the token endpoint, by name, each ready to take requests. */
export function createGrantHandlers(grantTypes: readonly GrantType[], dependencies: GrantTypeDependencies) {
  const { settings } = dependencies;
  const handlers = grantTypes.flatMap((grantType) => {
    const handle = grantType.create?.(dependencies);
    const identifyUnauthenticated = grantType.createIdentifyUnauthenticated?.(settings);
    return handle === undefined ? [] : { ...grantType, handle, identifyUnauthenticated };
  });
  return new Map(handlers.map((handler) => [handler.name, handler]));
}

/**
 * Generates tokens of a stored grant, with the scopes and details that its client is still registered for.
 *
 * @param selection which tokens the request asks for. Default: those of the grant type by which the grant was made, with
 *   all scopes of the grant, and a refresh token if the server and the client use them
 */
export async function generateTokens(
  { settings, issuer }: GrantTypeDependencies,
  grant: Grant,
  context: TokenContext,
  selection: Partial<TokenSpec> = {},
): Promise<GeneratedTokens> {
  const { client } = context;
  const { authorization } = grant;
  const {
    grantType = grant.grantType,
    scopes = authorization.scopes,
    withRefreshToken = issuer.givesRefreshToken(client),
    refreshTokenFamily,
  } = selection;
  // RFC 9396 §6: the details that are not used up, whose types this server and the client still have, and within which
  // lies what the request names; most grants and requests have none
  let { authorizationDetails = [] } = authorization;
  if (authorizationDetails.length > 0 || context.authorizationDetails !== undefined) {
    const unused = unusedDetails(authorizationDetails, grant, settings);
    const registered = stillRegisteredDetails(unused, client, settings);
    authorizationDetails = narrowDetails(context.authorizationDetails, registered, settings);
  }
  return issuer.generate(context, {
    grantId: grant.grantId,
    grantType,
    authorization,
    scopes: stillRegisteredScopes(scopes, client, settings),
    authorizationDetails,
    withRefreshToken,
    refreshTokenFamily,
    kind: kindOf(grant),
    grantCreatedAt: grant.createdAt,
  });
}
