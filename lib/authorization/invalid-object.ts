import { OAuthError } from '../errors.js';

/** RFC 9101 §7: why a request object is not accepted. */
export function invalidObject(problem: string, cause?: unknown): OAuthError {
  return new OAuthError('invalid_request_object', `the request object cannot be used: ${problem}`, {
    reason: 'request_object_invalid',
    ...(cause !== undefined && { cause }),
  });
}
