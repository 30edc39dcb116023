import type { Router } from 'express';

import { unusedDetails, usableOf } from '../../core/authorization-details/single-use.js';
import type { ClientRequest } from '../../core/client-authentication/client-request.js';
import type { Client } from '../../core/clients/client.js';
import type { ClientSource } from '../../core/clients/client-store.js';
import { blockedDomains } from '../../core/clients/domain-trust.js';
import type { Grant } from '../../core/grants/grant.js';
import type { GrantStore } from '../../core/grants/grant-store.js';
import { kindOf } from '../../core/grants/named-token.js';
import {
  confirmArrival,
  findAccessToken,
  findInactiveReason,
  type FoundAccessToken,
  scopesOfToken,
} from '../../core/grants/stored-access-token.js';
import {
  type AccessTokens,
  authenticationClaims,
  isStateless,
  mayActOf,
  type StatelessToken,
} from '../../core/grants/tokens/access-tokens.js';
import type { ReadRefreshToken } from '../../core/grants/tokens/migrated-tokens.js';
import type { UseNamedToken } from '../../core/grants/use-named-token.js';
import type { SigningKeys } from '../../core/keys/signing-keys.js';
import { createFindSubject } from '../../core/openid/subjects.js';
import { confirmationOf } from '../../core/proof-of-possession/binding.js';
import { signingAlgorithmsOf } from '../../settings/options/signing-key-options.js';
import type { Settings } from '../../settings/settings.js';
import { equalText, type PresentedToken } from '../../shared/crypto/secrets.js';
import { OAuthError } from '../../shared/errors.js';
import { requireParameter } from '../../shared/protocol/parameters.js';
import { isSameResource } from '../../shared/protocol/resource.js';
import { formatScope } from '../../shared/protocol/scope.js';
import { type ClientEndpointDependencies, createClientEndpoint } from '../client-endpoint.js';
import type { Endpoint } from '../endpoint.js';
import { describeAuthentication } from './authentication-metadata.js';
import { createSendIntrospection } from './introspection-response.js';

/** RFC 7662 §2.2: nothing else is said about a token that is not active. */
const INACTIVE = { active: false } as const;

/**
 * Tells a resource server about a token. Only clients that are registered for it may ask, and they must authenticate:
 * otherwise anybody could try out tokens.
 *
 * @see RFC 7662 §2, §4
 */
export function createIntrospectEndpoint(
  dependencies: ClientEndpointDependencies & {
    readonly grants: GrantStore;
    readonly accessTokens: AccessTokens;
    readonly signingKeys: SigningKeys;
    readonly readRefreshToken: ReadRefreshToken;
    readonly clientSource: ClientSource;
    readonly useNamedToken: UseNamedToken;
  },
): Router {
  const { grants, settings, accessTokens, readRefreshToken, clientSource } = dependencies;
  const findSubject = createFindSubject(settings.openid, clientSource);
  const isBlockedDomain = blockedDomains(settings);

  /** The token with its grant, if it can be used. */
  const findActive = async (accessToken: PresentedToken | null, token: string, now: Date) => {
    const presented = accessToken ?? (await readRefreshToken(token));
    const grant = presented && (await grants.find(presented.grantId));
    if (presented === null || !grant) return undefined;
    const found = accessToken ? findAccessToken(grant, presented.hash) : findRefreshToken(grant, presented);
    if (found === undefined || findInactiveReason(grant, found, { isBlockedDomain, now })) return undefined;
    return { ...found, grant, isAccessToken: accessToken !== null };
  };
  /** What is known about a token that is stored nowhere: what it says, and whether its client may still do anything. */
  const introspectStateless = async ({ claims }: StatelessToken, asking: Client): Promise<object> => {
    if (!isFor(asking, claims.aud) || isBlockedDomain(claims.client_id)) return INACTIVE;
    const client = await clientSource.find(claims.client_id, { fresh: false, staleIfError: true });
    if (client === null || client.blocked !== undefined) return INACTIVE;
    const { scope, authorization_details, client_id, exp, aud, cnf } = claims;
    const isBoundToKey = (cnf as { readonly jkt?: unknown } | undefined)?.jkt !== undefined;
    const known = { scope, authorization_details, client_id, exp, aud, cnf };
    return { active: true, ...known, token_type: isBoundToKey ? 'DPoP' : 'Bearer', iss: settings.issuer };
  };
  const scopesNow = createScopesNow(settings.impliedScopes, dependencies.useNamedToken);
  const introspectStored = async (
    accessToken: PresentedToken | null,
    token: string,
    { client, origin, now }: Pick<ClientRequest, 'client' | 'origin' | 'now'>,
  ): Promise<object> => {
    const found = await findActive(accessToken, token, now);
    if (found === undefined) return INACTIVE;
    const { grant, stored, clientId, isAccessToken } = found;
    // RFC 7662 §2.2: the audience; a refresh token is for no resource server
    const aud = isAccessToken ? (stored.resource ?? settings.issuer) : undefined;
    if (!isFor(client, aud)) return INACTIVE;
    // each answer is a use of the token, at the server that asks
    const scopes = await scopesNow(grant, stored, { origin, now });
    if (scopes === undefined) return INACTIVE;
    if (isAccessToken) await confirmArrival(grants, grant, stored.hash);
    const sub = await subjectIn(grant, clientId, findSubject);
    return {
      ...describe(grant, found, { scopes, settings }),
      // RFC 7662 §2.2: as in a JWT, the name by which the client of the token knows the user
      ...(sub !== undefined && { sub }),
      ...(isAccessToken && describeAccessToken(grant, stored, aud)),
      ...confirmationOf(stored),
      iss: settings.issuer,
    };
  };

  return createClientEndpoint(dependencies, {
    name: 'introspect',
    // only servers ask here, no browsers
    crossOrigin: false,
    parameters: ['token', 'token_type_hint'],
    ...(settings.signingKeys.hasKeys && {
      send: createSendIntrospection(settings.issuer, dependencies.signingKeys),
    }),
    read(parameters) {
      const token = requireParameter(parameters, 'token');
      return {
        allowsCachedClient: true,
        async respond({ client, origin, now }) {
          // RFC 7662 §2.1: some form of authorization, so that tokens cannot be scanned for
          requireRegistered(client);
          const accessToken = await accessTokens.read(token, now);
          return isStateless(accessToken)
            ? introspectStateless(accessToken, client)
            : introspectStored(accessToken, token, { client, origin, now });
        },
      };
    },
  });
}

