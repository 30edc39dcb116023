import type { Router } from 'express';

import type { ClientRequest } from '../../core/client-authentication/client-request.js';
import type { Grant } from '../../core/grants/grant.js';
import type { GrantStore } from '../../core/grants/grant-store.js';
import { findAccessToken } from '../../core/grants/stored-access-token.js';
import {
  type AccessTokens,
  isStateless,
  type StatelessToken,
} from '../../core/grants/tokens/access-tokens.js';
import type { ReadRefreshToken } from '../../core/grants/tokens/migrated-tokens.js';
import type { PresentedToken } from '../../shared/crypto/secrets.js';
import { OAuthError } from '../../shared/errors.js';
import { requireParameter } from '../../shared/protocol/parameters.js';
import { type ClientEndpointDependencies, createClientEndpoint } from '../client-endpoint.js';
import type { Endpoint } from '../endpoint.js';
import { describeAuthentication } from './authentication-metadata.js';

/**
 * A client says that it no longer needs a token. An access token ends alone, a refresh token with its whole grant. A
 * token shows which of them it is, so `token_type_hint` is accepted but not needed.
 *
 * @see RFC 7009 §2
 */
export function createRevokeEndpoint(
  dependencies: ClientEndpointDependencies & {
    readonly grants: GrantStore;
    readonly accessTokens: AccessTokens;
    readonly readRefreshToken: ReadRefreshToken;
  },
): Router {
  const { grants, accessTokens, readRefreshToken } = dependencies;

  const revoke = async (
    accessToken: PresentedToken | null,
    token: string,
    { client: { clientId }, now, emit }: ClientRequest,
  ): Promise<void> => {
    const refreshToken = accessToken ? null : await readRefreshToken(token);
    const presented = accessToken ?? refreshToken;
    // RFC 7009 §2.2: an invalid token is not an error: the purpose of the request is already achieved
    if (presented === null) return;
    const isRevoked = accessToken
      ? await grants.revokeAccessToken({ ...accessToken, clientId })
      : await grants.revokeByRefreshToken({ ...presented, clientId }, now);
    if (isRevoked) {
      const data = { clientId, grantId: presented.grantId };
      await Promise.all([
        emit('token.revoked', { ...data, tokenType: accessToken ? 'access_token' : 'refresh_token' }),
        !accessToken && emit('grant.revoked', { ...data, reason: 'refresh_token_revoked' }),
      ]);
      return;
    }
    const grant = await grants.find(presented.grantId);
    // RFC 7009 §2.1: a token that was not issued to this client is refused, and the client is told
    if (grant !== null && holderOf(grant, presented) !== clientId) throw ofOtherClient();
  };

  return createClientEndpoint(dependencies, {
    name: 'revoke',
    crossOrigin: true,
    // giving something back does no harm, and is good for users
    allowsBlocked: true,
    parameters: ['token', 'token_type_hint'],
    read(parameters) {
      const token = requireParameter(parameters, 'token');
      return {
        allowsCachedClient: true,
        async respond(request) {
          const accessToken = await accessTokens.read(token, request.now);
          if (isStateless(accessToken)) throw notRevocable(accessToken, request.client.clientId);
          await revoke(accessToken, token, request);
          return {};
        },
      };
    },
  });
}

/** To whom the token was issued. */
function holderOf(grant: Grant, { hash }: Pick<PresentedToken, 'hash'>): string {
  return findAccessToken(grant, hash)?.clientId ?? grant.clientId;
}

function ofOtherClient(): OAuthError {
  return new OAuthError('invalid_grant', 'the token was not issued to this client', {
    reason: 'token_of_other_client',
  });
}

/** RFC 7009 §2.2.1: it stays valid, and whoever wants it to end must know that. */
function notRevocable({ claims }: StatelessToken, clientId: string): OAuthError {
  if (claims.client_id !== clientId) return ofOtherClient();
  return new OAuthError(
    'unsupported_token_type',
    'the token is stored nowhere and cannot be revoked: it ends when it expires',
    { reason: 'token_not_revocable' },
  );
}

export const revoke: Endpoint = {
  name: 'revoke',
  create: (server) => createRevokeEndpoint({ ...server, grants: server.models.grants }),
  metadata: (server, url) => ({ revocation_endpoint: url, ...describeAuthentication(server, 'revocation') }),
};
