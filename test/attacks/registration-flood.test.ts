import { afterEach, describe, expect, test } from '@jest/globals';

import { letPass } from '../support/clock.js';
import { mergeOptions } from '../support/merge-options.js';
import { asClient, METADATA, register } from '../support/registration.js';
import { openSite, type Site, type SiteOptions } from '../support/site.js';
import { callApi, obtainTokens, refreshTokens } from '../support/tokens.js';

const DAY = 86_400;

describe('a flooded registration', () => {
  let site: Site;
  const open = async (options: SiteOptions = {}) =>
    (site = await openSite(
      mergeOptions(
        {
          registration: { open: true, maxClients: 3 },
          security: { rateLimits: false },
          advanced: { clientCacheTtl: 0 },
        },
        options,
      ),
    ));
  afterEach(() => site.close());

  const registered = async () => (await register(site).expect(201)).body;
  const isThere = async (id: string) => (await site.oauth.clients.find(id)) !== null;
  const stored = async (id: string) =>
    site.database.collection<{ _id: string; expiresAt?: Date }>('oauth_clients').findOne({ _id: id });

  test('a full registration opens after ten minutes by evicting the oldest unused client', async () => {
    await open();
    const clients = [await registered(), await registered(), await registered()];
    const refused = await register(site);
    expect(refused).toMatchObject({ status: 503, body: { error: 'temporarily_unavailable' } });
    expect(refused.headers['retry-after']).toBe('600');
    letPass(601);
    await registered();
    expect(await Promise.all(clients.map(({ client_id }) => isThere(client_id)))).toEqual([
      false,
      true,
      true,
    ]);
  });

  test('used clients neither fill the registration nor are evicted', async () => {
    await open();
    const used = [];
    for (let number = 0; number < 4; number += 1) {
      const client = await asClient(site, await registered());
      used.push({ client, tokens: await obtainTokens(site, client) });
    }
    for (let number = 0; number < 3; number += 1) await registered();
    letPass(601);
    for (let number = 0; number < 3; number += 1) await registered();
    for (const { client, tokens } of used) {
      expect(await isThere(client.clientId)).toBe(true);
      expect((await callApi(site, tokens.access_token)).status).toBe(200);
    }
  });

  test('verified clients neither fill the registration nor are evicted', async () => {
    await open();
    const adopted = await registered();
    await site.oauth.clients.update(adopted.client_id, { verified: true });
    for (let number = 0; number < 3; number += 1) await registered();
    letPass(601);
    for (let number = 0; number < 3; number += 1) await registered();
    expect(await isThere(adopted.client_id)).toBe(true);
    // a verified client never expires, even after a use
    await obtainTokens(site, await asClient(site, adopted));
    expect(await stored(adopted.client_id)).not.toHaveProperty('expiresAt');
  });

  test('a client lives on with each grant and refresh, and longer than its tokens', async () => {
    await open({ registration: { open: true, usedTtl: DAY }, lifetimes: { refreshToken: 30 * DAY } });
    const client = await asClient(site, await registered());
    const { refresh_token } = await obtainTokens(site, client);
    const endsAt = async () => (await stored(client.clientId))?.expiresAt?.getTime() ?? 0;
    const first = await endsAt();
    expect(first).toBeGreaterThan(Date.now() + 30 * DAY * 1000);
    letPass(29 * DAY);
    const { body } = await refreshTokens(site, client, refresh_token);
    expect(body.access_token).toBeDefined();
    expect((await endsAt()) - first).toBeGreaterThan(28 * DAY * 1000);
  });

  test('a used client without an expiry gets one with its next grant', async () => {
    await open();
    const client = await asClient(site, await registered());
    await site.database.update('oauth_clients', client.clientId, {
      $unset: { expiresAt: 1, 'registration.unusedSince': 1 },
    });
    await obtainTokens(site, client);
    expect((await stored(client.clientId))?.expiresAt).toBeInstanceOf(Date);
  });

  test.each([
    ['addresses of a /48 of IPv6', (number: number) => `2001:db8:7:${number.toString(16)}00::1`, 10],
    ['addresses of a /24', (number: number) => `203.0.113.${number}`, 10],
  ])('many %s count as one network', async (_what, addressOf, allowed) => {
    await open({
      registration: { open: true, maxClients: 1000 },
      security: { rateLimits: { registration: 2 } },
      before: (app) => app.set('trust proxy', 1),
    });
    const from = (address: string) =>
      register(site, METADATA).set({ 'X-Forwarded-For': address, 'X-Forwarded-Proto': 'https' });
    const statuses = [];
    for (let number = 1; number <= 12; number += 1) statuses.push((await from(addressOf(number))).status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(allowed);
    expect(statuses.slice(allowed)).toEqual([429, 429]);
    const other = await from('198.51.100.1');
    expect(other.status).toBe(201);
  });
});
