import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

import { deleteClient } from '../../lib/core/clients/registry/client-status.js';
import { createGrantRevocation } from '../../lib/core/grants/grant-registry.js';
import type { ClientWithSecret } from '../../lib/index.js';
import { createStores, type Stores } from '../../lib/storage/stores.js';
import { openDatabase } from '../support/database.js';
import { decideOn, DEVICE_CODE, deviceClient, personOf, poll, startDevice } from '../support/device.js';
import { codeQuery, locationOf, logInPerson, type Person } from '../support/person.js';
import { openSite, type Site } from '../support/site.js';
import { callApi, obtainCode, obtainTokens, redeem, refreshTokens } from '../support/tokens.js';

/** Changes between two steps of a grant: the client is deleted, loses scopes, or is disconnected. */
let site: Site;
/** The same in another process, which caches clients and hears of no changes. */
let deaf: Site;
let stores: Stores;
let client: ClientWithSecret;
let ada: Person;

beforeAll(async () => {
  const grantTypes = ['authorization_code', 'refresh_token', DEVICE_CODE] as const;
  site = await openSite({ grantTypes, security: { rateLimits: false } });
  deaf = await openSite({
    database: await openDatabase(site.database.connection.name),
    issuer: site.url,
    grantTypes,
    security: { rateLimits: false },
    advanced: { clientCacheTtl: 60 },
  });
  await deaf.oauth.close();
  stores = createStores(site.database.connection, { timeout: 5000 });
  ada = await logInPerson(site);
});
beforeEach(async () => void (client = await site.client()));
afterAll(async () => {
  await stores.close();
  await deaf.close();
  await deaf.database.connection.close();
  await site.close();
});

const grants = () => site.database.collection('oauth_grants');
/** As if the client's grants had been stored a moment later, just after the search for grants to revoke. */
const storeLater = (clientId = client.clientId) =>
  grants().updateMany({ clientId }, { $unset: { revokedAt: 1 } });
const revoked = () => grants().countDocuments({ clientId: client.clientId, revokedAt: { $exists: true } });
const silently = async () =>
  locationOf(await ada.openAuthorize(codeQuery(client, { scope: 'profile', prompt: 'none' }))).searchParams;

describe('a client that another process has deleted', () => {
  test('a code that was stored while another process deleted its client is refused', async () => {
    await obtainTokens(deaf, client);
    const code = await obtainCode(site, client);
    await site.oauth.clients.delete(client.clientId);
    await storeLater();
    expect((await redeem(deaf, client, code)).body.error).toBe('invalid_client');
  });

  test('a device code that was allowed while another process deleted its client is refused', async () => {
    const frame = await deviceClient(site);
    const device = await startDevice(site, frame);
    await poll(deaf, frame, device).expect(400);
    await decideOn(await personOf(site), device);
    await site.oauth.clients.delete(frame.clientId);
    await storeLater(frame.clientId);
    expect((await poll(deaf, frame, device)).body.error).toBe('invalid_grant');
  });
});

describe('a client that is deleted', () => {
  test('the deletion of a client also ends a grant and a consent stored meanwhile', async () => {
    const { access_token: token } = await obtainTokens(site, client);
    const now = new Date();
    const ended = await deleteClient(stores, { clientId: client.clientId, now }, async () => {
      await storeLater();
      await stores.consents.remember('ada', client.clientId, {
        requested: ['profile'],
        allowed: ['profile'],
        now,
      });
      return stores.clients.delete(client.clientId);
    });
    expect(ended).toBe(2);
    expect((await callApi(site, token)).status).toBe(401);
    expect(await stores.consents.findScopes('ada', client.clientId)).toBeNull();
  });
});

describe('a client that is disconnected', () => {
  test('a silent request gets no code while its client is being disconnected', async () => {
    await obtainTokens(site, client);
    let answer = new URLSearchParams();
    const registry = createGrantRevocation({
      ...stores,
      grants: {
        ...stores.grants,
        async revokeAll(...of) {
          const count = await stores.grants.revokeAll(...of);
          answer = await silently();
          return count;
        },
      },
    });
    expect((await silently()).get('code')).toEqual(expect.any(String));
    await registry.revoke({ userId: 'ada', clientId: client.clientId });
    expect(answer.get('error')).toBe('login_required');
    expect(await revoked()).toBe(await grants().countDocuments({ clientId: client.clientId }));
  });

  test('the disconnection of a client ends a grant that an earlier request stores meanwhile', async () => {
    const { access_token: token } = await obtainTokens(site, client);
    let isFirst = true;
    const registry = createGrantRevocation({
      ...stores,
      grants: {
        ...stores.grants,
        async revokeAll(...of) {
          const count = await stores.grants.revokeAll(...of);
          if (isFirst) await storeLater();
          isFirst = false;
          return count;
        },
      },
    });
    await registry.revoke({ userId: 'ada', clientId: client.clientId });
    expect((await callApi(site, token)).status).toBe(401);
  });
});

describe('scopes that the client has lost meanwhile', () => {
  const lose = (id: string) => site.oauth.clients.update(id, { scopes: ['profile'] });

  test('a code gives no scope that its client has lost', async () => {
    const code = await obtainCode(site, client, { query: { scope: 'photos:write profile' } });
    await lose(client.clientId);
    const { body } = await redeem(site, client, code).expect(200);
    expect(body.scope).toBe('profile');
    expect((await callApi(site, body.access_token)).body.scopes).toEqual(['profile']);
  });

  test('a code without any scope left is refused until its client has the scope again', async () => {
    const code = await obtainCode(site, client, { query: { scope: 'photos:write' } });
    await lose(client.clientId);
    expect((await redeem(site, client, code).expect(400)).body.error).toBe('invalid_scope');
    await site.oauth.clients.update(client.clientId, { scopes: client.scopes });
    await redeem(site, client, code).expect(200);
  });

  test('a device code gives no scope that its client has lost', async () => {
    const frame = await deviceClient(site);
    const device = await startDevice(site, frame, { scope: 'photos:write profile' });
    await decideOn(await personOf(site), device);
    await lose(frame.clientId);
    const { body } = await poll(site, frame, device).expect(200);
    expect(body.scope).toBe('profile');
    expect((await callApi(site, body.access_token)).body.scopes).toEqual(['profile']);
  });

  test('a refresh token within reuseGrace gives no scope that its client has lost', async () => {
    await using patient = await openSite({
      database: site.database,
      issuer: site.url,
      tokens: { reuseGrace: 600 },
      security: { rateLimits: false },
      advanced: { clientCacheTtl: 0 },
    });
    const { refresh_token: token } = await obtainTokens(site, client, {
      query: { scope: 'photos:write profile' },
    });
    const refresh = () => refreshTokens(patient, client, token);
    expect((await refresh()).body.scope).toBe('photos:write profile');
    await lose(client.clientId);
    expect((await refresh()).body.error).toBe('invalid_scope');
  });
});
