import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import type { Client, ClientMetadata } from '../../lib/core/clients/client.js';
import { reviewAfterChange, reviewDigestOf } from '../../lib/core/clients/client-review.js';
import { allClientFields, BUILT_IN } from '../../lib/features.js';
import { holds } from '../support/properties.js';

const REDIRECT_URI = 'https://print.example/callback';
const OTHER_URI = 'https://other.example/callback';

const fields = allClientFields(BUILT_IN);

describe('the client fields of an approval', () => {
  /** The fields that a client can change without a new approval, and why. */
  const UNREVIEWED: readonly string[] = [
    // the client selects among the algorithms of this site
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
    // how the client hears of a login and of its end
    'defaultAcrValues',
    'defaultMaxAge',
    'requireAuthTime',
    // holds its redirect URIs to stricter rules
    'applicationType',
  ];

  it('each client field that others than the host can change requires reapproval or is listed here', () => {
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
  holds('a digest of the client fields ignores the order of lists and members', [shuffled], (given) => {
    expect(reviewDigestOf({ ...client, ...given } as unknown as ClientMetadata, fields)).toBe(
      reviewDigestOf({ ...client, jwks: { keys } }, fields),
    );
  });

  const list = (values: readonly string[]) => fc.subarray([...values]);
  const anyScopes = list(['profile', 'photos:read', 'photos:write', 'admin']);

  holds(
    'an approval ends as soon as a change exceeds the approved fields, and not before',
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

  it('the digest stays the same if a feature brings empty fields', () => {
    const few = fields.filter(({ name }) => name in METADATA_OF);
    expect(reviewDigestOf(METADATA_OF, fields)).toBe(reviewDigestOf(METADATA_OF, few));
  });

  it('a client without a digest is compared with its state before the change', () => {
    expect(change(client, { scopes: ['profile'] })).toEqual({});
    expect(change(client, { scopes: ['admin'] })).toEqual({
      awaitsApprovalSince: new Date(1),
      review: { digest: reviewDigestOf(client, fields), changed: ['scopes'] },
    });
    expect(change({ ...client, verified: true }, { name: 'Other' })).toMatchObject({ verified: false });
  });
});
