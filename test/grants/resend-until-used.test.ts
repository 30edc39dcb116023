import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import type { ClientWithSecret } from '../../lib/index.js';
import { commandsDuring } from '../support/commands.js';
import { allowStored, DEVICE_GRANT_TYPES, deviceClient, poll, startDevice } from '../support/device.js';
import { openSite, type Site } from '../support/site.js';
import {
  callApi,
  createPkce,
  introspectAs,
  obtainCode,
  obtainTokens,
  redeem,
  tokenRequest,
  whoseGrantIs,
} from '../support/tokens.js';

const HOUR = 3600;

let site: Site;
/** The same server in a second process, as far as clients and the database can tell. */
let second: Site;
let client: ClientWithSecret;
let phone: ClientWithSecret;

beforeAll(async () => {
  const options = {
    grantTypes: DEVICE_GRANT_TYPES,
    tokens: { reuseGrace: 'untilUsed' },
    security: { rateLimits: false },
  } as const;
  site = await openSite(options);
  second = await openSite({ ...options, database: site.database, issuer: site.url });
  client = await site.client({ introspection: true });
  phone = await site.client({ type: 'public' });
});
afterAll(() => second.close().then(() => site.close()));

const refresh = (refreshToken: string, at = site, as = phone) =>
  tokenRequest(at, as, { grant_type: 'refresh_token', refresh_token: refreshToken });
const isAlive = async (token: string) => (await callApi(site, token)).status === 200;
const grantOf = (token: string) =>
  site.database.connection.collection('oauth_grants').findOne(whoseGrantIs(token));
/** Moves the grant into the past, as if its last response had been sent so many seconds earlier. */
async function letTimePass(token: string, seconds: number): Promise<void> {
  const grant = await grantOf(token);
  const earlier = (date: Date) => new Date(date.getTime() - seconds * 1000);
  await site.database.connection.collection('oauth_grants').updateOne(whoseGrantIs(token), {
    $set: {
      'resend.rotatedAt': earlier(grant?.resend.rotatedAt),
      accessTokens: grant?.accessTokens.map((stored: { expiresAt: Date }) => ({
        ...stored,
        expiresAt: earlier(stored.expiresAt),
      })),
    },
  });
}
async function obtainForPhone() {
  const { code_verifier, challenge } = createPkce();
  const code = await obtainCode(site, phone, { query: challenge });
  const { body } = await redeem(site, phone, code, { code_verifier });
  return body as { readonly access_token: string; readonly refresh_token: string };
}

describe('a refresh token whose response was lost', () => {
  test('gets the same tokens again after half an hour, at another process', async () => {
    const { refresh_token: old } = await obtainForPhone();
    const lost = await refresh(old);
    await letTimePass(old, HOUR / 2);
    const again = await refresh(old, second);
    expect(again.status).toBe(200);
    expect([again.body.access_token, again.body.refresh_token]).toEqual([
      lost.body.access_token,
      lost.body.refresh_token,
    ]);
    expect(again.body.expires_in).toBeLessThanOrEqual(HOUR / 2);
    expect(await isAlive(again.body.access_token)).toBe(true);
  });

  test('gets a new access token with the same successor once the access token of the response has expired', async () => {
    const { refresh_token: old } = await obtainForPhone();
    const lost = await refresh(old);
    for (const days of [1, 2]) {
      await letTimePass(old, days * 24 * HOUR);
      const again = await refresh(old);
      expect([again.status, again.body.expires_in]).toEqual([200, HOUR]);
      expect(again.body.refresh_token).toBe(lost.body.refresh_token);
      expect(again.body.access_token).not.toBe(lost.body.access_token);
      expect((await refresh(old)).body.access_token).toBe(again.body.access_token);
    }
    const next = await refresh(lost.body.refresh_token);
    expect(await isAlive(next.body.access_token)).toBe(true);
  });

  test('gets its tokens again after the previous response was lost as well', async () => {
    let { refresh_token: current } = await obtainForPhone();
    for (let losses = 0; losses < 3; losses++) {
      await refresh(current);
      const again = await refresh(current);
      expect(again.status).toBe(200);
      current = again.body.refresh_token;
    }
  });

  test('is not renewed beyond the lifetime of its successor', async () => {
    const { refresh_token: old } = await obtainForPhone();
    await refresh(old);
    await letTimePass(old, 24 * HOUR);
    await site.database.connection
      .collection('oauth_grants')
      .updateOne(whoseGrantIs(old), { $set: { 'refreshToken.expiresAt': new Date(Date.now() - 1000) } });
    expect((await refresh(old)).body.error).toBe('invalid_grant');
  });

  test('is not answered again to another client', async () => {
    const { refresh_token: old } = await obtainForPhone();
    const { body } = await refresh(old);
    expect((await refresh(old, site, client)).body.error).toBe('invalid_grant');
    expect(await isAlive(body.access_token)).toBe(true);
  });
});

