import { afterEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';

import { createStores } from '../../../lib/storage/stores.js';
import { registerInStep } from '../../support/barrier.js';
import { commandsDuring } from '../../support/commands.js';
import { codeQuery, logInPerson } from '../../support/person.js';
import { refusal } from '../../support/refusal.js';
import { asClient, METADATA, register } from '../../support/registration.js';
import { openSite, type Site, type SiteOptions } from '../../support/site.js';
import { siteFor } from '../../support/site-for.js';
import { obtainCode, redeem, tokenRequest, whoseGrantIs } from '../../support/tokens.js';

describe('RFC 7591 §3: access to registration', () => {
  const site = siteFor({ registration: {}, security: { rateLimits: false } });
  const tokenFor = async (uses?: number) =>
    (
      await site.oauth.registration.createInitialAccessToken({
        expiresIn: 60,
        ...(uses !== undefined && { uses }),
      })
    ).token;

  test('a registration without an initial access token gets 401 and a challenge (RFC 6750 §3)', async () => {
    const response = await register(site);
    expect(response).toMatchObject({ status: 401, body: { error: 'invalid_token' } });
    expect(response.headers['www-authenticate']).toMatch(/^Bearer realm=/);
  });

  test.each(['nonsense', `eas_it_${'A'.repeat(65)}`, `eas_at_${'A'.repeat(65)}`])(
    'the initial access token %s is answered 401 before the body is read',
    async (token) => {
      expect(await register(site, 'not JSON', token)).toMatchObject(refusal(401, 'invalid_token'));
    },
  );

  test('an initial access token is valid once by default', async () => {
    const token = await tokenFor();
    expect((await register(site, METADATA, token)).status).toBe(201);
    expect(await register(site, METADATA, token)).toMatchObject(refusal(401, 'invalid_token'));
  });

  test('a refusal because of maxClients in two processes does not use up initial access tokens', async () => {
    const settings = { registration: { maxClients: 1 }, security: { rateLimits: false } } as const;
    await using full = await openSite(settings);
    await using second = await openSite({ ...settings, database: full.database, issuer: full.url });
    const tokens = await Promise.all(
      [1, 2].map(() => full.oauth.registration.createInitialAccessToken({ expiresIn: 60 })),
    );
    const goOn = registerInStep(full);
    const refused = await Promise.all(
      tokens.map(({ token }, index) => register(index === 0 ? full : second, METADATA, token)),
    );
    goOn();
    expect(refused.map(({ status }) => status)).toEqual([503, 503]);
    expect((await register(full, METADATA, tokens[0]!.token)).status).toBe(201);
  });

  test('a flood without a token blocks no initial access token, and one token blocks no other token', async () => {
    await using limited = await openSite({ registration: {}, security: { rateLimits: { registration: 3 } } });
    const tokens = await Promise.all(
      [1, 2].map(() => limited.oauth.registration.createInitialAccessToken({ expiresIn: 60, uses: 5 })),
    );
    const statuses = async (times: number, token?: string) => {
      const all = [];
      for (let count = 0; count < times; count += 1)
        all.push((await register(limited, METADATA, token)).status);
      return all;
    };
    expect(await statuses(3)).toEqual([401, 401, 401]);
    expect(await statuses(1)).toEqual([429]);
    expect(await statuses(1, `eas_it_${'A'.repeat(65)}`)).toEqual([429]);
    expect(await statuses(4, tokens[0]!.token)).toEqual([201, 201, 201, 429]);
    expect(await statuses(1, tokens[1]!.token)).toEqual([201]);
  });

  test('an initial access token for three uses registers three of twenty concurrent clients', async () => {
    const token = await tokenFor(3);
    const countClients = () => site.database.collection('oauth_clients').countDocuments();
    const before = await countClients();
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => (await register(site, METADATA, token)).status),
    );
    expect(statuses.filter((status) => status === 201)).toHaveLength(3);
    expect(statuses.filter((status) => status === 401)).toHaveLength(17);
    expect((await countClients()) - before).toBe(3);
  });

  test('an invalid registration does not use up the initial access token [5-12]', async () => {
    const token = await tokenFor();
    expect((await register(site, { redirect_uris: ['javascript:alert(1)'] }, token)).status).toBe(400);
    expect((await register(site, METADATA, token)).status).toBe(201);
  });

  test('an expired or revoked initial access token is refused', async () => {
    const [expired, revoked] = [await tokenFor(), await tokenFor()];
    await site.database
      .collection('oauth_initial_access_tokens')
      .updateOne(whoseGrantIs(expired), { $set: { expiresAt: new Date(Date.now() - 1000) } });
    expect(await site.oauth.registration.revokeInitialAccessToken(revoked)).toBe(true);
    expect(await site.oauth.registration.revokeInitialAccessToken('nonsense')).toBe(false);
    for (const token of [expired, revoked]) expect((await register(site, METADATA, token)).status).toBe(401);
  });

  test('an initial access token is stored as a hash and removed by a TTL index', async () => {
    const token = await tokenFor();
    const collection = site.database.collection('oauth_initial_access_tokens');
    expect(JSON.stringify(await collection.find().toArray())).not.toContain(token.slice(29));
    expect(await collection.indexes()).toContainEqual(
      expect.objectContaining({ key: { expiresAt: 1 }, expireAfterSeconds: 0 }),
    );
  });

  test.each([
    { expiresIn: 0 },
    { expiresIn: 1.5 },
    { expiresIn: 60, uses: 0 },
    { expiresIn: 60, uses: Infinity },
  ])('createInitialAccessToken(%j) throws', async (options) => {
    await expect(site.oauth.registration.createInitialAccessToken(options)).rejects.toThrow(TypeError);
  });
});

