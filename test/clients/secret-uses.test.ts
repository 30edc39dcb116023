import { describe, expect, test } from '@jest/globals';

import { createSecretUses } from '../../lib/core/clients/secrets/secret-last-used.js';
import type { OAuthError } from '../../lib/index.js';
import { macAssertion, postAssertion } from '../support/assertions.js';
import { letPass } from '../support/clock.js';
import { commandsDuring } from '../support/commands.js';
import { openSite } from '../support/site.js';
import { siteFor } from '../support/site-for.js';
import { postToken, tokenRequest } from '../support/tokens.js';
import { until } from '../support/until.js';

const GRANT = { grant_type: 'client_credentials' };
const A_DAY = 86_400;
const today = () => new Date(Math.floor(Date.now() / 86_400_000) * 86_400_000);

const options = {
  security: { rateLimits: false },
  clientAuthentication: { secretKey: 'a key of the host, 32 characters at least' },
} as const;
const site = siteFor(options);
const there = siteFor(() => ({ ...options, database: site.database, issuer: site.url }));

const create = (more = {}) => site.client({ grantTypes: ['client_credentials'], redirectUris: [], ...more });
const secretsOf = async (clientId: string, at = site) => (await at.oauth.clients.find(clientId))!.secrets;

describe('a secret that was made here', () => {
  test('a generated secret is listed with its last four characters, and nothing else of it', async () => {
    const { clientId, clientSecret = '' } = await create();
    const stored = await site.oauth.models.Client.findById(clientId).lean();
    expect(await secretsOf(clientId)).toEqual([
      { createdAt: expect.any(Date), ending: clientSecret.slice(-4) },
    ]);
    expect(JSON.stringify(stored)).not.toContain(clientSecret.slice(-5));
    const rotated = await site.oauth.clients.rotateSecret(clientId);
    expect((await secretsOf(clientId)).map(({ ending }) => ending)).toEqual([
      rotated!.clientSecret!.slice(-4),
      clientSecret.slice(-4),
    ]);
  });

  test('each secret of a rotation is listed with the day of its last use', async () => {
    const first = await create();
    const { clientId } = first;
    await tokenRequest(site, first, GRANT).expect(200);
    expect(await secretsOf(clientId)).toMatchObject([{ lastUsedOn: today() }]);
    const firstDay = today();
    const second = (await site.oauth.clients.rotateSecret(clientId))!;
    expect(await secretsOf(clientId)).toMatchObject([{}, { lastUsedOn: firstDay }]);
    expect((await secretsOf(clientId))[0]).not.toHaveProperty('lastUsedOn');
    letPass(A_DAY / 2);
    await tokenRequest(site, second, GRANT).expect(200);
    const [current, old] = await secretsOf(clientId);
    expect(current).toMatchObject({ lastUsedOn: today() });
    expect(old).toMatchObject({ lastUsedOn: firstDay });
  });

  test('a wrong secret does not count as a use', async () => {
    const { clientId, clientSecret = '' } = await create();
    const wrong = { clientId, clientSecret: `${clientSecret}x` };
    await tokenRequest(site, { ...(await create()), ...wrong }, GRANT).expect(401);
    expect((await secretsOf(clientId))[0]).not.toHaveProperty('lastUsedOn');
  });

  test('a secret in the body and a secret for a MAC count as a use', async () => {
    const { clientId, clientSecret = '' } = await create();
    await postToken(site, { ...GRANT, client_id: clientId, client_secret: clientSecret }).expect(200);
    expect(await secretsOf(clientId)).toMatchObject([{ lastUsedOn: today() }]);
    const signing = await create({ tokenEndpointAuthMethod: 'client_secret_jwt' });
    const assertion = await macAssertion(site, signing.clientId, signing.clientSecret!);
    await site.oauth.clients.rotateSecret(signing.clientId);
    expect((await postAssertion(site, assertion)).status).toBe(200);
    const [newer, older] = await secretsOf(signing.clientId);
    expect(newer).not.toHaveProperty('lastUsedOn');
    expect(older).toMatchObject({ lastUsedOn: today() });
  });
});

test('an imported secret is listed without its last characters, for it could be guessed', async () => {
  const client = await create({ clientSecret: 'a secret that they have had for years' });
  expect((await secretsOf(client.clientId))[0]).not.toHaveProperty('ending');
  await tokenRequest(site, client, GRANT).expect(200);
  expect(await secretsOf(client.clientId)).toMatchObject([{ lastUsedOn: today() }]);
});