function requireRegistered({ introspection }: Client): void {
  if (introspection !== true)
    throw new OAuthError('unauthorized_client', 'the client is not registered for introspection', {
      reason: 'introspection_not_registered',
      status: 403,
    });
}

/** What a refresh token does not have. */
function describeAccessToken(
  grant: Grant,
  { jkt }: FoundAccessToken['stored'],
  aud: string | undefined,
): object {
  return {
    ...kindIn(grant),
    ...authenticationClaims(grant.authorization.authentication),
    // RFC 9449 §6.2, RFC 8705 §3.2
    token_type: jkt === undefined ? 'Bearer' : 'DPoP',
    aud,
  };
}

function findRefreshToken(
  { clientId, refreshToken, authorization }: Grant,
  { hash }: PresentedToken,
): FoundAccessToken | undefined {
  if (refreshToken === undefined || !equalText(refreshToken.hash, hash)) return undefined;
  return { stored: refreshToken, clientId, actor: authorization.actor };
}

/** A token of a user's own program has no client that could know the user by another name. */
async function subjectIn(
  { namedToken, authorization: { userId } }: Grant,
  clientId: string,
  findSubject: ReturnType<typeof createFindSubject>,
): Promise<string | undefined> {
  return userId === undefined || namedToken ? userId : findSubject(clientId, userId);
}

/** Finds the scopes of a token at this moment; undefined if it may be used no more, although it is stored. */
function createScopesNow(impliedScopes: Settings['impliedScopes'], useNamedToken: UseNamedToken) {
  return async (
    grant: Grant,
    stored: FoundAccessToken['stored'],
    use: Pick<ClientRequest, 'origin' | 'now'>,
  ): Promise<readonly string[] | undefined> => {
    const scopes = scopesOfToken(stored, grant.authorization, impliedScopes);
    if (grant.namedToken === undefined) return scopes;
    try {
      return await useNamedToken(grant, { ...use, scopes });
    } catch (error) {
      if (error instanceof OAuthError && error.error === 'invalid_token') return undefined;
      throw error;
    }
  };
}

/** RFC 7662 §4: whether the token can be used at the resource server that asks. */
function isFor({ resources }: Client, audience: string | undefined): boolean {
  return (
    resources === undefined ||
    (audience !== undefined && resources.some((resource) => isSameResource(resource, audience)))
  );
}

/** RFC 7662 §2.2 */
function describe(
  grant: Grant,
  { clientId, actor, stored: { expiresAt, ...token } }: FoundAccessToken,
  {
    scopes,
    settings,
  }: { readonly scopes: readonly string[]; readonly settings: Pick<Settings, 'authorizationDetails'> },
): object {
  const { authorization } = grant;
  const { authorizationDetails: all = authorization.authorizationDetails ?? [] } = token;
  const details = unusedDetails(all, usableOf(grant), settings);
  return {
    active: true,
    ...(scopes.length > 0 && { scope: formatScope(scopes) }),
    // RFC 9396 §9.2
    ...(details.length > 0 && { authorization_details: details }),
    ...(authorization.choices && { authorization_choices: authorization.choices }),
    client_id: clientId,
    // RFC 8693 §4.1, §4.4
    ...(actor && { act: actor }),
    ...mayActOf(authorization),
    exp: Math.floor(expiresAt.getTime() / 1000),
  };
}

/** What the token is, if not an app's, which every resource server expects. */
function kindIn(grant: Grant): object {
  const kind = kindOf(grant);
  return {
    ...(kind !== 'app' && { token_kind: kind }),
    ...(grant.namedToken && { token_name: grant.namedToken.name }),
  };
}

export const introspect: Endpoint = {
  name: 'introspect',
  create: (server) => createIntrospectEndpoint({ ...server, grants: server.models.grants }),
  metadata: (server, url) => ({
    introspection_endpoint: url,
    ...describeAuthentication(server, 'introspection', (name) => name !== 'none'),
    // RFC 9701 §7
    ...(server.settings.signingKeys.hasKeys && {
      introspection_signing_alg_values_supported: signingAlgorithmsOf(server.settings),
    }),
  }),
};
