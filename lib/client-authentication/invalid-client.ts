import { OAuthError } from '../errors.js';

/**
 * One text for every cause, unless the caller has proven so much that it may know: whether a client exists is
 * not told to whoever guesses.
 */
export function invalidClient(
  detail: string,
  {
    description = 'client authentication failed',
    cause,
  }: { readonly description?: string; readonly cause?: unknown } = {},
): OAuthError {
  return new OAuthError('invalid_client', description, { detail, ...(cause !== undefined && { cause }) });
}
