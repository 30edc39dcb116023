import { OAuthError } from '../../shared/errors.js';

/** A guard that cannot check a token lets nobody in, and says that it is not the token's fault. */
export function unavailable(detail: string, cause?: unknown): OAuthError {
  return new OAuthError(
    'temporarily_unavailable',
    'the access token cannot be checked for the moment, please try again',
    { detail, cause, headers: { 'Retry-After': '5' } },
  );
}
