import { describe, expect, test } from '@jest/globals';

import { bearerGuard } from '../../lib/guard.js';
import { OAuthError } from '../../lib/index.js';
import { createProofKey, prove } from '../support/dpop.js';
import { fixture, siteFor } from '../support/site-for.js';
import { obtainTokens, tokenRequest } from '../support/tokens.js';

const API = 'https://api.example';
const site = siteFor({ resources: { [API]: {} }, dpop: true, security: { rateLimits: false } });
const client = fixture(() => site.client({ introspection: true }));

const tokenOf = async (query = {}) =>
  (await obtainTokens(site, client, { query: { scope: 'photos:read profile', ...query } })).access_token;
const refusalOf = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(OAuthError);
  const { status, error: code, headers } = error as OAuthError;
  return { status, code, challenge: headers['WWW-Authenticate'] };
};

describe('oauth.verify(token)', () => {
  test('oauth.verify returns the req.auth of a guard', async () => {
    const token = await tokenOf();
    const auth = await site.oauth.verify(token, { scopes: ['photos:read'] });
    expect(auth).toMatchObject({ token, clientId: client.clientId, userId: 'ada' });
    expect(auth.scopes).toEqual(expect.arrayContaining(['photos:read', 'profile']));
    expect(await site.oauth.guard.verify(token)).toEqual(auth);
  });

  test('oauth.verify refuses what a guard refuses, with its status and challenge', async () => {
    const token = await tokenOf();
    expect(await refusalOf(site.oauth.verify(token, { scopes: ['photos:write'] }))).toEqual({
      status: 403,
      code: 'insufficient_scope',
      challenge: expect.stringMatching(/^Bearer .*scope="[^"]*photos:write/),
    });
    expect(await refusalOf(site.oauth.verify(token, { resource: API }))).toMatchObject({ status: 401 });
    const own = await site.client({ grantTypes: ['client_credentials'], redirectUris: [] });
    const { body } = await tokenRequest(site, own, { grant_type: 'client_credentials', scope: 'profile' });
    const ofClient = String(body.access_token);
    expect(await site.oauth.verify(ofClient)).not.toHaveProperty('userId');
    expect(await refusalOf(site.oauth.verify(ofClient, { requireUser: true }))).toMatchObject({
      status: 403,
    });
  });

  test('oauth.verify with any accepts one of several scopes', async () => {
    const token = await tokenOf();
    await site.oauth.verify(token, { scopes: ['photos:write', 'profile'], any: true });
    const both = site.oauth.verify(token, { scopes: ['photos:write', 'profile'] });
    expect(await refusalOf(both)).toMatchObject({ status: 403 });
  });

  test.each([
    undefined,
    null,
    '',
    'eas_at_x',
    'a b',
    'Bearer x',
    { token: 'x' },
    ['x'],
    7,
    'a.b.c',
    'x\r\ny',
  ])('oauth.verify refuses the token %p', async (token) => {
    expect(await refusalOf(site.oauth.verify(token))).toMatchObject({ status: 401, code: 'invalid_token' });
  });

  test('oauth.verify refuses a DPoP token, because it has no proof', async () => {
    const key = await createProofKey();
    const machine = await site.client({ grantTypes: ['client_credentials'], redirectUris: [] });
    const response = await tokenRequest(site, machine, { grant_type: 'client_credentials' }).set(
      'DPoP',
      await prove(key, 'POST', `${site.url}/oauth/token`),
    );
    expect(response.body.token_type).toBe('DPoP');
    const token = String(response.body.access_token);
    expect(await refusalOf(site.oauth.verify(token))).toMatchObject({ status: 401, code: 'invalid_token' });
  });

  test('oauth.verify throws on wrong options', async () => {
    const token = await tokenOf();
    await expect(site.oauth.verify(token, { scopes: ['photos:raed'] })).rejects.toThrow(
      /'photos:raed' is not among/,
    );
    await expect(site.oauth.verify(token, { scope: 'profile' } as never)).rejects.toThrow(
      /did you mean 'scopes'/,
    );
  });

  test('bearerGuard has verify as well', async () => {
    const guard = bearerGuard({
      issuer: site.url,
      resource: site.url,
      clientId: client.clientId,
      clientSecret: client.clientSecret!,
    });
    const token = await tokenOf();
    expect(await guard.verify(token, { scopes: ['profile'] })).toMatchObject({ userId: 'ada' });
    expect(await refusalOf(guard.verify('eas_at_x'))).toMatchObject({ status: 401 });
  });
});
