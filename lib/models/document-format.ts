import { OAuthError } from '../errors.js';

/** How grants and clients are stored by this release; those of 0.1 do not say. */
export const DOCUMENT_FORMAT = 2;

/** A document that says how it is stored. */
export interface Formatted {
  readonly documentFormat?: number;
}

/**
 * What a later release has stored may say something that is not understood here, such as that a token is good only with
 * a proof: while a site is updated, or set back, it is left to the processes of that release.
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
