import { beforeAll, describe, expect, jest, test } from '@jest/globals';

import type { OAuthEvent } from '../../lib/index.js';
import {
  allowStored,
  DEVICE_CODE,
  deviceRequest,
  personOf,
  poll,
  startDevice,
  typeCode,
} from '../support/device.js';
import { codeQuery, logInPerson } from '../support/person.js';
import { asClient, manage, METADATA, register } from '../support/registration.js';
import { type Site } from '../support/site.js';
import { siteFor } from '../support/site-for.js';
import {
  callApi,
  clientRequest,
  obtainCode,
  obtainTokens,
  redeem,
  refreshTokens,
  tokenRequest,
} from '../support/tokens.js';
import { until } from '../support/until.js';
import { withoutDetail } from '../support/without-detail.js';

const GRANT_TYPES = ['authorization_code', 'refresh_token', 'client_credentials', DEVICE_CODE] as const;

const options = {
  grantTypes: GRANT_TYPES,
  registration: { open: true },
  security: { rateLimits: false },
  advanced: { clientCacheTtl: 60 },
} as const;
const site = siteFor(options);
/** Another process of the site, which caches clients for a long time and hears of no changes. */
const other = siteFor(() => ({ ...options, database: site.database, issuer: site.url }));
let events: OAuthEvent[] = [];
beforeAll(() => void site.oauth.events.on('*', (event) => void events.push(event)));

const clientOf = () => site.client({ grantTypes: [...GRANT_TYPES], introspection: true });
const introspect = async (at: Site, client: Awaited<ReturnType<typeof clientOf>>, token: string) =>
  clientRequest(at, client, '/oauth/introspect', { token });
const refresh = (at: Site, client: Awaited<ReturnType<typeof clientOf>>, token: string) =>
  refreshTokens(at, client, token);
/** Blocks a client before or after the next read of a grant, in the middle of a request. */
function blockWhileRead(clientId: string, when: 'before' | 'after') {
  const { collection } = site.oauth.models.Grant;
  const found = collection.findOne.bind(collection);
  const spy = jest.spyOn(collection, 'findOne');
  spy.mockImplementationOnce(async (...given: Parameters<typeof found>) => {
    spy.mockRestore();
    if (when === 'before') await site.oauth.clients.block(clientId);
    const grant = await found(...given);
    if (when === 'after') await site.oauth.clients.block(clientId);
    return grant;
  });
}
const REFUSED = { status: 400, body: { error: 'unauthorized_client' } };

