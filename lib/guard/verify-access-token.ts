import { OAuthError } from '../errors.js';
import type { AccessToken } from './access-token.js';

/** Without a promise where the token is remembered. @throws OAuthError invalid_token */
export type VerifyAccessToken = (token: string) => AccessToken | Promise<AccessToken>;

/** RFC 6750 §3.1: expired, revoked, malformed or invalid for other reasons: which one is not told. */
export function invalidToken(detail: string, cause?: unknown): OAuthError {
  return new OAuthError('invalid_token', 'the access token is invalid, expired or revoked', {
    detail,
    cause,
  });
}
