import { OAuthError, type OAuthErrorOptions } from '../errors.js';

/**
 * What is wrong with the document at a client id, in words for its developer. 400, since nobody has tried to
 * authenticate.
 */
export function unusableDocument(
  problem: string,
  options: Pick<OAuthErrorOptions, 'detail' | 'cause'> = {},
): OAuthError {
  return new OAuthError('invalid_client', `the document at the client_id ${problem}`, {
    reason: 'client_document_unusable',
    status: 400,
    ...options,
  });
}
