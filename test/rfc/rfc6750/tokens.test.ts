import { describe, expect, test } from '@jest/globals';
import request from 'supertest';

import { codeQuery, logInPerson } from '../../support/person.js';
import { fixture, siteFor } from '../../support/site-for.js';
import {
  callApi,
  obtainCode,
  obtainTokens,
  redeem,
  refreshTokens,
  tokenRequest,
  whoseGrantIs,
} from '../../support/tokens.js';

const site = siteFor({
  grantTypes: [
    'authorization_code',
    'refresh_token',
    'client_credentials',
    {
      grantType: 'urn:example:gift-card',
      parameters: [],
      handle: () => ({ userId: 'grace', extra: { card: 7 } }),
    },
  ],
});
const client = fixture(() => site.client());

const grants = () => site.database.collection('oauth_grants');
const changeGrant = (token: string, update: object) => grants().updateOne(whoseGrantIs(token), update);

async function clientToken(): Promise<string> {
  return (await tokenRequest(site, client, { grant_type: 'client_credentials', scope: 'profile' })).body
    .access_token;
}

async function expectRefused(token: string): Promise<void> {
  const response = await callApi(site, token);
  expect(response.status).toBe(401);
  expect(response.headers['www-authenticate']).toContain(
    'error="invalid_token", error_description="the access token is invalid, expired or revoked"',
  );
}

describe('§5.2 the form of an access token', () => {
  test('§5.2 access tokens have 256 different random bits [5.2-1]', async () => {
    const tokens = await Promise.all(Array.from({ length: 20 }, clientToken));
    for (const token of tokens) expect(token).toMatch(/^eas_at_[A-Za-z0-9_-]{65}$/);
    expect(new Set(tokens.map((token) => token.slice(-43))).size).toBe(20);
    expect(new Set(tokens.map((token) => whoseGrantIs(token)._id)).size).toBe(20);
  });

  test('§5.2 an access token with one changed character is refused [5.2-2] [3.1-2]', async () => {
    const token = await clientToken();
    for (const [index, character] of [...token].entries()) {
      const changed = `${token.slice(0, index)}${character === 'A' ? 'B' : 'A'}${token.slice(index + 1)}`;
      expect([index, (await callApi(site, changed)).status]).toEqual([index, 401]);
    }
    expect((await callApi(site, token)).status).toBe(200);
  });

  test.each([
    ['cut', (token: string) => token.slice(0, -1)],
    ['longer', (token: string) => `${token}A`],
    ['padded', (token: string) => `${token}==`],
    ['in upper case', (token: string) => token.toUpperCase()],
    ['without its prefix', (token: string) => token.slice(7)],
  ])('§5.2 an access token that is %s is refused [5.2-2] [3.1-2]', async (_how, change) => {
    await expectRefused(change(await clientToken()));
  });

  test('§5.2 an access token with the secret of another grant is refused [5.2-2]', async () => {
    const [one, two] = [await clientToken(), await clientToken()];
    await expectRefused(`${one.slice(0, -43)}${two.slice(-43)}`);
  });

  test('§5.2 a code or a refresh token is refused as an access token [5.2-2]', async () => {
    const code = await obtainCode(site, client);
    await expectRefused(code);
    await expectRefused(code.replace('eas_ac_', 'eas_at_'));
    const { refresh_token: refreshToken } = (await redeem(site, client, code)).body;
    await expectRefused(refreshToken);
    await expectRefused(refreshToken.replace('eas_rt_', 'eas_at_'));
  });

  test('§5.2 an access token has no content that a client could read [5.2-5]', async () => {
    const { access_token: token } = await obtainTokens(site, client);
    const decoded = Buffer.from(token.slice(7), 'base64url').toString('latin1');
    for (const content of [client.clientId, 'photos']) expect(token).not.toContain(content);
    for (const content of ['ada', client.clientId, 'photos']) expect(decoded).not.toContain(content);
  });

  test('§5.2 an access token is in no cookie or header of a response [5.2-7] [5.3-1] [5.3-4]', async () => {
    const response = await redeem(site, client, await obtainCode(site, client));
    expect(response.headers).not.toHaveProperty('set-cookie');
    expect(JSON.stringify(response.headers)).not.toContain(response.body.access_token);
    const called = await callApi(site, response.body.access_token);
    expect(JSON.stringify(called.headers)).not.toContain(response.body.access_token);
  });
});

