import { describe, expect, test } from '@jest/globals';

import { authorizationServer, type ClientWithSecret } from '../../lib/index.js';
import { SCOPES } from '../support/site.js';
import { siteFor } from '../support/site-for.js';
import { callApi, obtainTokens, refreshTokens, whoseGrantIs } from '../support/tokens.js';

const HOUR = 3600;
const DAY = 24 * HOUR;
const site = siteFor({
  lifetimes: { refreshToken: DAY, refreshTokenMax: 3 * DAY },
  security: { rateLimits: false },
});

const refresh = (client: ClientWithSecret, refreshToken: string) => refreshTokens(site, client, refreshToken);
const grants = () => site.database.collection('oauth_grants');
/** Seconds from now until the refresh token ends. */
async function spanOf(refreshToken: string): Promise<number> {
  const grant = await grants().findOne(whoseGrantIs(refreshToken));
  return Math.round((grant!.refreshToken.expiresAt.getTime() - Date.now()) / 1000);
}
const authorizedAgo = (refreshToken: string, seconds: number) =>
  grants().updateOne(whoseGrantIs(refreshToken), {
    $set: { createdAt: new Date(Date.now() - seconds * 1000) },
  });

describe('RFC 9700 §4.14.2: the lifetime of refresh tokens', () => {
  test('each use of a refresh token gives it a new idle lifetime', async () => {
    const client = await site.client();
    const { refresh_token: first } = await obtainTokens(site, client);
    await grants().updateOne(whoseGrantIs(first), {
      $set: { 'refreshToken.expiresAt': new Date(Date.now() + HOUR * 1000) },
    });
    const { body } = await refresh(client, first);
    expect(Math.abs((await spanOf(body.refresh_token)) - DAY)).toBeLessThan(60);
  });

  test('a refresh token lives until the absolute end at most, and is refused after it', async () => {
    const client = await site.client();
    const { refresh_token: first } = await obtainTokens(site, client);
    await authorizedAgo(first, 3 * DAY - HOUR);
    const { body } = await refresh(client, first);
    expect(Math.abs((await spanOf(body.refresh_token)) - HOUR)).toBeLessThan(60);

    await authorizedAgo(first, 3 * DAY);
    expect((await refresh(client, body.refresh_token)).body).toMatchObject({ error: 'invalid_grant' });
    expect(site.errors.at(-1)?.detail).toMatch(/lifetimes.refreshTokenMax/);
    // it has expired without theft, so the earlier access token stays valid until its end
    expect((await callApi(site, body.access_token)).status).toBe(200);
  });

  test('the document of a grant stays as long as its refresh token', async () => {
    const client = await site.client();
    const { refresh_token: token } = await obtainTokens(site, client);
    const grant = await grants().findOne(whoseGrantIs(token));
    expect(grant!.expiresAt).toEqual(grant!.refreshToken.expiresAt);
  });
});

describe('lifetimes of a client', () => {
  test('accessTokenTtl and refreshTokenTtl of a client hold for first and refreshed tokens', async () => {
    const client = await site.client({ accessTokenTtl: 300, refreshTokenTtl: 2 * HOUR });
    expect(client).toMatchObject({ accessTokenTtl: 300, refreshTokenTtl: 2 * HOUR });
    const tokens = await obtainTokens(site, client);
    expect(tokens.expires_in).toBe(300);
    expect(Math.abs((await spanOf(tokens.refresh_token)) - 2 * HOUR)).toBeLessThan(60);
    const { body } = await refresh(client, tokens.refresh_token);
    expect(body.expires_in).toBe(300);
    expect((await callApi(site, body.access_token)).body.expiresAt).toBeLessThanOrEqual(
      Date.now() / 1000 + 301,
    );
  });

  test("a change of a client's lifetimes holds for new tokens, up to the absolute end", async () => {
    const client = await site.client({ refreshTokenTtl: 100 * DAY });
    await site.oauth.clients.update(client.clientId, { accessTokenTtl: 60 });
    const tokens = await obtainTokens(site, client);
    expect(tokens.expires_in).toBe(60);
    expect(await spanOf(tokens.refresh_token)).toBeLessThanOrEqual(3 * DAY);
  });

  test.each([0, -1, 1.5, NaN, Infinity, 1e10, '60'])('the lifetime %s is refused', async (value) => {
    await expect(site.client({ accessTokenTtl: value as number })).rejects.toMatchObject({
      error: 'invalid_client_metadata',
    });
    await expect(site.client({ refreshTokenTtl: value as number })).rejects.toMatchObject({
      error: 'invalid_client_metadata',
    });
  });
});

test.each([
  [{ tokens: { reuseGrace: -1 } }, /reuseGrace/],
  [{ tokens: { reuseGrace: 601 } }, /reuseGrace must be at most 600 seconds/],
  [{ lifetimes: { refreshTokenMax: 0 } }, /lifetimes.refreshTokenMax must be more than 0/],
])('the option %j is refused at the start', (option, text) => {
  const start = () =>
    authorizationServer({
      issuer: 'https://photos.example',
      connection: site.database.connection,
      scopes: SCOPES,
      login: '/login',
      ...option,
    });
  expect(start).toThrow(text);
});
