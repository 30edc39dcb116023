import { OAuthError } from '../../lib/shared/errors.js';

/** The code of the `OAuthError` that is thrown; undefined if there is none. */
export function refusalOf(work: () => unknown): string | undefined {
  try {
    work();
  } catch (error) {
    if (error instanceof OAuthError) return error.error;
    throw error;
  }
  return undefined;
}
