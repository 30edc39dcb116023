import mongoose, { type Connection } from 'mongoose';

/**
 * The number of documents of each kind of other clients and users, which a command must not examine. Thousands on an
 * external MongoDB, otherwise no more than needed, because SecantusDB takes minutes to drop thousands.
 */
export const OTHERS = process.env.MONGODB_URI ? 3000 : 150;

const HOUR = 3600_000;
const HASH = 'of-something-else-of-the-usual-length-of-43-';

/** Fills the collections with documents of other clients and users than the test's. */
export async function addOtherDocuments(connection: Connection, now = Date.now()): Promise<void> {
  const insert = (name: string, make: (index: number, at: Date) => object) =>
    connection
      .collection(name)
      .insertMany(Array.from({ length: OTHERS }, (_, index) => make(index, new Date(now - index * 1000))));
  const later = new Date(now + HOUR);

  await insert('oauth_clients', (index, at) => ({
    _id: `other-client-${index}`,
    name: 'Another',
    type: 'confidential',
    redirectUris: ['https://other.example/'],
    scopes: ['profile'],
    grantTypes: ['authorization_code'],
    trusted: false,
    ownerId: `owner-${index}`,
    coOwnerIds: [`other-owner-${index}`],
    invitations: [
      { id: `${index}`, userId: `guest-${index}`, typed: 'guest', as: 'owner', expiresAt: later },
    ],
    secrets: [{ hash: HASH, algorithm: 'sha256', createdAt: at }],
    createdAt: at,
    updatedAt: at,
  }));
  await insert('oauth_client_logos', (index) => ({
    _id: `other-client-${index}`,
    url: 'https://other.example/logo.png',
    expiresAt: later,
  }));
  await insert('oauth_grants', (index, at) => ({
    _id: `other-grant-${index}`,
    clientId: `other-client-${index}`,
    userId: `other-user-${index}`,
    scopes: ['profile'],
    grantType: 'authorization_code',
    code: { hash: HASH, usedAt: at, expiresAt: at },
    accessTokens: [{ hash: HASH, expiresAt: later }],
    refreshToken: { hash: HASH, expiresAt: later },
    createdAt: at,
    renewedAt: at,
    expiresAt: later,
  }));
  await insert('oauth_consents', (index, at) => ({
    userId: `other-user-${index}`,
    clientId: `other-client-${index}`,
    scopes: ['profile'],
    createdAt: at,
    updatedAt: at,
  }));
  await insert('oauth_audit', (index, at) => ({
    _id: new mongoose.Types.ObjectId(),
    type: 'token.issued',
    time: at,
    userId: `other-user-${index}`,
    clientId: `other-client-${index}`,
    expiresAt: later,
  }));
  await insert('oauth_user_codes', (index) => ({
    _id: `other-code-${index}`,
    grantId: `other-grant-${index}`,
    expiresAt: later,
  }));
  await insert('oauth_pushed_requests', (index) => ({
    _id: `other-request-${index}`,
    clientId: `other-client-${index}`,
    parameters: 'response_type=code',
    promptKey: HASH,
    expiresAt: later,
    keptUntil: later,
  }));
  await insert('oauth_used_proofs', (index) => ({ _id: `other-proof-${index}`, expiresAt: later }));
  await insert('oauth_assertion_ids', (index) => ({ _id: `other-id-${index}`, expiresAt: later }));
  await insert('oauth_migrated', (index) => ({
    _id: `other-thing-${index}`,
    kind: 'access_token',
    grantId: `other-grant-${index}`,
  }));
  await insert('oauth_limits', (index) => ({ _id: `other-${index}`, points: 2, expire: later }));
  await insert('oauth_refusals', (index) => ({
    _id: `2026-01-01 other-client-${index}`,
    hours: { 7: { code_expired: 3 } },
    expiresAt: later,
  }));
  await insert('oauth_sign_ins', (index, at) => ({
    _id: `other-sign-in-${index}`,
    sid: `other-session-${index}`,
    userId: `other-user-${index}`,
    clientId: `other-client-${index}`,
    at,
    expiresAt: later,
  }));
  await insert('oauth_received_events', (index, at) => ({
    _id: `other-event-${index}`,
    endpoint: 'shared signals',
    type: 'session-revoked',
    payload: '{}',
    createdAt: at,
    triedSince: at,
    attempts: 0,
    expiresAt: later,
  }));
  await insert('oauth_signal_streams', (index, at) => ({
    _id: `other-stream-${index}`,
    clientId: `other-client-${index}`,
    audience: 'other',
    delivery: { method: 'poll' },
    status: 'enabled',
    createdAt: at,
  }));
  await insert('oauth_stream_subjects', (index) => ({
    _id: `other-subject-${index}`,
    streamId: `other-stream-${index}`,
    subject: '{}',
    isRemoved: true,
  }));
  await insert('oauth_webhooks', (index, at) => ({
    _id: `msg_0${index}`,
    endpoint: 'another.example',
    type: 'grant.revoked',
    about: `other-grant-${index}`,
    payload: '{}',
    createdAt: at,
    triedSince: at,
    attempts: 1,
    ...(index % 2 === 0 ? { nextAt: later } : { failedAt: at, stops: `another.example ${index}` }),
    expiresAt: later,
  }));
  await insert('oauth_initial_access_tokens', (index, at) => ({
    _id: `other-token-${index}`,
    hash: HASH,
    uses: 1,
    createdAt: at,
    expiresAt: later,
  }));
  await insert('oauth_users', (index, at) => ({
    _id: `other-user-${index}`,
    username: `Other ${index}`,
    usernameKey: `other ${index}`,
    name: 'Other',
    passwordHash: HASH,
    createdAt: at,
  }));
}
