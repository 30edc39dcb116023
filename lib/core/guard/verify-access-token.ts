import { OAuthError } from '../../shared/errors.js';
import type { RequestOrigin } from '../http/request-origin.js';
import type { AccessToken } from './access-token.js';

export interface VerifyContext {
  readonly token: string;
  readonly origin: RequestOrigin;
  /** Whether this rechecks a connection that the token opened, which is no call. Default: false. */
  readonly isRecheck?: boolean;
  readonly now: Date;
}

/**
 * Verifies a token and reads its data. Each guard has one: for the database (`database-verifier.ts`), or for another
 * process (`remote-verifier.ts`).
 *
 * @throws OAuthError invalid_token, or temporarily_unavailable if the token cannot be checked
 */
export type VerifyAccessToken = (context: VerifyContext) => Promise<AccessToken>;

export interface CacheableToken {
  readonly auth: AccessToken;
  /** Seconds since 1970. Default: as long as the token is valid. */
  readonly cacheableUntil?: number;
}

/** Verifies a token without its sender. The result is the same for all senders, so it may be cached. */
export type VerifyUncached = (token: string, now: Date) => Promise<CacheableToken>;

/** RFC 6750 §3.1: expired, revoked, malformed or otherwise invalid; the client does not learn the cause. */
export function invalidToken(detail: string, cause?: unknown): OAuthError {
  return new OAuthError('invalid_token', 'the access token is invalid, expired or revoked', {
    reason: 'access_token_invalid',
    detail,
    cause,
  });
}

/** Fails closed with 503: the token could not be checked. */
export function unavailable(detail: string, cause?: unknown): OAuthError {
  return new OAuthError(
    'temporarily_unavailable',
    'the access token cannot be checked for the moment, please try again',
    { detail, cause, headers: { 'Retry-After': '5' } },
  );
}
