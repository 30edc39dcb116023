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
  /** The URL members of the flow, each with the name of its endpoint. */
  readonly urls: Readonly<Record<string, string>>;
  /** The first version of OpenAPI that has the flow. Default: 3.0. */
  readonly since?: '3.2';
}

/**
 * One `grant_type`: a request in, a response out; it never sees `req` or `res`. A new one is a file here and a line in
 * the list of built-in grant types.
 *
 * @see RFC 6749 §4
 */
export interface GrantType<Name extends string = string> extends KnownGrantType {
  readonly name: Name;
  /** The texts by language, unless the page texts have some under `grantType.<name>`. */
  readonly texts?: Readonly<Record<string, GrantTypeTexts>>;
  readonly parameters: readonly string[];
  /** The parameters that may be repeated, besides `resource`. Default: none. */
  readonly repeatable?: readonly string[];
  /**
   * Whether the grant type redeems a stored grant, which ends when its client is blocked or deleted, so that the client
   * may come from the cache. Default: false.
   */
  readonly allowsCachedClient?: boolean;
  /** Whether the request need not name a resource, because a grant or an assertion does. Default: false. */
  readonly mayOmitResource?: boolean;
  /** The errors that do not refuse the request yet: the client has to ask again. */
  readonly pendingErrors?: readonly string[];
  /** Whether a user connects a device by this grant type. Default: false. */
  readonly connectsDevice?: boolean;
  /** Whether a request can name authorization details (RFC 9396 §6). Default: false. */
  readonly takesDetails?: boolean;
  /**
   * Finds the client of a request without client credentials, by what the request presents instead; nothing is proven
   * yet. Default: each client authenticates. (RFC 7521 §4.1)
   */
  createIdentifyUnauthenticated?(settings: Settings): IdentifyUnauthenticated;
  /** The flow in OpenAPI documents. Default: none. */
  readonly openapiFlow?: OpenApiFlow;
  /** Makes the handler of token requests; absent if only the authorization endpoint has the grant type. */
  create?(dependencies: GrantTypeDependencies): (context: TokenContext) => Promise<TokenResponse>;
}

/** Undefined: the client has to authenticate. @throws OAuthError if the request identifies no client */
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

/** The enabled grant types of the token endpoint, by name, each with its handler. */
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
 * Generates tokens of a stored grant, with the scopes and details for which its client is still registered.
 *
 * @param selection the tokens that the request asks for. Default: tokens of the grant's own grant type, with all scopes
 * of the grant, and a refresh token if the server and the client use them
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
  // RFC 9396 §6: the unused details whose types this server and the client still have, narrowed to the details of the
  // request; most grants and requests have none
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
