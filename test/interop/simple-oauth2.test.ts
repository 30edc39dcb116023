import { describe, expect, test } from '@jest/globals';
import {
  AuthorizationCode,
  ClientCredentials,
  type ModuleOptions,
  ResourceOwnerPassword,
} from 'simple-oauth2';

import { fixture } from '../support/site-for.js';
import { startExample } from './support/example.js';
import { authorize } from './support/flows.js';

const example = fixture(() => startExample());

function optionsOf(id: string, options: ModuleOptions['options'] = {}): ModuleOptions {
  return {
    client: { id, secret: `${id}-demo-secret` },
    auth: { tokenHost: example.issuer, tokenPath: '/oauth/token' },
    options,
  };
}

async function callApi(token: unknown, path = '/api/me'): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${example.issuer}${path}`, {
    headers: { authorization: `Bearer ${String(token)}` },
  });
  return { status: response.status, body: await response.json() };
}

describe('simple-oauth2', () => {
  test('simple-oauth2 redeems a code and refreshes, and the old access token lives on', async () => {
    const { auth, ...options } = optionsOf('printing-shop');
    const shop = new AuthorizationCode({ ...options, auth: { ...auth, authorizePath: '/oauth/authorize' } });
    const redirectUri = `${example.shopUrl}/callback`;
    const callback = await authorize(
      example.issuer,
      shop.authorizeURL({ redirect_uri: redirectUri, scope: 'photos:read', state: 'a state' }),
      redirectUri,
    );
    expect(callback.searchParams.get('state')).toBe('a state');
    const code = callback.searchParams.get('code')!;

    const first = await shop.getToken({ code, redirect_uri: redirectUri });
    expect(first.expired()).toBe(false);
    expect((await callApi(first.token.access_token)).body).toMatchObject({
      clientId: 'printing-shop',
      scopes: ['photos:read'],
      user: { username: 'ada' },
    });

    const second = await first.refresh();
    expect((await callApi(second.token.access_token, '/api/photos')).status).toBe(200);

    // RFC 6749 §4.1.2: a code used twice ends what was issued from it
    await expect(shop.getToken({ code, redirect_uri: redirectUri })).rejects.toMatchObject({
      data: { payload: { error: 'invalid_grant' } },
    });
    expect((await callApi(second.token.access_token)).status).toBe(401);
  });

  test.each(['header', 'body'] as const)('client credentials in the %s', async (authorizationMethod) => {
    const webcam = new ClientCredentials(optionsOf('roof-webcam', { authorizationMethod }));
    const { token } = await webcam.getToken({ scope: ['photos:read', 'photos:write'] });
    expect(token.scope).toBe('photos:read photos:write');
    expect((await callApi(token.access_token)).body).toMatchObject({ clientId: 'roof-webcam', user: null });
  });

  test('simple-oauth2 encodes credentials strictly by RFC 6749 §2.3.1, or loosely', async () => {
    for (const credentialsEncodingMode of ['strict', 'loose'] as const) {
      const webcam = new ClientCredentials(optionsOf('roof-webcam', { credentialsEncodingMode }));
      expect((await webcam.getToken({})).token.scope).toBe('photos:read');
    }
  });

  test('simple-oauth2 uses the password grant', async () => {
    const app = new ResourceOwnerPassword(optionsOf('old-desktop-app'));
    const { token } = await app.getToken({
      username: 'ada',
      password: 'correct-horse-battery',
      scope: 'photos:read',
    });
    expect((await callApi(token.access_token, '/api/photos')).body).toHaveLength(6);
    expect(token.refresh_token).toEqual(expect.any(String));

    await expect(
      app.getToken({ username: 'ada', password: 'wrong', scope: 'photos:read' }),
    ).rejects.toMatchObject({ data: { payload: { error: 'invalid_grant' } } });
  });

  test('simple-oauth2 reports a wrong secret', async () => {
    const options = optionsOf('roof-webcam');
    const intruder = new ClientCredentials({ ...options, client: { id: 'roof-webcam', secret: 'guessed' } });
    await expect(intruder.getToken({})).rejects.toMatchObject({
      output: { statusCode: 401 },
      data: { payload: { error: 'invalid_client' } },
    });
  });
});
