import { OAuthError } from '../../../shared/errors.js';
import { hasUnseenCharacters } from '../../../shared/protocol/display-name.js';

export const MAX_REASON_LENGTH = 500;

/**
 * The reason of a block, for the owner: one readable line.
 *
 * @throws OAuthError with this code if the reason is too long or cannot be read
 */
export function checkedReason(
  text: string,
  error: 'invalid_client_metadata' | 'invalid_request' = 'invalid_client_metadata',
): string {
  const reason = text.replaceAll(/\s+/gu, ' ').trim();
  if (reason.length > MAX_REASON_LENGTH)
    throw new OAuthError(error, `the reason is longer than ${MAX_REASON_LENGTH} characters`);
  if (hasUnseenCharacters(reason))
    throw new OAuthError(error, 'the reason has characters that cannot be seen');
  return reason;
}
