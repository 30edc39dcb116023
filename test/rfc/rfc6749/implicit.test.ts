import { describe, expect, test } from '@jest/globals';
import request from 'supertest';

import { fragmentOf, locationOf, logInPerson, type Query } from '../../support/person.js';
import { REDIRECT_URI } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { callApi, postToken } from '../../support/tokens.js';

const site = siteFor({ grantTypes: ['authorization_code', 'refresh_token', 'implicit'] });
/** The same site with the usual grant types. */
const defaultValue = siteFor(() => ({ database: site.database }));
const client = fixture(() => site.client({ type: 'public', scopes: ['photos:read', 'profile'] }));
const ada = fixture(() => logInPerson(site));

const tokenRequestOf = (more: Query = {}): Query => ({
  response_type: 'token',
  client_id: client.clientId,
  redirect_uri: REDIRECT_URI,
  state: 'xyz',
  ...more,
});

describe('§4.2.2 the response', () => {
  test('§4.2.2 the implicit response has the access token only in the fragment [4.2.1-1] [4.2.2-1]', async () => {
    const location = await ada.authorize(tokenRequestOf());
    expect(location.href.startsWith(`${REDIRECT_URI}#`)).toBe(true);
    expect(location.search).toBe('');
    const me = await callApi(site, fragmentOf(location).get('access_token') ?? '');
    expect(me.status).toBe(200);
    expect(me.body).toMatchObject({ userId: 'ada', clientId: client.clientId });
  });

  test('§4.2.2 the implicit response has the type, lifetime, scope, state and iss, and nothing else [4.2.2-2] [4.2.2-3] [4.2.2-4] [4.2.2-5] [A.13-1] [A.14-1]', async () => {
    const fragment = fragmentOf(await ada.authorize(tokenRequestOf({ scope: 'profile' })));
    expect(Object.fromEntries(fragment)).toEqual({
      access_token: expect.stringMatching(/^[\x20-\x7e]+$/),
      token_type: 'Bearer',
      expires_in: '3600',
      scope: 'profile',
      state: 'xyz',
      iss: site.url,
    });
  });

  test('§4.2.2 the implicit response names the scope if the request had no scope [4.2.2-4]', async () => {
    const fragment = fragmentOf(await ada.authorize(tokenRequestOf()));
    expect(fragment.get('scope')?.split(' ').sort()).toEqual(['photos:read', 'profile']);
  });

  test('§4.2.2 the implicit response has no refresh token and no code [4.2.2-6]', async () => {
    const { href } = await ada.authorize(tokenRequestOf());
    expect(href).not.toContain('refresh_token');
    expect(href).not.toContain('eas_rt_');
    expect(href).not.toContain('code=');
    const stored = await site.database.collection('oauth_grants').find({ grantType: 'implicit' }).toArray();
    expect(stored.length).toBeGreaterThan(0);
    expect(stored.filter((grant) => 'refreshToken' in grant)).toEqual([]);
  });

  test('§4.2.2 the implicit response is not cached', async () => {
    const { headers } = await ada.openAuthorize(tokenRequestOf());
    expect(headers.location).toContain('access_token=');
    expect(headers['cache-control']).toBe('no-store');
    expect(headers.pragma).toBe('no-cache');
  });

  test('§4.2.2 the implicit response after the consent page has the token in the fragment', async () => {
    const requested = await site.client({ type: 'public' });
    const page = await ada.openAuthorize(tokenRequestOf({ client_id: requested.clientId }));
    expect(page.status).toBe(200);
    const response = await ada.choose(page, { scopes: ['profile'] });
    expect(response.status).toBe(302);
    expect(fragmentOf(locationOf(response)).get('scope')).toBe('profile');
  });
});

describe('§4.2.2.1 the error response', () => {
  const errors: readonly [string, string, Query][] = [
    ['an unknown scope', 'invalid_scope', { scope: 'albums' }],
    ['a scope of other clients', 'invalid_scope', { scope: 'photos:write' }],
    ['a malformed scope', 'invalid_scope', { scope: 'a "b" \\c é' }],
  ];

  test.each(errors)(
    '§4.2.2.1 %s is answered %s in the fragment [4.2.2.1-3] [4.2.2.1-4] [4.2.2.1-5] [4.2.2.1-7]',
    async (_what, error, query) => {
      const location = await ada.authorize(tokenRequestOf(query));
      const fragment = fragmentOf(location);
      expect(location.search).toBe('');
      expect([...fragment.keys()].sort()).toEqual(['error', 'error_description', 'iss', 'state']);
      expect(fragment.get('error')).toBe(error);
      expect(fragment.get('error_description')).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
      expect(fragment.get('state')).toBe('xyz');
      expect(fragment.get('iss')).toBe(site.url);
    },
  );

  test('§4.2.2.1 a denial by the person is answered access_denied in the fragment [4.2.2.1-3]', async () => {
    const { clientId } = await site.client({ type: 'public' });
    const fragment = fragmentOf(
      await ada.authorize(tokenRequestOf({ client_id: clientId }), { decision: 'deny' }),
    );
    expect(fragment.get('error')).toBe('access_denied');
    expect(fragment.has('access_token')).toBe(false);
  });

  test('§4.2.2.1 a client without the implicit grant gets unauthorized_client [4.2.2.1-3]', async () => {
    const { clientId } = await site.client({ grantTypes: ['authorization_code'] });
    expect(fragmentOf(await ada.authorize(tokenRequestOf({ client_id: clientId }))).get('error')).toBe(
      'unauthorized_client',
    );
  });

  test('§4.2.1 an implicit request without a client_id gets an error page [4.2.1-2] [4.2.2.1-2]', async () => {
    const page = await ada.openAuthorize(tokenRequestOf({ client_id: undefined }));
    expect(page.status).toBe(400);
    expect(page.headers.location).toBeUndefined();
  });
});

describe('§4.2 the implicit grant as an option', () => {
  test('§4.2 implicit is refused at the token endpoint', async () => {
    const response = await postToken(site, { grant_type: 'implicit', client_id: client.clientId });
    expect(response.body.error).toBe('unsupported_grant_type');
  });

  test('§3.1.1 response_type=token is refused without the implicit grant [3.1.1-3]', async () => {
    const person = await logInPerson(defaultValue);
    const location = await person.authorize(tokenRequestOf());
    expect(location.searchParams.get('error')).toBe('unsupported_response_type');
    expect(
      (await request(defaultValue.server).get('/.well-known/oauth-authorization-server')).body
        .response_types_supported,
    ).toEqual(['code']);
  });
});