test('an older stored secret gets a day of use at its next use', async () => {
  const client = await create();
  await site.database.update('oauth_clients', client.clientId, { $unset: { 'secrets.0.ending': 1 } });
  expect(await secretsOf(client.clientId)).toEqual([{ createdAt: expect.any(Date) }]);
  await tokenRequest(site, client, GRANT).expect(200);
  expect(await secretsOf(client.clientId)).toEqual([{ createdAt: expect.any(Date), lastUsedOn: today() }]);
});

describe('what it costs', () => {
  test('the day of use costs a token request nothing, and each process one command a day', async () => {
    const client = await create();
    const { clientId } = client;
    const token = () => tokenRequest(site, client, GRANT).expect(200);
    const use = async () => commandsDuring(site.database, async () => void (await token(), await token()));
    const look = () => commandsDuring(site.database, () => site.oauth.clients.find(clientId));
    const defaultValue = ['find oauth_clients', 'insert oauth_grants'];
    expect(await use()).toEqual([...defaultValue, ...defaultValue]);
    expect(await look()).toEqual(['update oauth_clients', 'find oauth_clients']);
    expect(await use()).toEqual([...defaultValue, ...defaultValue]);
    expect(await look()).toEqual(['find oauth_clients']);
    // another process, which has read the stored day
    await tokenRequest(there, client, GRANT).expect(200);
    const elsewhere = await commandsDuring(site.database, () => there.oauth.clients.find(clientId));
    expect(elsewhere).toEqual(['find oauth_clients']);
    letPass(A_DAY);
    expect(await use()).toEqual([...defaultValue, ...defaultValue]);
    expect(await look()).toEqual(['update oauth_clients', 'find oauth_clients']);
    expect(await secretsOf(clientId)).toMatchObject([{ lastUsedOn: today() }]);
  });

  test("a client's updatedAt stays the same when the use of its secret is stored", async () => {
    const client = await create();
    const before = await site.oauth.clients.find(client.clientId);
    await tokenRequest(site, client, GRANT).expect(200);
    const after = await site.oauth.clients.find(client.clientId);
    expect(after!.secrets[0]).toHaveProperty('lastUsedOn');
    expect(after!.updatedAt).toEqual(before!.updatedAt);
  });

  test('close() stores the pending days of use', async () => {
    await using ending = await openSite({
      database: site.database,
      issuer: site.url,
      security: { rateLimits: false },
    });
    const client = await create();
    await tokenRequest(ending, client, GRANT).expect(200);
    expect((await secretsOf(client.clientId))[0]).not.toHaveProperty('lastUsedOn');
    await ending.oauth.close();
    expect(await secretsOf(client.clientId)).toMatchObject([{ lastUsedOn: today() }]);
  });

  test('an earlier day of use never replaces a later one', async () => {
    const client = await create();
    letPass(3 * A_DAY);
    await tokenRequest(site, client, GRANT).expect(200);
    await secretsOf(client.clientId);
    const later = today();
    letPass(-2 * A_DAY);
    await tokenRequest(there, client, GRANT).expect(200);
    expect(await secretsOf(client.clientId, there)).toMatchObject([{ lastUsedOn: later }]);
  });
});

describe('a database that does not take it', () => {
  const SECRET = { hash: 'h', algorithm: 'sha256', createdAt: new Date() } as const;

  test('a failing write of the day of use delays no request, is reported once, and is repeated', async () => {
    const reported: OAuthError[] = [];
    let [requested, isDown] = [0, true];
    const uses = createSecretUses({
      clients: {
        endRawBasic: () => Promise.resolve(),
        noteSecretUse: () => {
          requested += 1;
          return isDown ? Promise.reject(new Error('down')) : Promise.resolve();
        },
      },
      onError: (error) => void reported.push(error),
      interval: 1,
    });
    uses.note({ clientId: 'c' }, SECRET);
    await until(() => requested >= 1);
    uses.note({ clientId: 'c' }, SECRET);
    await uses.flush('c');
    expect([requested, reported.length]).toEqual([2, 1]);
    expect(reported[0]).toMatchObject({
      error: 'temporarily_unavailable',
      detail: expect.stringContaining('day'),
    });
    isDown = false;
    uses.note({ clientId: 'c' }, SECRET);
    await uses.close();
    uses.note({ clientId: 'c' }, SECRET);
    await uses.flush('c');
    expect([requested, reported.length]).toEqual([3, 1]);
  });

  test('the pending days of use are bounded in number', async () => {
    let stored = 0;
    const uses = createSecretUses({
      clients: {
        endRawBasic: () => Promise.resolve(),
        noteSecretUse: () => Promise.resolve(void (stored += 1)),
      },
    });
    for (let index = 0; index < 1500; index += 1)
      uses.note({ clientId: 'c' }, { ...SECRET, hash: String(index) });
    await uses.close();
    expect(stored).toBe(1000);
  });
});