describe('a client that is blocked gets nothing from that moment on, at any process', () => {
  test('access tokens of a blocked client are refused and inactive until it is unblocked', async () => {
    const [client, api] = [await clientOf(), await clientOf()];
    const tokens = await obtainTokens(site, client);
    expect((await callApi(other, tokens.access_token)).status).toBe(200);
    await site.oauth.clients.block(client.clientId, { reason: 'It sends spam.' });
    for (const at of [site, other]) {
      expect((await callApi(at, tokens.access_token)).status).toBe(401);
      expect((await introspect(at, api, tokens.access_token)).body).toEqual({ active: false });
      expect((await introspect(at, api, tokens.refresh_token)).body).toEqual({ active: false });
    }
    await site.oauth.clients.unblock(client.clientId);
    for (const at of [site, other]) {
      expect((await callApi(at, tokens.access_token)).status).toBe(200);
      expect((await introspect(at, api, tokens.access_token)).body).toMatchObject({ active: true });
    }
  });

  test('a refresh token of a blocked client is refused even by a cache, and not used up', async () => {
    const client = await clientOf();
    const { refresh_token: first } = await obtainTokens(site, client);
    // so that the other process caches it
    const { refresh_token: token } = (await refresh(other, client, first)).body as { refresh_token: string };
    await site.oauth.clients.block(client.clientId);
    expect(await refresh(other, client, token)).toMatchObject(REFUSED);
    expect(await refresh(site, client, token)).toMatchObject(REFUSED);
    // if the client were not blocked, presenting it again would end the grant
    expect(await refresh(other, client, first)).toMatchObject(REFUSED);
    await site.oauth.clients.unblock(client.clientId);
    expect((await refresh(other, client, token)).status).toBe(200);
  });

  test('a blocked client cannot redeem a code or get a token by client_credentials', async () => {
    const client = await clientOf();
    const code = await obtainCode(site, client);
    await site.oauth.clients.block(client.clientId);
    expect(await redeem(other, client, code)).toMatchObject(REFUSED);
    expect(await tokenRequest(other, client, { grant_type: 'client_credentials' })).toMatchObject(REFUSED);
    await site.oauth.clients.unblock(client.clientId);
    expect((await redeem(other, client, code)).status).toBe(200);
  });

  test('a code is refused, not used up, if its client is blocked during the redemption', async () => {
    const client = await clientOf();
    const code = await obtainCode(site, client);
    blockWhileRead(client.clientId, 'after');
    expect((await redeem(other, client, code)).status).toBe(400);
    expect((await site.oauth.clients.find(client.clientId))?.blocked).toBeDefined();
    await site.oauth.clients.unblock(client.clientId);
    expect((await redeem(other, client, code)).status).toBe(200);
  });

  test('a refresh token is refused, not used up, if its client is blocked during the refresh', async () => {
    const client = await clientOf();
    const { refresh_token: token } = await obtainTokens(site, client);
    blockWhileRead(client.clientId, 'before');
    // at invalid_grant the client would throw its refresh token away
    expect(await refresh(other, client, token)).toMatchObject(REFUSED);
    expect((await site.oauth.clients.find(client.clientId))?.blocked).toBeDefined();
    await site.oauth.clients.unblock(client.clientId);
    expect((await refresh(other, client, token)).status).toBe(200);
  });

  test('a blocked client gets no device code, and its codes open no page and give no tokens', async () => {
    const client = await clientOf();
    const [waiting, allowed] = [await startDevice(site, client), await startDevice(site, client)];
    await allowStored(site, allowed);
    await site.oauth.clients.block(client.clientId);
    expect(await deviceRequest(other, client)).toMatchObject(REFUSED);
    expect(await poll(other, client, allowed)).toMatchObject(REFUSED);
    const page = await typeCode(await personOf(other), waiting.user_code);
    expect(page.status).toBe(400);
    expect(page.text).toContain('This site has blocked the app');
    await site.oauth.clients.unblock(client.clientId);
    expect((await poll(other, client, allowed)).status).toBe(200);
  });

  test('grants.create refuses a blocked client', async () => {
    const client = await clientOf();
    await site.oauth.clients.block(client.clientId);
    await expect(
      site.oauth.grants.create({ clientId: client.clientId, userId: 'ada', scopes: ['profile'] }),
    ).rejects.toMatchObject({ error: 'unauthorized_client' });
  });

  test('a blocked resource server cannot introspect tokens', async () => {
    const [client, api] = [await clientOf(), await clientOf()];
    const tokens = await obtainTokens(site, client);
    await site.oauth.clients.block(api.clientId);
    expect(await introspect(site, api, tokens.access_token)).toMatchObject(REFUSED);
  });

  test('a blocked client can revoke its tokens', async () => {
    const client = await clientOf();
    const tokens = await obtainTokens(site, client);
    await site.oauth.clients.block(client.clientId);
    await clientRequest(other, client, '/oauth/revoke', { token: tokens.refresh_token }).expect(200);
    await site.oauth.clients.unblock(client.clientId);
    expect((await callApi(site, tokens.access_token)).status).toBe(401);
  });

  test('a grant stored just after its client was blocked is refused a second later', async () => {
    // on a slow machine the second would be over before the other process has stored the grant
    const waiting: (() => void)[] = [];
    const start = setTimeout;
    const timers = jest.spyOn(globalThis, 'setTimeout').mockImplementation((work: () => void, pause) => {
      if (pause === 1000) waiting.push(work);
      return start(pause === 1000 ? () => undefined : work, pause);
    });
    const client = await clientOf();
    await site.oauth.clients.block(client.clientId);
    timers.mockRestore();
    const { access_token: token } = await storedMeanwhile(client.clientId);
    expect(waiting).toHaveLength(1);
    waiting.at(-1)?.();
    await until(async () => (await callApi(other, token)).status === 401);
  });

  /** A grant without the mark, as the request of another process leaves it. */
  async function storedMeanwhile(clientId: string): Promise<{ access_token: string }> {
    const model = await clientOf();
    const { body } = await tokenRequest(other, model, { grant_type: 'client_credentials' });
    await site.database
      .collection('oauth_grants')
      .updateOne({ clientId: model.clientId }, { $set: { clientId } });
    expect((await callApi(other, body.access_token)).status).toBe(200);
    return body;
  }
});

