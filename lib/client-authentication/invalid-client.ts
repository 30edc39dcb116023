import { OAuthError } from '../errors.js';
import type { FailureReason } from '../failure-reasons.js';

/**
 * One text for every cause, unless the caller has proven so much that it may know: whether a client exists is
 * not told to whoever guesses.
 */
export function invalidClient(
  detail: string,
  {
    reason,
    description = 'client authentication failed',
    cause,
  }: { readonly reason: FailureReason; readonly description?: string; readonly cause?: unknown },
): OAuthError {
  return new OAuthError('invalid_client', description, {
    reason,
    detail,
    ...(cause !== undefined && { cause }),
  });
}
