import { describe, expect, test } from '@jest/globals';
import express from 'express';
import request, { type Response } from 'supertest';

import { postForm } from '../../support/person.js';
import { REDIRECT_URI } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { basic, type Fields, obtainCode, obtainTokens, redeem, tokenRequest } from '../../support/tokens.js';

const site = siteFor({
  grantTypes: ['authorization_code', 'refresh_token', 'client_credentials', 'password'],
  security: { rateLimits: false },
});
const readingSite = (extended: boolean) =>
  siteFor(() => ({ database: site.database, before: (app) => app.use(express.urlencoded({ extended })) }));
/** The same site where Express has parsed the body before, without and with `extended`. */
const reading = { plain: readingSite(false), extended: readingSite(true) };
const client = fixture(() => site.client({ trusted: true }));

function credentials(): string {
  return basic(client.clientId, client.clientSecret ?? '');
}

/** Posts a body as text, for any spelling of parameters. */
function postText(text: string, type = 'application/x-www-form-urlencoded') {
  return request(site.server)
    .post('/oauth/token')
    .set('Content-Type', type)
    .set('Authorization', credentials())
    .send(text);
}

function expectInvalidRequest(response: Response, status = 400): void {
  expect(response.status).toBe(status);
  expect(response.body.error).toBe('invalid_request');
  expect(response.headers['content-type']).toBe('application/json;charset=UTF-8');
}

describe('§3.2 POST of a form', () => {
  test.each(['get', 'put', 'delete', 'patch'] as const)(
    '§3.2 the token endpoint refuses %s [3.2-4]',
    async (method) => {
      const response = await request(site.server)[method]('/oauth/token').set('Authorization', credentials());
      expectInvalidRequest(response, 405);
      expect(response.headers.allow).toBe('POST');
    },
  );

  test('§3.2 the token endpoint accepts a charset in the Content-Type', async () => {
    expect(
      (await postText('grant_type=client_credentials', 'application/x-www-form-urlencoded; charset=UTF-8'))
        .status,
    ).toBe(200);
  });
});

describe('§3.2 parameters', () => {
  test('§3.2 an empty parameter counts as omitted [3.2-5]', async () => {
    const response = await postText(
      'grant_type=client_credentials&scope=&client_id=&client_secret=&code=&password=',
    );
    expect(response.status).toBe(200);
    expect(response.body.scope).toBe('photos:read photos:write profile');
  });

  test('§3.2 unknown parameters are ignored, also repeated, nested and broken parameters [3.2-6]', async () => {
    const response = await postText(
      'grant_type=client_credentials&resource_owner=x&x=1&x=2&a[b]=c&a[b][c]=d&__proto__=y&constructor[prototype]=z&nul=%00',
    );
    expect(response.status).toBe(200);
    expect(Object.keys(response.body).sort()).toEqual(['access_token', 'expires_in', 'scope', 'token_type']);
  });

  test('§3.2 unknown parameters in the URI are ignored [3.2-6]', async () => {
    const response = await postForm(request(site.server), '/oauth/token?trace=1', {
      grant_type: 'client_credentials',
    }).set('Authorization', credentials());
    expect(response.status).toBe(200);
  });

  test('§3.2 a parameter of another grant type is ignored [3.2-6]', async () => {
    expect(
      (
        await tokenRequest(site, client, {
          grant_type: 'client_credentials',
          code: 'x',
          username: 'ada',
          redirect_uri: REDIRECT_URI,
        })
      ).status,
    ).toBe(200);
  });

  const twice: readonly [string, Fields][] = [
    ['grant_type', { grant_type: ['client_credentials', 'client_credentials'] }],
    ['scope', { grant_type: 'client_credentials', scope: ['profile', 'profile'] }],
    ['code', { grant_type: 'authorization_code', code: ['a', 'a'] }],
    [
      'redirect_uri',
      { grant_type: 'authorization_code', code: 'a', redirect_uri: [REDIRECT_URI, REDIRECT_URI] },
    ],
    ['code_verifier', { grant_type: 'authorization_code', code: 'a', code_verifier: ['a', 'a'] }],
    ['refresh_token', { grant_type: 'refresh_token', refresh_token: ['a', 'a'] }],
    ['username', { grant_type: 'password', username: ['ada', 'ada'], password: 'password of ada' }],
    ['password', { grant_type: 'password', username: 'ada', password: ['x', 'password of ada'] }],
    ['client_id', { grant_type: 'client_credentials', client_id: ['a', 'a'] }],
    ['client_secret', { grant_type: 'client_credentials', client_secret: ['a', 'a'] }],
  ];

  test.each(twice)('§3.2 a repeated %s is refused [3.2-7]', async (name, fields) => {
    const response = await tokenRequest(site, client, fields);
    expectInvalidRequest(response);
    expect(response.body.error_description).toContain(name);
  });

  test('§3.2 a repeated parameter is refused, even if the repetition is empty [3.2-7]', async () => {
    expectInvalidRequest(await postText('grant_type=client_credentials&scope=profile&scope='));
  });

  test('§3.2 no member of a token response is repeated [3.2-7]', async () => {
    const { text } = await redeem(site, client, await obtainCode(site, client));
    const names = [...text.matchAll(/"(\w+)":/g)].map(([, name]) => name);
    expect(names.sort()).toEqual(['access_token', 'expires_in', 'refresh_token', 'scope', 'token_type']);
  });
});

describe('Appendix B, the encoding', () => {
  test('Appendix B a + and a %20 are both a space [B-2]', async () => {
    for (const scope of ['photos:read+profile', 'photos%3Aread%20profile', 'photos:read%20pro%66ile']) {
      expect((await postText(`grant_type=client%5Fcredentials&scope=${scope}`)).body.scope).toBe(
        'photos:read profile',
      );
    }
  });

  test('Appendix B names of parameters are decoded like values [B-2]', async () => {
    expect((await postText('%67rant%5Ftype=client_credentials')).status).toBe(200);
  });

  test.each(['%', '%4', '%zz', 'profile%', '%ff', '%c3%28', '%ed%a0%80', '%00'])(
    'Appendix B the malformed value %s is refused [B-2]',
    async (value) => {
      expectInvalidRequest(await postText(`grant_type=client_credentials&scope=${value}`));
    },
  );

  test('Appendix B a redirect URI with encoded characters is the same at both endpoints [B-1] [B-2]', async () => {
    const uri = `${REDIRECT_URI}?q=a+b%20c%26d%2Be&f=%C2%A3%E2%82%AC`;
    const special = await site.client({ redirectUris: [uri] });
    const code = await obtainCode(site, special, { query: { redirect_uri: uri } });
    expect((await redeem(site, special, code, { redirect_uri: uri })).status).toBe(200);
  });
});

describe('a body that the site has parsed', () => {
  test.each(['plain', 'extended'] as const)(
    '§3.2 a body that the site has parsed is accepted and checked: %s [3.2-5] [3.2-6] [3.2-7]',
    async (parser) => {
      const at = reading[parser];
      expect((await obtainTokens(at, client)).access_token).toMatch(/./);
      expect(
        (await tokenRequest(at, client, { grant_type: 'client_credentials', scope: '', x: ['1', '2'] }))
          .status,
      ).toBe(200);
      expectInvalidRequest(
        await tokenRequest(at, client, { grant_type: 'client_credentials', scope: ['profile', 'profile'] }),
      );
      const nested = await postForm(
        request(at.server),
        '/oauth/token',
        'grant_type=refresh_token&refresh_token[$ne]=x',
      ).set('Authorization', credentials());
      expectInvalidRequest(nested);
    },
  );
});
