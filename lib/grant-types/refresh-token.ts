import { OAuthError } from '../errors.js';
import type { Grant } from '../models/grants.js';
import { requireParameter } from '../protocol/parameters.js';
import { isSubset, parseScope } from '../protocol/scope.js';
import { equalText, parseToken } from '../tokens/secrets.js';
import { factsOf, type GrantType, type GrantTypeDependencies } from './grant-type.js';

/**
 * Replaces a refresh token by a new one. Presented again later, the old one ends the grant: either it or the new one
 * was stolen, and nobody can tell which.
 *
 * @see RFC 6749 §6, §10.4, RFC 9700 §4.14.2
 */
export function createRefreshTokenGrant({ models, issuer }: GrantTypeDependencies): GrantType {
  const { grants } = models;

  return {
    grantType: 'refresh_token',
    parameters: ['refresh_token', 'scope'],
    async handle({ client, parameters, emit }) {
      const presented = parseToken('refreshToken', requireParameter(parameters, 'refresh_token'));
      const grant = presented && (await grants.find(presented.grantId));
      // RFC 6749 §6: the refresh token is bound to the client to which it was issued
      if (presented === null || !grant || grant.clientId !== client._id) throw invalidRefreshToken('unknown, or of another client');
      const facts = factsOf(grant);
      if (grant.refreshToken && equalText(grant.refreshToken.hash, presented.hash)) {
        const scopes = narrowScopes(grant, parameters.scope);
        const tokens = await issuer.prepare({
          grantId: grant._id,
          client,
          userId: grant.userId,
          grantType: 'refresh_token',
          scopes,
          grantScopes: grant.scopes,
          withRefreshToken: true,
        });
        if (await grants.rotateRefreshToken(grant._id, presented.hash, tokens.write)) {
          emit('refresh.rotated', { ...facts, scopes });
          emit('token.issued', { ...facts, scopes, grantType: 'refresh_token' });
          return tokens.response;
        }
      }
      const isReuse = await grants.revokeReusedRefreshToken(grant._id, presented.hash, new Date());
      if (!isReuse) throw invalidRefreshToken('unknown, expired or revoked');
      emit('refresh.reused', facts);
      emit('grant.revoked', { ...facts, reason: 'refresh_reused' });
      throw invalidRefreshToken('used before: the grant is revoked now');
    },
  };
}

/** RFC 6749 §6: the scope MUST NOT include any scope not originally granted; omitted, it is the same. */
function narrowScopes(grant: Grant, scope: string | undefined): readonly string[] {
  if (scope === undefined) return grant.scopes;
  const requested = parseScope(scope);
  if (!isSubset(requested, grant.scopes)) throw new OAuthError('invalid_scope', 'the scope exceeds what the resource owner granted');
  return requested;
}

function invalidRefreshToken(detail: string): OAuthError {
  return new OAuthError('invalid_grant', 'the refresh token is invalid, expired, revoked, or was issued to another client', { detail });
}
