import { beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';

import { postForm } from '../../support/person.js';
import { sendRaw } from '../../support/raw-http.js';
import { siteFor } from '../../support/site-for.js';
import { callApi, tokenRequest } from '../../support/tokens.js';

let token: string;

const site = siteFor();

beforeAll(async () => {
  token = (await tokenRequest(site, await site.client(), { grant_type: 'client_credentials' })).body
    .access_token;
});

function get(authorization: string, path = '/api/me') {
  return request(site.server).get(path).set('Authorization', authorization);
}

/** A challenge, which always ends with the address of the resource's metadata (RFC 9728 §5.1). */
const withoutError = (what = '') =>
  `Bearer realm="${new URL(site.url).host}"${what}, resource_metadata="${site.url}/.well-known/oauth-protected-resource"`;
const withError = (error: string, description: string) =>
  withoutError(`, error="${error}", error_description="${description}"`);

describe('§2.1 the Authorization header', () => {
  test('§2.1 a token in the Authorization header is accepted [2.1-1]', async () => {
    const response = await get(`Bearer ${token}`);
    expect(response.status).toBe(200);
    expect(response.body.token).toBe(token);
  });

  test.each(['bearer', 'BEARER', 'bEaReR'])(
    '§2.1 the scheme may be written %s (RFC 9110 §11.1) [2.1-1]',
    async (scheme) => {
      expect((await get(`${scheme} ${token}`)).status).toBe(200);
    },
  );

  test('§2.1 several spaces may follow the scheme (RFC 9110 §11.4) [2.1-1]', async () => {
    expect((await get(`Bearer    ${token}`)).status).toBe(200);
  });

  test.each([
    ['no character', ''],
    ['a space', '[object Object]'],
    ['a second token after a space', 'one two'],
    ['a comma', 'one,two'],
    ['quotes', '"one"'],
    ['a colon', 'invalid:abc'],
    ['the form of an attribute', 'token="one"'],
    ['= in the middle', 'one=two'],
    ['nothing but =', '=='],
    ['a character outside ASCII', 't\u00f6ken'],
    ['brackets', '<one>'],
    ['the syntax of RFC 6750 and an unknown value', 'AZaz09-._~+/='],
  ])('§3.1 a token with %s is answered invalid_token [3-1] [3-6] [3.1-2] [3.1-6]', async (_what, given) => {
    const response = await sendRaw(site.server, {
      target: '/api/me',
      headers: [['Authorization', `Bearer ${given}`]],
    });
    expect(response.status).toBe(401);
    expect(response.headers['www-authenticate']).toEqual([
      withError('invalid_token', 'the access token is invalid, expired or revoked'),
    ]);
  });

  test.each(['Basic YTpi', 'Digest username="a"', 'DPoP abc', 'Bearerx abc', 'Negotiate', ''])(
    '§3.1 %p gets a challenge without an error code [3-1] [3.1-4]',
    async (authorization) => {
      const response = await get(authorization);
      expect(response.status).toBe(401);
      expect(response.headers['www-authenticate']).toBe(withoutError());
    },
  );
});

describe('§2 several Authorization headers', () => {
  const send = (path: string, ...values: readonly string[]) =>
    sendRaw(site.server, { target: path, headers: values.map((value) => ['Authorization', value] as const) });

  test('§2 two Authorization headers with tokens are refused [2-1] [3.1-1] [3.1-5]', async () => {
    const response = await send('/api/me', `Bearer ${token}`, 'Bearer other');
    expect(response.status).toBe(400);
    expect(response.headers['www-authenticate']).toEqual([
      withError('invalid_request', 'more than one Authorization header'),
    ]);
  });

  test('§2 two Authorization headers are refused in any order and with any scheme [2-1]', async () => {
    for (const values of [
      ['Bearer other', `Bearer ${token}`],
      [`Bearer ${token}`, `Bearer ${token}`],
      [`Bearer ${token}`, 'Basic YTpi'],
      ['Basic YTpi', `Bearer ${token}`],
    ])
      expect([values, (await send('/api/me', ...values)).status]).toEqual([values, 400]);
  });

  test('§2 two Authorization headers are refused where a token is optional [2-1]', async () => {
    expect((await send('/api/maybe', 'Basic YTpi', `Bearer ${token}`)).status).toBe(400);
  });
});

describe('§2.2, §2.3 disabled methods', () => {
  test('§2.2 a token in the body is ignored [2.2-5]', async () => {
    const response = await postForm(request(site.server), '/api/photos', { access_token: token });
    expect(response.status).toBe(401);
    expect(response.headers['www-authenticate']).toBe(withoutError(', scope="photos:read photos:write"'));
  });

  test('§2.3 a token in the query is ignored [2.3-4]', async () => {
    const response = await request(site.server).get('/api/me').query({ access_token: token });
    expect(response.status).toBe(401);
    expect(response.headers['www-authenticate']).toBe(withoutError());
  });

  test('§2.3 a token in a cookie is ignored [5.2-7]', async () => {
    expect((await request(site.server).get('/api/me').set('Cookie', `access_token=${token}`)).status).toBe(
      401,
    );
  });

  test('§2 a query parameter access_token of the route is ignored beside a token in the header', async () => {
    const response = await request(site.server)
      .get('/api/me')
      .query({ access_token: 'of something else' })
      .set('Authorization', `Bearer ${token}`);
    expect(response.status).toBe(200);
  });

  test('§2.3 a response has no Cache-Control if tokens in the query are disabled [2.3-3]', async () => {
    expect((await callApi(site, token)).headers).not.toHaveProperty('cache-control');
  });
});
