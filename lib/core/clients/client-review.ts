import { createHash } from 'node:crypto';

import type { Client, ClientMetadata, ClientReview } from './client.js';
import { type ClientField, valueOf } from './client-field.js';
import { isHostApproved } from './registry/update-client.js';

/** One digest of all fields of a client that somebody looks at who approves or verifies it. */
export function reviewDigestOf(client: ClientMetadata, fields: readonly ClientField[]): string {
  const reviewed = fields.filter(({ requiresReapproval }) => requiresReapproval !== undefined);
  // a field without a value counts for nothing: a feature that brings more fields changes no digest
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
 * What becomes of the approval and the verification of a client if it changes. Both are of what somebody has looked at:
 * so a change that others make to that ends them. Only what goes beyond it counts: who takes a scope away, or goes back
 * to what was looked at, does not wait. A client that the site made by code has no digest; what it was before its
 * first change then stands for what was looked at.
 */
export function reviewAfterChange(
  before: Client,
  after: ClientMetadata,
  change: {
    /** `host`: code and administrators, whose word counts. Otherwise an owner, the client itself, or its document. */
    readonly by: 'host' | 'others';
    readonly approval: boolean;
    readonly fields: readonly ClientField[];
    readonly now: Date;
  },
): Partial<Client> {
  const { by, approval, fields, now } = change;
  const { review, awaitsApprovalSince, registration, document } = before;
  if (by === 'host') {
    // the site's word approves a client that it vouches for, and any other one that does not wait for approval
    if (awaitsApprovalSince !== undefined && !isHostApproved(after, fields)) return {};
    const isOthersToChange = (registration ?? document ?? after.ownerId) !== undefined;
    return { ...(isOthersToChange ? reviewOf(after, fields) : {}), awaitsApprovalSince: undefined };
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
  // a client that does not wait is again what somebody has looked at
  if (awaitsApprovalSince === undefined && review?.digest === reviewDigestOf(after, fields)) return {};
  const { digest, changed: earlier = [] } = review ?? { digest: reviewDigestOf(before, fields) };
  // nobody has ever looked at a client that waits and has no review
  const isReviewed = review !== undefined || awaitsApprovalSince === undefined;
  return {
    ...(isReviewed && {
      review: { digest, changed: [...new Set([...earlier, ...changed.map(({ name }) => name)])] },
    }),
    // also if it waits already: an approval may be stored between the reading of `before` and this change
    ...(approval && { awaitsApprovalSince: awaitsApprovalSince ?? now }),
    ...(isVerified && { verified: false, publisher: undefined }),
  };
}

/** The same text for the same value: the order of lists (scopes, URIs, keys) and of members means nothing. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).sort().join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`);
  return `{${members.sort().join()}}`;
}

/** What is stored once somebody of the site has approved or verified a client as it is. */
export function reviewOf(client: ClientMetadata, fields: readonly ClientField[]): { review: ClientReview } {
  return { review: { digest: reviewDigestOf(client, fields) } };
}
