import { findAccessToken } from '../../core/grants/stored-access-token.js';
import { isStateless } from '../../core/grants/tokens/access-tokens.js';
import { OAuthError } from '../../shared/errors.js';
import { requireParameter } from '../../shared/protocol/parameters.js';
import { createClientEndpoint, describeAuthentication } from '../client-endpoint.js';
import type { Endpoint } from '../server.js';

/**
 * Revokes a token that a client no longer needs. An access token ends alone, a refresh token with its whole grant. The
 * token itself shows its kind, so `token_type_hint` is accepted but not needed.
 *
 * @see RFC 7009 §2
 */
export const revoke: Endpoint = {
  name: 'revoke',
  create(server) {
    const { accessTokens, readRefreshToken } = server;
    const { grants, reportChange } = server.models;

    return createClientEndpoint(server, {
      name: 'revoke',
      crossOrigin: true,
      // a revocation does no harm, and is good for users
      allowsBlocked: true,
      parameters: ['token', 'token_type_hint'],
      read(parameters) {
        const token = requireParameter(parameters, 'token');
        return {
          allowsCachedClient: true,
          async respond({ client: { clientId }, now, emit }) {
            const accessToken = await accessTokens.read(token, now);
            if (isStateless(accessToken)) {
              if (accessToken.claims.client_id !== clientId) throw ofOtherClient();
              // §2.2.1: the token stays valid, and the client must learn that
              throw new OAuthError(
                'unsupported_token_type',
                'the token is stored nowhere and cannot be revoked: it ends when it expires',
                { reason: 'token_not_revocable' },
              );
            }
            const presented = accessToken ?? (await readRefreshToken(token));
            // §2.2: an invalid token is not an error: the purpose of the request is already achieved
            if (presented === null) return {};
            const { grantId } = presented;
            const isRevoked = accessToken
              ? await grants.revokeAccessToken({ ...accessToken, clientId })
              : await reportChange(
                  { type: 'grant.revoked', clientId, grantId, reason: 'refresh_token_revoked' },
                  { emit },
                  (endedAt) => grants.revokeByRefreshToken({ ...presented, clientId }, endedAt),
                );
            if (isRevoked) {
              if (accessToken) await emit('token.revoked', { clientId, grantId, tokenType: 'access_token' });
              return {};
            }
            const grant = await grants.find(grantId);
            // §2.1: the token of another client is refused, and the client gets the error
            if (grant !== null) {
              const holder = findAccessToken(grant, presented.hash)?.clientId ?? grant.clientId;
              if (holder !== clientId) throw ofOtherClient();
            }
            return {};
          },
        };
      },
    });
  },
  metadata: (server, url) => ({ revocation_endpoint: url, ...describeAuthentication(server, 'revocation') }),
};

function ofOtherClient(): OAuthError {
  return new OAuthError('invalid_grant', 'the token was not issued to this client', {
    reason: 'token_of_other_client',
  });
}
