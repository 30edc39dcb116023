import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';

import type { ClientWithSecret } from '../../lib/index.js';
import { commandsDuring } from '../support/commands.js';
import { openDatabase, type TestDatabase } from '../support/database.js';
import { openSite, type Site } from '../support/site.js';
import { basic, callApi, type Fields, obtainTokens, tokenRequest, whoseGrantIs } from '../support/tokens.js';

const GRACE = 120;
/** The default of `security.clockTolerance`. */
const TOLERANCE = 30;

let database: TestDatabase;
let site: Site;
/** The same server in a second process, as far as the database sees it: its own connection, models and caches. */
let second: Site;
/** The same with no grace at all. */
let strict: Site;
let client: ClientWithSecret;

beforeAll(async () => {
  database = await openDatabase();
  site = await openSite({
    database,
    tokens: { reuseGrace: GRACE },
    security: { rateLimits: false },
    advanced: { clientCacheTtl: 0 },
  });
  second = await openSite({
    database: await openDatabase(database.connection.name),
    issuer: site.url,
    tokens: { reuseGrace: GRACE },
    security: { rateLimits: false },
  });
  strict = await openSite({ database, issuer: site.url, security: { rateLimits: false } });
  client = await site.client();
});
afterAll(async () => {
  await Promise.all([site, second, strict].map((each) => each.close()));
  await second.database.connection.close();
  await database.close();
});

const refresh = (refreshToken: string, fields: Fields = {}, at = site) =>
  tokenRequest(at, client, { grant_type: 'refresh_token', refresh_token: refreshToken, ...fields });
const revoke = (token: string) =>
  request(second.server)
    .post('/oauth/revoke')
    .type('form')
    .set('Authorization', basic(client.clientId, client.clientSecret ?? ''))
    .send({ token });
const obtain = () => obtainTokens(site, client, { query: { scope: 'photos:read profile' } });
const tokensOf = ({ body }: { body: Record<string, unknown> }) => [body.access_token, body.refresh_token];
const isAlive = async (accessToken: string) => (await callApi(site, accessToken)).status === 200;
const storedGrant = (refreshToken: string) =>
  database.connection.collection('oauth_grants').findOne(whoseGrantIs(refreshToken));
/** As if the rotation had happened earlier. */
const age = (refreshToken: string, seconds: number) =>
  database.connection.collection('oauth_grants').updateOne(whoseGrantIs(refreshToken), {
    $set: { 'resend.rotatedAt': new Date(Date.now() - seconds * 1000) },
  });

describe('a response that was lost', () => {
  test('is answered again with the same tokens, which work', async () => {
    const old = (await obtain()).refresh_token;
    const lost = await refresh(old);
    const again = await refresh(old);
    expect(again.status).toBe(200);
    expect(tokensOf(again)).toEqual(tokensOf(lost));
    expect(again.body).toMatchObject({ token_type: 'Bearer', scope: lost.body.scope });
    expect(await isAlive(again.body.access_token)).toBe(true);
    expect((await refresh(again.body.refresh_token)).status).toBe(200);
  });

  test('expires_in is what is left of it', async () => {
    const old = (await obtain()).refresh_token;
    await refresh(old);
    await age(old, 100);
    const { body } = await refresh(old);
    expect(body.expires_in).toBeLessThanOrEqual(3500);
    expect(body.expires_in).toBeGreaterThan(3400);
  });

  test('has no new access token within the grace, which does not begin anew either', async () => {
    const brief = await site.client({ accessTokenTtl: 60 });
    const { refresh_token: old } = await obtainTokens(site, brief);
    const of = () => tokenRequest(site, brief, { grant_type: 'refresh_token', refresh_token: old });
    const lost = await of();
    await age(old, 61);
    const again = await of();
    expect([again.status, again.body.expires_in]).toEqual([200, 0]);
    expect(again.body.access_token).toBe(lost.body.access_token);
    await age(old, GRACE + TOLERANCE);
    expect((await of()).body.error).toBe('invalid_grant');
  });

  test('is answered again at the end of the grace by a process whose clock is ahead, within clockTolerance', async () => {
    const old = (await obtain()).refresh_token;
    const lost = await refresh(old);
    await age(old, GRACE + TOLERANCE - 5);
    const again = await refresh(old, {}, second);
    expect([again.status, ...tokensOf(again)]).toEqual([200, ...tokensOf(lost)]);
  });

  test('after the grace it is a reuse, and ends the grant', async () => {
    const old = (await obtain()).refresh_token;
    const { body } = await refresh(old);
    await age(old, GRACE + TOLERANCE);
    expect((await refresh(old)).body.error).toBe('invalid_grant');
    expect(await isAlive(body.access_token)).toBe(false);
    expect((await refresh(body.refresh_token)).body.error).toBe('invalid_grant');
  });

  test('after a reuse the same person’s other devices go on', async () => {
    const [phone, tablet] = [await obtain(), await obtain()];
    await refresh(phone.refresh_token);
    await age(phone.refresh_token, GRACE + TOLERANCE);
    expect((await refresh(phone.refresh_token)).status).toBe(400);
    expect(await isAlive(tablet.access_token)).toBe(true);
    expect((await refresh(tablet.refresh_token)).status).toBe(200);
  });

  test('once the new refresh token was used the response had arrived: the old one is a reuse within the grace as well', async () => {
    const old = (await obtain()).refresh_token;
    const { body } = await refresh(old);
    const newest = await refresh(body.refresh_token);
    expect((await refresh(old)).body.error).toBe('invalid_grant');
    expect(await isAlive(newest.body.access_token)).toBe(false);
  });

  test.each([
    ['fewer', 'photos:read profile', { scope: 'profile' }],
    ['others', 'photos:read', { scope: 'profile' }],
    ['more than were granted', 'profile', { scope: 'photos:write' }],
    ['a malformed one', 'profile', { scope: '"' }],
  ])('with another scope (%s) it is no repetition but a reuse', async (_which, scope, fields) => {
    const old = (await obtain()).refresh_token;
    const { body } = await refresh(old, { scope });
    expect((await refresh(old, fields)).body).toMatchObject({ error: 'invalid_grant' });
    expect(await isAlive(body.access_token)).toBe(false);
  });

  test('the same scopes in another order, or left out, are the same request', async () => {
    const old = (await obtain()).refresh_token;
    const lost = await refresh(old);
    expect(tokensOf(await refresh(old, { scope: 'profile photos:read' }))).toEqual(tokensOf(lost));
  });

  test('not twice in a row: a thief who keeps step with the client is noticed', async () => {
    const first = (await obtain()).refresh_token;
    const { body: second } = await refresh(first);
    expect(tokensOf(await refresh(first))).toEqual(tokensOf({ body: second }));
    const { body: third } = await refresh(second.refresh_token);
    expect((await refresh(second.refresh_token)).body.error).toBe('invalid_grant');
    expect(await isAlive(third.access_token)).toBe(false);
    expect((await refresh(third.refresh_token)).body.error).toBe('invalid_grant');
  });

  test('after a refresh that was not repeated there is another repetition', async () => {
    const first = (await obtain()).refresh_token;
    const { body: second } = await refresh(first);
    await refresh(first).expect(200);
    const { body: third } = await refresh(second.refresh_token);
    const { body: fourth } = await refresh(third.refresh_token);
    expect(tokensOf(await refresh(third.refresh_token))).toEqual(tokensOf({ body: fourth }));
  });

  test('another client gets nothing of it, and ends nothing', async () => {
    const old = (await obtain()).refresh_token;
    const lost = await refresh(old);
    const other = await site.client();
    const stolen = await tokenRequest(site, other, { grant_type: 'refresh_token', refresh_token: old });
    expect(stolen.body).toMatchObject({ error: 'invalid_grant' });
    expect(tokensOf(await refresh(old))).toEqual(tokensOf(lost));
  });

  test('where the option is off nothing is kept, and nothing that was kept is answered', async () => {
    const old = (await obtain()).refresh_token;
    await refresh(old);
    expect(await storedGrant(old)).toHaveProperty('resend');
    expect((await refresh(old, {}, strict)).body.error).toBe('invalid_grant');

    const next = (await obtain()).refresh_token;
    const { body } = await refresh(next);
    await refresh(body.refresh_token, {}, strict);
    expect(await storedGrant(next)).not.toHaveProperty('resend');
  });
});

