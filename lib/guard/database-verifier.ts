import { OAuthError } from '../errors.js';
import type { Grants } from '../models/grants.js';
import { equalText, parseToken } from '../tokens/secrets.js';
import type { AccessToken } from './access-token.js';

/** @throws OAuthError invalid_token */
export type VerifyAccessToken = (token: string) => Promise<AccessToken>;

/** Opaque tokens: one read by the grant's id, then the hash. */
export function createDatabaseVerifier(grants: Grants): VerifyAccessToken {
  return async (token) => {
    const presented = parseToken('accessToken', token);
    const grant = presented && (await grants.findForGuard(presented.grantId));
    if (presented === null || !grant) throw invalidToken('no such grant');
    if (grant.revokedAt !== undefined) throw invalidToken('the grant is revoked');
    const stored = grant.accessTokens.find(({ hash }) => equalText(hash, presented.hash));
    if (stored === undefined) throw invalidToken('not a token of the grant, or replaced by newer ones');
    if (stored.expiresAt.getTime() <= Date.now()) throw invalidToken('expired');
    return {
      token,
      clientId: grant.clientId,
      scopes: [...(stored.scopes ?? grant.scopes)],
      expiresAt: Math.floor(stored.expiresAt.getTime() / 1000),
      ...(grant.userId !== undefined && { userId: grant.userId }),
      ...(grant.extra !== undefined && { extra: { ...grant.extra } }),
    };
  };
}

/** RFC 6750 §3.1: expired, revoked, malformed or invalid for other reasons: which one is not told. */
function invalidToken(detail: string): OAuthError {
  return new OAuthError('invalid_token', 'the access token is invalid, expired or revoked', { detail });
}
