import { describe, expect, test } from '@jest/globals';
import type { Response } from 'supertest';

import { type IssuedTokens, OAuthError } from '../../../lib/index.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { obtainCode, redeem, refreshTokens, tokenRequest } from '../../support/tokens.js';

let additional: (tokens: IssuedTokens) => Record<string, unknown> | Promise<Record<string, unknown>>;

const site = siteFor({
  grantTypes: ['authorization_code', 'refresh_token', 'client_credentials', 'password'],
  lifetimes: { accessToken: 1800 },
});
/** The same site with `tokens.responseParameters`, which the tests set. */
const adding = siteFor(() => ({
  database: site.database,
  tokens: { responseParameters: (tokens) => additional(tokens) },
}));
const client = fixture(() => site.client());

async function refresh(): Promise<Response> {
  const { body } = await redeem(site, client, await obtainCode(site, client));
  return refreshTokens(site, client, body.refresh_token);
}

const GRANTS: readonly [string, () => Promise<Response>][] = [
  ['authorization_code', async () => redeem(site, client, await obtainCode(site, client))],
  ['refresh_token', refresh],
  ['client_credentials', async () => tokenRequest(site, client, { grant_type: 'client_credentials' })],
  [
    'password',
    async () =>
      tokenRequest(site, client, { grant_type: 'password', username: 'ada', password: 'password of ada' }),
  ],
];

describe('§5.1 every successful response', () => {
  test.each(GRANTS)(
    '§5.1 the response to %s has exactly the headers and the members of the RFC [5.1-1] [5.1-2] [5.1-3] [5.1-5] [A.12-1] [A.13-1] [A.14-1] [A.17-1]',
    async (grantType, ask) => {
      const { status, headers, body, text } = await ask();
      expect(status).toBe(200);
      expect(headers['content-type']).toBe('application/json;charset=UTF-8');
      expect(headers['cache-control']).toBe('no-store');
      expect(headers.pragma).toBe('no-cache');
      expect(headers).not.toHaveProperty('etag');
      expect(headers).not.toHaveProperty('set-cookie');
      expect(body.access_token).toMatch(/^[\x20-\x7e]+$/);
      expect(body.token_type).toBe('Bearer');
      // a number, not a string (RFC 6749 §5.1)
      expect(text).toContain('"expires_in":1800');
      expect(body.scope).toBe('photos:read photos:write profile');
      if (grantType === 'client_credentials') return;
      expect(body.refresh_token).toMatch(/^[\x20-\x7e]+$/);
      expect(body.refresh_token).not.toBe(body.access_token);
    },
  );

  test('§3.3 the token response has no scope if the token has no scope', async () => {
    const scopeless = await site.client({ scopes: [] });
    const { body } = await redeem(site, scopeless, await obtainCode(site, scopeless));
    expect(body).not.toHaveProperty('scope');
  });
});

describe('§5.1 additional parameters', () => {
  test('§5.1 additional parameters are added to the parameters of the RFC [5.1-6]', async () => {
    additional = () =>
      Promise.resolve({
        example_parameter: 'example_value',
        'https://print.example/shop': { id: 7, open: true },
      });
    const { headers, body } = await tokenRequest(adding, client, { grant_type: 'client_credentials' });
    expect(headers['content-type']).toBe('application/json;charset=UTF-8');
    expect(body).toMatchObject({
      token_type: 'Bearer',
      example_parameter: 'example_value',
      'https://print.example/shop': { id: 7, open: true },
    });
  });

  test('§5.1 additional parameters are encoded as UTF-8', async () => {
    additional = () => ({ greeting: 'Grüße 照片 🖼️ "quoted"' });
    const { headers, text, body } = await tokenRequest(adding, client, { grant_type: 'client_credentials' });
    expect(body.greeting).toBe('Grüße 照片 🖼️ "quoted"');
    expect(headers['content-length']).toBe(String(Buffer.byteLength(text)));
  });

  test('§5.1 additional parameters never replace parameters of the RFC [5.1-1] [5.1-2] [5.1-4]', async () => {
    additional = () => ({
      access_token: 'evil',
      token_type: 'evil',
      expires_in: 1,
      refresh_token: 'evil',
      scope: 'evil',
    });
    const { body, text } = await tokenRequest(adding, client, {
      grant_type: 'client_credentials',
      scope: 'profile',
    });
    expect(text).not.toContain('evil');
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'profile' });
    expect(body).not.toHaveProperty('refresh_token');
  });

  test('§5.1 responseParameters gets the client, the person, the scopes and the grant type', async () => {
    const seen: IssuedTokens[] = [];
    additional = (tokens) => {
      seen.push(tokens);
      return {};
    };
    const { body } = await redeem(
      adding,
      client,
      await obtainCode(adding, client, { query: { scope: 'profile' } }),
    );
    await refreshTokens(adding, client, body.refresh_token);
    await tokenRequest(adding, client, { grant_type: 'client_credentials', scope: 'profile' });
    const about = { client: { clientId: client.clientId, name: client.name }, scopes: ['profile'] };
    expect(seen).toEqual([
      { ...about, userId: 'ada', grantType: 'authorization_code' },
      { ...about, userId: 'ada', grantType: 'refresh_token' },
      { ...about, grantType: 'client_credentials' },
    ]);
  });

  test('§5.2 a refusal by responseParameters is an error response, and the code stays valid', async () => {
    additional = () => {
      throw new OAuthError('invalid_grant', 'this account is closed');
    };
    const code = await obtainCode(adding, client);
    const refused = await redeem(adding, client, code);
    expect(refused.status).toBe(400);
    expect(refused.body).toEqual({ error: 'invalid_grant', error_description: 'this account is closed' });
    additional = () => ({});
    expect((await redeem(adding, client, code)).status).toBe(200);
  });

  test('§5.2 an exception in responseParameters is answered server_error without details', async () => {
    additional = () => Promise.reject(new Error('secret of the host'));
    const { status, text } = await tokenRequest(adding, client, { grant_type: 'client_credentials' });
    expect(status).toBe(500);
    expect(text).toContain('"server_error"');
    expect(text).not.toContain('secret of');
  });
});