describe('many at once', () => {
  test('two tabs, two processes: all have the same tokens, and they live', async () => {
    const old = (await obtain()).refresh_token;
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, index) => refresh(old, {}, index % 2 === 0 ? site : second)),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array(12).fill(200));
    expect(new Set(responses.map((response) => JSON.stringify(tokensOf(response)))).size).toBe(1);
    expect(await isAlive(responses[0]!.body.access_token)).toBe(true);
    expect((await refresh(responses[0]!.body.refresh_token, {}, second)).status).toBe(200);
  });

  test('refreshes while the grant is revoked: whatever was answered is dead after it', async () => {
    for (let round = 0; round < 8; round += 1) {
      const old = (await obtain()).refresh_token;
      const answered: string[] = [];
      const refreshing = Array.from({ length: 6 }, async (_, index) => {
        const { body } = await refresh(old, {}, index % 2 === 0 ? site : second);
        if (body.access_token !== undefined) answered.push(body.access_token);
      });
      const revoking = revoke(old).then(({ status }) => expect(status).toBe(200));
      await Promise.all([...refreshing, revoking]);
      for (const accessToken of answered) expect(await isAlive(accessToken)).toBe(false);
      expect((await refresh(old)).body.error).toBe('invalid_grant');
    }
  });

  test('of a revoked grant nothing is answered again', async () => {
    const tokens = await obtain();
    await refresh(tokens.refresh_token);
    await site.oauth.grants.revoke({ userId: 'ada' });
    expect((await refresh(tokens.refresh_token)).body.error).toBe('invalid_grant');
  });

  test('of a revoked grant nothing is answered again that was answered again before', async () => {
    const old = (await obtain()).refresh_token;
    const { body } = await refresh(old);
    expect((await refresh(old)).status).toBe(200);
    await revoke(body.refresh_token);
    expect((await refresh(old)).body.error).toBe('invalid_grant');
  });
});

describe('what is stored', () => {
  test('a leaked database has no token in it, nor what opens the stored response', async () => {
    const tokens = await obtain();
    const { body } = await refresh(tokens.refresh_token);
    const stored = JSON.stringify(await storedGrant(tokens.refresh_token));
    for (const token of [tokens.refresh_token, body.access_token, body.refresh_token])
      expect(stored).not.toContain(token.slice(29));
    const [header] = (await storedGrant(tokens.refresh_token))!.resend.sealed.split('.');
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'dir', enc: 'A256GCM' });
  });

  test('a refresh takes three commands, its repetition as many, and two from then on', async () => {
    const old = (await obtain()).refresh_token;
    const first = await commandsDuring({ connection: database.connection }, () => refresh(old).then());
    expect(first).toEqual(['find oauth_clients', 'find oauth_grants', 'update oauth_grants']);
    const again = () => commandsDuring({ connection: database.connection }, () => refresh(old).then());
    // the repetition is recorded, so that there is no second one
    expect(await again()).toEqual(['find oauth_clients', 'find oauth_grants', 'update oauth_grants']);
    expect(await again()).toEqual(['find oauth_clients', 'find oauth_grants']);
  });
});