describe('the authorization endpoint', () => {
  const query = (clientId: string) => codeQuery(clientId, { state: 'xyz' });

  test.each([{}, { prompt: 'none' }, { response_type: 'bogus' }])(
    'a request of a blocked client is a page, and never redirects (%j)',
    async (more) => {
      const client = await clientOf();
      await obtainTokens(site, client);
      await site.oauth.clients.block(client.clientId, { reason: 'a secret of the administrators' });
      const person = await logInPerson(other);
      const page = await person.openAuthorize({ ...query(client.clientId), ...more });
      expect(page.status).toBe(400);
      expect(page.headers.location).toBeUndefined();
      expect(page.text).toContain('This site has blocked the app');
      expect(page.text).toContain('Printing shop');
      expect(page.text).not.toContain('print.example');
      expect(withoutDetail(page.text)).not.toContain('a secret of');
    },
  );

  test('a consent form is refused once its client is blocked; the stored consent remains', async () => {
    const client = await clientOf();
    const person = await logInPerson(other);
    const page = await person.openAuthorize(query(client.clientId));
    await site.oauth.clients.block(client.clientId);
    const answer = await person.choose(page);
    expect(answer.status).toBe(400);
    expect(answer.headers.location).toBeUndefined();
    await site.oauth.clients.unblock(client.clientId);
    expect((await person.authorize(query(client.clientId))).searchParams.get('code')).not.toBeNull();
    await site.oauth.clients.block(client.clientId);
    await site.oauth.clients.unblock(client.clientId);
    const silent = await person.openAuthorize({ ...query(client.clientId), prompt: 'none' });
    expect(silent.headers.location).toContain('code=');
  });
});

test('a client that registered itself cannot read, change or delete itself while it is blocked', async () => {
  const { body } = await register(site);
  const client = await asClient(site, body);
  await site.oauth.clients.block(client.clientId);
  for (const answer of [
    await manage(site, 'get', body),
    await manage(site, 'put', body, { ...METADATA, client_id: body.client_id }),
    await manage(site, 'delete', body),
  ])
    expect(answer).toMatchObject({ status: 403, body: { error: 'unauthorized_client' } });
  await manage(site, 'get', { ...body, registration_access_token: 'wrong' }).expect(401);
  await site.oauth.clients.unblock(client.clientId);
  await manage(site, 'delete', body).expect(204);
});

describe('oauth.clients', () => {
  test('clients.block stores time and reason, and emits one event', async () => {
    const client = await site.client({ ownerId: 'ada' });
    events = [];
    const { clientId } = client;
    const first = await site.oauth.clients.block(clientId, { reason: '  It sends\n spam. ' });
    expect(first?.blocked).toEqual({ at: expect.any(Date), reason: 'It sends spam.' });
    expect(first?.updatedAt.getTime()).toBeGreaterThan(client.updatedAt.getTime());
    const again = await site.oauth.clients.block(clientId);
    expect(again?.blocked).toEqual(first?.blocked);
    const renamed = await site.oauth.clients.block(clientId, { reason: 'Other' });
    expect(renamed?.blocked).toEqual({ at: first?.blocked?.at, reason: 'Other' });
    await site.oauth.clients.update(clientId, { name: 'Another name' });
    expect((await site.oauth.clients.find(clientId))?.blocked?.reason).toBe('Other');
    expect((await site.oauth.clients.unblock(clientId))?.blocked).toBeUndefined();
    await site.oauth.clients.unblock(clientId);
    expect(events.map(({ type }) => type)).toEqual([
      'client.blocked',
      'client.blocked',
      'client.updated',
      'client.unblocked',
    ]);
    expect(events[0]).toMatchObject({ clientId, userId: 'ada' });
  });

  test('clients.block answers null for an unknown client, and refuses an invalid reason', async () => {
    const { clientId } = await site.client();
    expect(await site.oauth.clients.block('nobody')).toBeNull();
    expect(await site.oauth.clients.unblock('nobody')).toBeNull();
    const block = (options: unknown) => site.oauth.clients.block(clientId, options as never);
    await expect(block({ reason: 'x'.repeat(501) })).rejects.toMatchObject({
      error: 'invalid_client_metadata',
    });
    await expect(block({ reason: 'a\u202eb' })).rejects.toMatchObject({ error: 'invalid_client_metadata' });
    await expect(block({ reason: 5 })).rejects.toThrow(TypeError);
    await expect(block({ because: 'x' })).rejects.toThrow(TypeError);
    await expect(site.oauth.clients.block(5 as never)).rejects.toThrow(TypeError);
    expect((await site.oauth.clients.find(clientId))?.blocked).toBeUndefined();
    await expect(site.oauth.clients.update(clientId, { blocked: undefined } as never)).rejects.toThrow();
  });

  test('clients.unblock survives a change of the client at the same moment', async () => {
    const client = await clientOf();
    const tokens = await obtainTokens(site, client);
    await Promise.all([
      site.oauth.clients.block(client.clientId),
      site.oauth.clients.update(client.clientId, { name: 'At once' }),
    ]);
    expect(await site.oauth.clients.find(client.clientId)).toMatchObject({
      name: 'At once',
      blocked: { at: expect.any(Date) },
    });
    await Promise.all([
      site.oauth.clients.unblock(client.clientId),
      site.oauth.clients.update(client.clientId, { name: 'At once again' }),
    ]);
    expect((await callApi(other, tokens.access_token)).status).toBe(200);
  });
});
