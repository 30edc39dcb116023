import { OAuthError } from '../../shared/errors.js';
import type { FailureReason } from '../../shared/failure-reasons.js';

/**
 * One description for every cause, unless the caller has proven enough to learn the cause: guessing must not reveal
 * whether a client exists.
 */
export function invalidClient(
  detail: string,
  more: { readonly reason: FailureReason; readonly description?: string; readonly cause?: unknown },
): OAuthError {
  const { reason, description = 'client authentication failed', cause } = more;
  return new OAuthError('invalid_client', description, { reason, detail, cause });
}
