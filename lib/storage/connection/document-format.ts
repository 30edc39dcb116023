import { OAuthError } from '../../shared/errors.js';

/** The format in which this release stores grants and clients. */
export const DOCUMENT_FORMAT = 1;

/** A document that says how it is stored. */
export interface Formatted {
  readonly documentFormat?: number;
}

/**
 * A document of a later release may say something that is not understood here, such as that a token is good only with a
 * proof. While a site is updated, or rolled back, it is left to the processes of that release.
 *
 * @throws OAuthError temporarily_unavailable (503)
 */
export function checkFormat(kind: string, { documentFormat = 1 }: Formatted): void {
  if (documentFormat <= DOCUMENT_FORMAT) return;
  throw new OAuthError('temporarily_unavailable', 'the service is being updated, please try again', {
    detail: `a ${kind} is stored in format ${documentFormat}, by a later release of express-authorization-server; this one knows ${DOCUMENT_FORMAT}: update this process`,
    headers: { 'Retry-After': '5' },
  });
}
