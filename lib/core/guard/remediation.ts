import { createHash } from 'node:crypto';

import { unexpectedCondition } from '../../shared/errors.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import type { ChallengeAttributes } from './schemes/scheme.js';

/** Characters: many servers and clients take no longer headers. */
const MAX_LENGTH = 4096;

/**
 * What a client copies into its next authorization request.
 *
 * @param owner whose details they are: the reference of one user says nothing about that of another
 * @param isReusable whether a token with them is good for more than one call
 * @see RAR Metadata and Error Remediation §4
 */
export function formatRemediation(
  details: readonly AuthorizationDetail[],
  {
    resource,
    owner,
    isReusable,
  }: { readonly resource: string; readonly owner: string; readonly isReusable: boolean },
): ChallengeAttributes {
  const remediation = {
    authorization_details: details,
    // SHALL NOT be there if tokens for these details are for one call
    ...(isReusable && {
      // the same for the same details, whatever the order of their members; nothing can be read from it
      authorization_reference: createHash('sha256')
        .update(JSON.stringify(sorted([new URL(resource).href, owner, details])))
        .digest('base64url')
        .slice(0, 22),
    }),
  };
  const encoded = Buffer.from(JSON.stringify(remediation)).toString('base64url');
  if (encoded.length > MAX_LENGTH)
    throw unexpectedCondition(
      `details of a guard gave more than fits into a challenge (${MAX_LENGTH} characters)`,
    );
  return { authorization_remediation: encoded };
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, each]) => [name, sorted(each)]));
}
