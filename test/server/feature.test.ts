import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterEach, describe, expect, test } from '@jest/globals';

import { openDatabase, type TestDatabase } from '../support/database.js';
import { openSite, type Site, type SiteOptions } from '../support/site.js';

/** The collection of each feature, and the option that switches it on. */
const STORED: readonly (readonly [string, string, SiteOptions])[] = [
  [
    'oauth_user_codes',
    'UserCode',
    { grantTypes: ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'] },
  ],
  ['oauth_initial_access_tokens', 'InitialAccessToken', { registration: {} }],
  ['oauth_audit', 'AuditEntry', { audit: { ttl: 3600 } }],
  ['oauth_migrated', 'Migrated', { tokens: { migrated: true } }],
  ['oauth_pushed_requests', 'PushedRequest', { pushedRequests: true }],
  ['oauth_used_proofs', 'UsedProof', { dpop: true }],
  [
    'oauth_received_events',
    'ReceivedEvent',
    {
      sharedSignals: {
        receiver: {
          transmitters: [{ issuer: 'https://idp.example', audience: 'https://photos.example' }],
          endSessions: () => undefined,
        },
      },
    },
  ],
  ['oauth_sign_ins', 'SignIn', { openid: { claims: () => ({}) } }],
  [
    'oauth_webhooks',
    'Webhook',
    {
      webhooks: [
        {
          url: 'https://hooks.example/',
          secret: `whsec_${randomBytes(32).toString('base64')}`,
          events: ['grant.revoked'],
        },
      ],
    },
  ],
];

let site: Site | undefined;
let database: TestDatabase | undefined;
afterEach(async () => {
  await site?.close();
  await database?.close();
  site = database = undefined;
});

async function open(options: SiteOptions = {}) {
  database = await openDatabase();
  site = await openSite({ database, ...options });
  const collections = await site.database.connection.listCollections();
  return { models: Object.keys(site.oauth.models), collections: collections.map(({ name }) => name) };
}

describe('the collection of a feature', () => {
  test('the collections of features that are off are not made', async () => {
    const { models, collections } = await open();
    for (const [collection, model] of STORED) {
      expect(models).not.toContain(model);
      expect(collections).not.toContain(collection);
    }
    expect(collections).toContain('oauth_grants');
  });

  test.each(STORED)('the collection %s is made with its feature', async (collection, model, options) => {
    const { models, collections } = await open(options);
    // logout messages for clients are stored where webhooks are
    const beside = model === 'SignIn' ? ['Webhook', 'oauth_webhooks'] : [];
    const isOwn = (name: string, known: string) => known === name && !beside.includes(name);
    expect(models.filter((name) => STORED.some(([, other]) => isOwn(name, other)))).toEqual([model]);
    expect(collections.filter((name) => STORED.some(([other]) => isOwn(name, other)))).toEqual([collection]);
  });

  test('no collection is made for proofs in the memory of each process', async () => {
    const { models, collections } = await open({ dpop: { replay: 'memory' } });
    expect(models).not.toContain('UsedProof');
    expect(collections).not.toContain('oauth_used_proofs');
  });

  test('a collection is made if code uses it while its feature is off', async () => {
    const { models } = await open();
    expect(models).not.toContain('InitialAccessToken');
    await site?.oauth.registration.createInitialAccessToken({ expiresIn: 60 });
    expect(await site?.database.collection('oauth_initial_access_tokens').countDocuments()).toBe(1);
  });
});

test('no endpoint checks whether a feature is on', () => {
  const endpoints = fileURLToPath(new URL('../../lib/server/endpoints/', import.meta.url));
  const files = readdirSync(endpoints);
  expect(files).toContain('metadata.ts');
  // the settings of a feature that is off are `false`
  const asks = /[!=]== false|\bsettings\.(formPost|tokens\.migrated|signedResponses)\b/;
  expect(files.filter((name) => asks.test(readFileSync(join(endpoints, name), 'utf8')))).toEqual([]);
});
