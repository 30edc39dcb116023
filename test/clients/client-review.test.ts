import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import type { Client, ClientMetadata } from '../../lib/core/clients/client.js';
import { reviewAfterChange, reviewDigestOf } from '../../lib/core/clients/client-review.js';
import { allClientFields, BUILT_IN } from '../../lib/features.js';
import { holds } from '../support/properties.js';

const REDIRECT_URI = 'https://print.example/callback';
const OTHER_URI = 'https://other.example/callback';

const fields = allClientFields(BUILT_IN);

describe('the fields that somebody looks at who approves or verifies a client', () => {
  /** What a client can change without being looked at again, and why. */
  const UNREVIEWED: readonly string[] = [
    // among the algorithms that this site takes, the client chooses
    'tokenEndpointAuthSigningAlg',
    'requestObjectSigningAlg',
    'requestObjectEncryptionAlg',
    'requestObjectEncryptionEnc',
    'authorizationSignedResponseAlg',
    'authorizationEncryptedResponseAlg',
    'authorizationEncryptedResponseEnc',
    'idTokenSignedResponseAlg',
    'idTokenEncryptedResponseAlg',
    'idTokenEncryptedResponseEnc',
    'userinfoSignedResponseAlg',
    'userinfoEncryptedResponseAlg',
    'userinfoEncryptedResponseEnc',
    // what it needs to know of a login, and how it is told of the end of one
    'defaultAcrValues',
    'defaultMaxAge',
    'requireAuthTime',
    // holds its redirect URIs to more rules
    'applicationType',
  ];

  it('are all that others than the host can change, but for a few', () => {
    const changeable = fields.filter(({ wire, isOwners }) => wire !== undefined || isOwners === true);
    const undecided = changeable.filter(({ requiresReapproval }) => requiresReapproval === undefined);
    expect(undecided.map(({ name }) => name).sort()).toEqual([...UNREVIEWED].sort());
  });

  const METADATA_OF: ClientMetadata = {
    name: 'Frames',
    type: 'confidential',
    redirectUris: [REDIRECT_URI, OTHER_URI],
    scopes: ['profile', 'photos:read'],
    grantTypes: ['authorization_code', 'refresh_token'],
    trusted: false,
  };
  const client: Client = {
    ...METADATA_OF,
    clientId: 'frames',
    secrets: [],
    createdAt: new Date(0),
    updatedAt: new Date(0),
    ownerId: 'ada',
  };
  const change = (before: Client, changes: Partial<ClientMetadata>) =>
    reviewAfterChange(
      before,
      { ...before, ...changes },
      { by: 'others', approval: true, fields, now: new Date(1) },
    );

  const keys = [
    { kty: 'EC', crv: 'P-256', x: 'a', y: 'b' },
    { kty: 'RSA', n: 'c', e: 'AQAB' },
  ];
  const shuffled = fc.record({
    redirectUris: fc.shuffledSubarray([...METADATA_OF.redirectUris], { minLength: 2 }),
    scopes: fc.shuffledSubarray([...METADATA_OF.scopes], { minLength: 2 }),
    grantTypes: fc.shuffledSubarray([...METADATA_OF.grantTypes], { minLength: 2 }),
    jwks: fc
      .shuffledSubarray(keys, { minLength: 2 })
      .map((some) => ({ keys: some.map((key) => Object.fromEntries(Object.entries(key).reverse())) })),
  });
  holds('have one digest, in whatever order their lists and members are', [shuffled], (given) => {
    expect(reviewDigestOf({ ...client, ...given } as unknown as ClientMetadata, fields)).toBe(
      reviewDigestOf({ ...client, jwks: { keys } }, fields),
    );
  });

  const list = (values: readonly string[]) => fc.subarray([...values]);
  const anyScopes = list(['profile', 'photos:read', 'photos:write', 'admin']);

  holds(
    'end the approval as soon as a change goes beyond what was looked at, and not before',
    [fc.array(anyScopes, { minLength: 1, maxLength: 6 })],
    (chosen) => {
      let now: Client = { ...client, review: { digest: reviewDigestOf(client, fields) } };
      for (const scopes of chosen) {
        const wasPending = now.awaitsApprovalSince !== undefined;
        const isWithinLast = scopes.every((scope) => now.scopes.includes(scope));
        const isWithinReview = scopes.every((scope) => client.scopes.includes(scope));
        now = { ...now, scopes, ...change(now, { scopes }) };
        const isPending = now.awaitsApprovalSince !== undefined;
        if (wasPending || !isWithinReview) expect(isPending).toBe(true);
        else if (isWithinLast || scopes.length === client.scopes.length) expect(isPending).toBe(false);
      }
    },
  );

  it('change no digest if a feature brings more of them that are empty', () => {
    const few = fields.filter(({ name }) => name in METADATA_OF);
    expect(reviewDigestOf(METADATA_OF, fields)).toBe(reviewDigestOf(METADATA_OF, few));
  });

  it('count for a client that has no digest as they were before the change', () => {
    expect(change(client, { scopes: ['profile'] })).toEqual({});
    expect(change(client, { scopes: ['admin'] })).toEqual({
      awaitsApprovalSince: new Date(1),
      review: { digest: reviewDigestOf(client, fields), changed: ['scopes'] },
    });
    expect(change({ ...client, verified: true }, { name: 'Other' })).toMatchObject({ verified: false });
  });
});
