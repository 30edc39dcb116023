import type { Router } from 'express';
import { OAuthError } from '../errors.js';
import type { Grant, Grants, StoredAccessToken, StoredRefreshToken } from '../models/grants.js';
import { requireParameter } from '../protocol/parameters.js';
import { formatScope } from '../protocol/scope.js';
import type { AccessTokens } from '../tokens/access-tokens.js';
import { equalText, parseToken } from '../tokens/secrets.js';
import type { SigningKeys } from '../tokens/signing-keys.js';
import { createClientEndpoint, type ClientEndpointDependencies } from './client-endpoint.js';
import { createSendIntrospection } from './introspection-response.js';

/** RFC 7662 §2.2: nothing else is said of a token that is not active. */
const INACTIVE = { active: false } as const;

/**
 * Tells a resource server about a token. Only clients that are registered for it may ask, and they must authenticate:
 * it would let anybody else try out tokens.
 *
 * @see RFC 7662 §2, §4
 */
export function createIntrospectEndpoint(dependencies: ClientEndpointDependencies & { readonly grants: Grants; readonly accessTokens: AccessTokens; readonly signingKeys: SigningKeys }): Router {
  const { grants, settings, accessTokens } = dependencies;

  const introspect = async (token: string): Promise<object> => {
    const accessToken = await accessTokens.read(token);
    const presented = accessToken ?? parseToken('refreshToken', token);
    const grant = presented && (await grants.find(presented.grantId));
    if (presented === null || !grant || grant.revokedAt !== undefined) return INACTIVE;
    const candidates: readonly (StoredRefreshToken | StoredAccessToken | undefined)[] = accessToken ? grant.accessTokens : [grant.refreshToken];
    const stored = candidates.find((candidate) => candidate !== undefined && equalText(candidate.hash, presented.hash));
    if (stored === undefined || stored.expiresAt <= new Date()) return INACTIVE;
    return { ...describe(grant, stored), ...(accessToken && { token_type: 'Bearer', ...audienceOf(stored) }), iss: settings.issuer };
  };

  // RFC 7662 §2.2: whom it is for
  const audienceOf = ({ resource = settings.issuer }: StoredAccessToken) => ({ aud: resource });

  return createClientEndpoint(dependencies, {
    name: 'introspect',
    // asked by servers; a browser has no business here
    crossOrigin: false,
    parameters: ['token', 'token_type_hint'],
    check: (parameters) => requireParameter(parameters, 'token'),
    send: createSendIntrospection(settings.issuer, dependencies.signingKeys),
    async respond({ client, parameters }) {
      // RFC 7662 §2.1: some form of authorization, so that tokens cannot be scanned for
      if (client.introspection !== true) throw new OAuthError('unauthorized_client', 'the client is not registered for introspection', { status: 403 });
      return introspect(requireParameter(parameters, 'token'));
    },
  });
}

/** RFC 7662 §2.2 */
function describe(grant: Grant, { expiresAt, ...token }: StoredAccessToken): object {
  const scopes = token.scopes ?? grant.scopes;
  return {
    active: true,
    ...(scopes.length > 0 && { scope: formatScope(scopes) }),
    client_id: grant.clientId,
    ...(grant.userId !== undefined && { sub: grant.userId }),
    exp: Math.floor(expiresAt.getTime() / 1000),
  };
}