describe('reuse ends the grant (RFC 9700 §4.14.2)', () => {
  test.each<[string, (body: { access_token: string; refresh_token: string }) => PromiseLike<unknown>]>([
    ['the successor was used', ({ refresh_token: next }) => refresh(next)],
    ['a guard has let the new access token in', ({ access_token: token }) => callApi(site, token)],
    ['another process has let the new access token in', ({ access_token: token }) => callApi(second, token)],
    [
      'a resource server has introspected the new access token',
      ({ access_token: token }) => introspectAs(second, client, token),
    ],
  ])('once %s', async (_title, use) => {
    const { refresh_token: old } = await obtainForPhone();
    const { body } = await refresh(old);
    await use(body);
    expect((await refresh(old)).body.error).toBe('invalid_grant');
    expect(await isAlive(body.access_token)).toBe(false);
    expect((await refresh(body.refresh_token)).body.error).toBe('invalid_grant');
  });

  test('a token from two rotations ago is a reuse although nothing newer was used at an API', async () => {
    const { refresh_token: first } = await obtainForPhone();
    const { refresh_token: next } = (await refresh(first)).body;
    await refresh(next);
    expect((await refresh(first)).body.error).toBe('invalid_grant');
    expect((await refresh(next)).body.error).toBe('invalid_grant');
  });

  test('the first use of an access token writes once, each later use not at all', async () => {
    const { refresh_token: old } = await obtainForPhone();
    const { body } = await refresh(old);
    await callApi(site, body.access_token);
    expect((await grantOf(old))?.resend).toMatchObject({ isUsed: true, isAnswered: true });
    expect(await commandsDuring(site.database, () => callApi(site, body.access_token))).toEqual([
      'find oauth_grants',
    ]);
  });
});

test('of twenty refreshes at once each gets the same successor, and the grant lives', async () => {
  const { refresh_token: old } = await obtainForPhone();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => refresh(old, index % 2 === 0 ? site : second)),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1);
  expect((await refresh(answers[0]?.body.refresh_token)).status).toBe(200);
});

test('of ten renewals at once one makes the access token, and each gets that one', async () => {
  const { refresh_token: old } = await obtainForPhone();
  await refresh(old);
  await letTimePass(old, 24 * HOUR);
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) => refresh(old, index % 2 === 0 ? site : second)),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
  expect(new Set(answers.map(({ body }) => body.access_token)).size).toBe(1);
  await callApi(site, answers[0]?.body.access_token);
  expect((await refresh(old)).body.error).toBe('invalid_grant');
});

test('a code is answered again for ten minutes at most, and until its tokens are used', async () => {
  const tokens = async () => {
    const code = await obtainCode(site, client);
    return { code, body: (await redeem(site, client, code)).body };
  };
  const late = await tokens();
  await letTimePass(late.code, 599);
  expect((await redeem(site, client, late.code)).body.access_token).toBe(late.body.access_token);
  await letTimePass(late.code, 2);
  expect((await redeem(site, client, late.code)).body.error).toBe('invalid_grant');
  const used = await tokens();
  await callApi(site, used.body.access_token);
  expect((await redeem(site, client, used.code)).body.error).toBe('invalid_grant');
  expect(await isAlive(used.body.access_token)).toBe(false);
});

test('a device whose tokens were lost gets them with its next poll, until it uses them (RFC 8628 §3.5)', async () => {
  const device = await deviceClient(site);
  const authorization = await startDevice(site, device);
  await allowStored(site, authorization);
  const { body } = await poll(site, device, authorization);
  expect((await poll(second, device, authorization)).body.access_token).toBe(body.access_token);
  await callApi(site, body.access_token);
  expect((await poll(site, device, authorization)).body.error).toBe('invalid_grant');
  expect(await isAlive(body.access_token)).toBe(false);
});

test('tokens of a confidential client behave alike', async () => {
  const { refresh_token: old } = await obtainTokens(site, client);
  const { body } = await refresh(old, site, client);
  await letTimePass(old, HOUR / 2);
  expect((await refresh(old, site, client)).body.refresh_token).toBe(body.refresh_token);
});