/** Other ends of a token are tested in attacks/ended-tokens. */
describe('§5.2 the lifetime of an access token', () => {
  test('§5.3 an access token lives for an hour by default, as the response says [5.2-9] [5.3-6]', async () => {
    const { access_token: token, expires_in: expiresIn } = await obtainTokens(site, client);
    expect(expiresIn).toBe(3600);
    const grant = await grants().findOne(whoseGrantIs(token));
    const { expiresAt } = (grant?.accessTokens as { expiresAt: Date }[])[0] as { expiresAt: Date };
    expect((await callApi(site, token)).body.expiresAt).toBe(Math.floor(expiresAt.getTime() / 1000));
  });

  test('§3.1 an expired access token is refused [5.2-9] [3.1-2]', async () => {
    const token = await clientToken();
    await changeGrant(token, { $set: { 'accessTokens.0.expiresAt': new Date(Date.now() - 1) } });
    await expectRefused(token);
  });

  test('§3.1 an access token is refused after its grant was deleted [3.1-2]', async () => {
    const token = await clientToken();
    await grants().deleteOne(whoseGrantIs(token));
    await expectRefused(token);
  });

  test('§3.1 the reason for a refusal is reported to the site, not to the caller', async () => {
    const token = await clientToken();
    await changeGrant(token, { $set: { 'accessTokens.0.expiresAt': new Date(0) } });
    const response = await callApi(site, token);
    expect(site.errors.at(-1)).toEqual({
      error: 'invalid_token',
      detail: 'expired',
      endpoint: 'guard',
      requestId: response.headers['x-request-id'],
    });
  });
});

describe('§5.3 req.auth in a guarded route', () => {
  test('§5.3 req.auth of a token of a person has the client, person, scopes and expiry [5.3-7]', async () => {
    const { access_token: token } = await obtainTokens(site, client, {
      query: { scope: 'photos:read profile' },
    });
    const { body } = await callApi(site, token, '/api/photos');
    expect(body).toEqual({
      token,
      kind: 'app',
      clientId: client.clientId,
      userId: 'ada',
      scopes: ['photos:read', 'profile'],
      expiresAt: expect.any(Number),
    });
    expect(Number.isInteger(body.expiresAt)).toBe(true);
  });

  test('§5.3 req.auth of a token of a client has no person', async () => {
    const token = await clientToken();
    expect((await callApi(site, token)).body).toEqual({
      token,
      kind: 'app',
      clientId: client.clientId,
      scopes: ['profile'],
      expiresAt: expect.any(Number),
    });
  });

  test('§5.3 req.auth of a narrowed token has only the narrowed scopes [5.3-7]', async () => {
    const { refresh_token: refreshToken } = await obtainTokens(site, client);
    const { body } = await refreshTokens(site, client, refreshToken, { scope: 'profile' });
    expect((await callApi(site, body.access_token)).body.scopes).toEqual(['profile']);
    expect((await callApi(site, body.access_token, '/api/photos')).status).toBe(403);
  });

  test('§5.3 req.auth of an extension grant has the extra data of the grant', async () => {
    const { body } = await tokenRequest(site, client, { grant_type: 'urn:example:gift-card' });
    expect((await callApi(site, body.access_token)).body).toMatchObject({
      userId: 'grace',
      extra: { card: 7 },
    });
  });

  test('req.user is the person who is logged in, not the person of the token', async () => {
    site.app.get(
      '/api/both',
      site.oauth.guard(),
      (req, res) => void res.json({ user: req.user, auth: req.auth }),
    );
    const { access_token: token } = await obtainTokens(site, client);
    const nobody = await callApi(site, token, '/api/both');
    expect(nobody.body.user).toBeUndefined();
    expect(nobody.body.auth.userId).toBe('ada');
    const grace = await logInPerson(site, 'grace');
    const { body } = await grace.agent.get('/api/both').set('Authorization', `Bearer ${token}`);
    expect(body.user.id).toBe('grace');
    expect(body.auth.userId).toBe('ada');
  });

  test('a session without a token is refused in a guarded route', async () => {
    const ada = await logInPerson(site);
    expect((await ada.agent.get('/api/me')).status).toBe(401);
  });

  test('a token without a session does not log in on pages', async () => {
    const { access_token: token } = await obtainTokens(site, client);
    const query = new URLSearchParams(codeQuery(client));
    const response = await request(site.server)
      .get(`/oauth/authorize?${query.toString()}`)
      .set('Authorization', `Bearer ${token}`);
    expect(response.status).toBe(302);
    expect(response.headers.location).toMatch(/^\/login\?/);
  });
});