describe('open registration and its abuse', () => {
  let site: Site;
  const open = async (options: SiteOptions) => (site = await openSite(options));
  afterEach(() => site.close());

  test('concurrent registrations cannot exceed maxClients', async () => {
    await open({ registration: { open: true, maxClients: 3 }, security: { rateLimits: false } });
    await site.client();
    const responses = await Promise.all(Array.from({ length: 12 }, () => register(site)));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(3);
    const refused = responses.find(({ status }) => status !== 201);
    expect(refused).toMatchObject({ status: 503, body: { error: 'temporarily_unavailable' } });
    expect(refused?.headers).toHaveProperty('retry-after');
    // clients of the site do not count, and can still be registered
    expect((await site.client()).clientId).toBeDefined();
  });

  test('concurrent registrations in two processes cannot exceed maxClients', async () => {
    const registration = { open: true, maxClients: 3 };
    await open({ registration, security: { rateLimits: false } });
    await using second = await openSite({
      registration,
      security: { rateLimits: false },
      database: site.database,
      issuer: site.url,
    });
    const all = await Promise.all(
      Array.from({ length: 12 }, (_, index) => register(index % 2 === 0 ? site : second)),
    );
    const made = all.filter(({ status }) => status === 201).length;
    expect(made).toBeLessThanOrEqual(3);
    expect(await site.database.collection('oauth_clients').countDocuments()).toBe(made);
  });

  test('a flood from one address is answered 429 after ten registrations in a minute', async () => {
    await open({ registration: { open: true } });
    const statuses = await Promise.all(Array.from({ length: 40 }, async () => (await register(site)).status));
    expect(statuses.filter((status) => status === 201)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(30);
    expect(await site.database.collection('oauth_clients').countDocuments()).toBe(10);
  });

  test('an unused client is removed after a day, and the first grant prolongs its life once', async () => {
    await open({ registration: { open: true }, security: { rateLimits: false } });
    const registered = (await register(site)).body;
    const clients = site.database.collection('oauth_clients');
    const expiresAt = async () => (await clients.findOne({ _id: registered.client_id }))?.expiresAt;
    expect(await clients.indexes()).toContainEqual(
      expect.objectContaining({ key: { expiresAt: 1 }, expireAfterSeconds: 0 }),
    );
    expect(await expiresAt()).toBeInstanceOf(Date);

    const client = await asClient(site, registered);
    const person = await logInPerson(site);
    const query = codeQuery(client);
    await person.authorize(query, { decision: 'deny' });
    expect(await expiresAt()).toBeInstanceOf(Date);
    const code = await obtainCode(site, client);
    const daysLeft = (((await expiresAt()) as Date).getTime() - Date.now()) / 86_400_000;
    expect(Math.round(daysLeft)).toBe(31);

    const count = await countCommands(site, async () =>
      expect((await redeem(site, client, code)).status).toBe(200),
    );
    expect(count).toBe(2);
  });

  test('a client that is removed while the consent page is open gets no code', async () => {
    await open({ registration: { open: true }, security: { rateLimits: false } });
    const { client_id: clientId } = (await register(site)).body;
    const person = await logInPerson(site);
    const page = await person.openAuthorize(codeQuery(clientId));
    const { clients } = createStores(site.database.connection, { timeout: 5000 });
    const client = await clients.find(clientId);
    await clients.delete(clientId);
    expect((await person.choose(page)).status).toBe(400);
    // also between the look-up of the client and the storing of the grant
    await expect(clients.prolong(client!, new Date())).rejects.toMatchObject({
      error: 'unauthorized_client',
    });
  });

  test('client_credentials of a registered client costs two commands after the first two uses', async () => {
    await open({
      registration: { open: true, grantTypes: ['client_credentials'] },
      security: { rateLimits: false },
    });
    const client = await asClient(
      site,
      (await register(site, { client_name: 'Robot', grant_types: ['client_credentials'] })).body,
    );
    const call = () =>
      tokenRequest(site, client, { grant_type: 'client_credentials' }).then(({ status }) =>
        expect(status).toBe(200),
      );
    // the first two uses prolong the life of the client
    expect(await countCommands(site, call)).toBe(3);
    expect(await countCommands(site, call)).toBe(3);
    expect(await countCommands(site, call)).toBe(2);
  });

  test('§5 the consent page marks the client as unverified and shows a hostile name as text [2.2-3] [5-6] [5-10]', async () => {
    await open({ registration: { open: true }, security: { rateLimits: false } });
    const name = '<img src=x onerror=alert(1)> "Bank" & Co';
    const self = (
      await register(site, { ...METADATA, client_name: name, logo_uri: 'https://elsewhere.example/logo.png' })
    ).body;
    const person = await logInPerson(site);
    const page = await person.openAuthorize(codeQuery(self.client_id));
    expect(page.text).toContain('id="client-unverified"');
    expect(page.text).not.toContain('<img');
    expect(page.text).toContain('&lt;img src=x');
    expect(page.text).not.toContain('logo.png');
    const known = await site.client({ verified: true });
    const defaultValue = await person.openAuthorize(codeQuery(known));
    expect(defaultValue.text).not.toContain('client-unverified');
  });

  test('the site limits the scopes and grant types of registered clients', async () => {
    await open({
      registration: { open: true, scopes: ['profile'], grantTypes: ['authorization_code'] },
      security: { rateLimits: false },
    });
    expect((await register(site, { ...METADATA, scope: 'photos:write profile' })).body).toMatchObject({
      scope: 'profile',
      grant_types: ['authorization_code'],
    });
  });

  test('a registration body that the site has parsed is accepted', async () => {
    const express = (await import('express')).default;
    await open({
      registration: { open: true },
      security: { rateLimits: false },
      before: (app) => app.use(express.json()),
    });
    expect((await register(site)).status).toBe(201);
    expect(
      (await request(site.server).post('/oauth/register').type('application/json').send('[]')).status,
    ).toBe(400);
  });
});

async function countCommands(site: Site, work: () => PromiseLike<unknown>): Promise<number> {
  return (await commandsDuring(site.database, work)).length;
}
