import { createHash } from 'node:crypto';

import type { Client, ClientMetadata, ClientReview } from './client.js';
import { type ClientField, valueOf } from './client-field.js';
import { isHostApproved } from './registry/update-client.js';

/** A digest of all fields that a reviewer approves or verifies. */
export function reviewDigestOf(client: ClientMetadata, fields: readonly ClientField[]): string {
  const reviewed = fields.filter(({ requiresReapproval }) => requiresReapproval !== undefined);
  // a field without a value is left out, so that the fields of a new feature change no digest
  const values = Object.fromEntries(
    reviewed.map((field) => [field.name, reviewedValue(field, client, fields)]),
  );
  return createHash('sha256').update(canonical(values)).digest('base64url');
}

function reviewedValue(field: ClientField, client: ClientMetadata, fields: readonly ClientField[]): unknown {
  if (field.reviewedValue !== undefined) return field.reviewedValue(client);
  return valueOf(client, field) ?? field.implied?.(client, fields);
}

/**
 * Ends the approval and the verification of a client if others change a reviewed field. Only an extension counts: to
 * remove a scope, or to return to the reviewed state, needs no approval. A client that the site's code made has no
 * digest; its state before the first change then counts as reviewed.
 */
export function reviewAfterChange(
  before: Client,
  after: ClientMetadata,
  change: {
    /** `host`: code and administrators, who can approve. Otherwise an owner, the client itself, or its document. */
    readonly by: 'host' | 'others';
    readonly approval: boolean;
    readonly fields: readonly ClientField[];
    readonly now: Date;
  },
): Partial<Client> {
  const { by, approval, fields, now } = change;
  const { review, awaitsApprovalSince, registration, document } = before;
  if (by === 'host') {
    // a change by the site approves a client that it vouches for, and any other client that does not wait for approval
    if (awaitsApprovalSince !== undefined && !isHostApproved(after, fields)) return {};
    const isOthersToChange = (registration ?? document ?? after.ownerId) !== undefined;
    return { ...(isOthersToChange ? toReview(after, fields) : {}), awaitsApprovalSince: undefined };
  }
  const changed = fields.filter((field) => {
    if (field.requiresReapproval === undefined) return false;
    const [old, value] = [before, after].map((client) => reviewedValue(field, client, fields));
    const isWithin =
      value === undefined ||
      (Array.isArray(value) && Array.isArray(old) && value.every((entry) => old.includes(entry)));
    return canonical(old) !== canonical(value) && !(field.requiresReapproval === 'if-extended' && isWithin);
  });
  const isVerified = before.verified === true;
  if (changed.length === 0 || !(approval || isVerified)) return {};
  // a client that does not wait is back in its reviewed state
  if (awaitsApprovalSince === undefined && review?.digest === reviewDigestOf(after, fields)) return {};
  const { digest, changed: earlier = [] } = review ?? { digest: reviewDigestOf(before, fields) };
  // a client that waits without a review was never reviewed
  const isReviewed = review !== undefined || awaitsApprovalSince === undefined;
  return {
    ...(isReviewed && {
      review: { digest, changed: [...new Set([...earlier, ...changed.map(({ name }) => name)])] },
    }),
    // even if the client waits already: an approval may be stored between the read of `before` and this change
    ...(approval && { awaitsApprovalSince: awaitsApprovalSince ?? now }),
    ...(isVerified && { verified: false, publisher: undefined }),
  };
}

/** The same text for equal values: the order of lists (scopes, URIs, keys) and of members is ignored. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).sort().join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`);
  return `{${members.sort().join()}}`;
}

/** The members that record the approval or verification of a client. */
export function toReview(client: ClientMetadata, fields: readonly ClientField[]): { review: ClientReview } {
  return { review: { digest: reviewDigestOf(client, fields) } };
}
