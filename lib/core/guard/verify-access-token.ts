import { OAuthError } from '../../shared/errors.js';
import type { RequestOrigin } from '../http/request-origin.js';
import type { AccessToken } from './access-token.js';

/** A token, and who has sent it. */
export interface PresentedAccessToken {
  readonly token: string;
  readonly origin: RequestOrigin;
  /** Whether it was let in before, and is looked at again for what it has opened: that is no call. Default: false. */
  readonly isRecheck?: boolean;
  /** The moment at which the whole request happens. */
  readonly now: Date;
}

/** @throws OAuthError invalid_token, or temporarily_unavailable if nobody can be asked */
export type VerifyAccessToken = (presented: PresentedAccessToken) => Promise<AccessToken>;

/** What was found of a token. */
export interface VerifiedToken {
  readonly auth: AccessToken;
  /** Seconds since 1970 until which it may be believed without another check. Absent: as long as the token is valid. */
  readonly believedUntil?: number;
}

/** Checks the token alone. The result is true whoever sends it, so it may be remembered. */
export type VerifyToken = (token: string, now: Date) => Promise<VerifiedToken>;

/** RFC 6750 §3.1: expired, revoked, malformed or invalid for other reasons; the client is not told which. */
export function invalidToken(detail: string, cause?: unknown): OAuthError {
  return new OAuthError('invalid_token', 'the access token is invalid, expired or revoked', {
    reason: 'access_token_invalid',
    detail,
    cause,
  });
}
