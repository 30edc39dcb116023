import { describe, expect, test } from '@jest/globals';
import type { Response } from 'supertest';

import { startLike } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { basic, callApi, type Fields, postToken, refreshTokens, tokenRequest } from '../../support/tokens.js';

/** Appendix A.15 and A.16 allow all of Unicode but line breaks. */
const UNICODE = 'Zoë 照片 🖼️ "+%&=\\\t ';

const site = siteFor({
  grantTypes: ['authorization_code', 'refresh_token', 'password'],
  security: { rateLimits: false },
  people: {
    authenticate: (username, password) =>
      Promise.resolve(
        ['ada', UNICODE].includes(username) && password === `password of ${username}` ? username : null,
      ),
  },
});
/** The same site with the usual grant types. */
const defaultValue = siteFor(() => ({ database: site.database }));
const client = fixture(() => site.client());
const publicClient = fixture(() => site.client({ type: 'public' }));

function passwordRequest(fields: Fields = {}, as = client) {
  return tokenRequest(site, as, {
    grant_type: 'password',
    username: 'ada',
    password: 'password of ada',
    ...fields,
  });
}

function expectError(response: Response, status: number, error: string): void {
  expect(response.status).toBe(status);
  expect(response.body.error).toBe(error);
  expect(response.body).not.toHaveProperty('access_token');
}

describe('§4.3.2 the request', () => {
  test('§4.3.2 a user name and a password are redeemed for tokens of that person [4.3.2-1] [4.3.2-7]', async () => {
    const response = await passwordRequest({ scope: 'profile' });
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'profile' });
    expect((await callApi(site, response.body.access_token)).body).toMatchObject({
      userId: 'ada',
      clientId: client.clientId,
      scopes: ['profile'],
    });
  });

  test('§4.3.3 the password grant issues a valid refresh token', async () => {
    const { body } = await passwordRequest();
    expect((await refreshTokens(site, client, body.refresh_token)).status).toBe(200);
  });

  test.each(['username', 'password'])('§4.3.2 %s is required once [4.3.2-2] [4.3.2-3]', async (name) => {
    expectError(await passwordRequest({ [name]: undefined }), 400, 'invalid_request');
    expectError(await passwordRequest({ [name]: '' }), 400, 'invalid_request');
    expectError(await passwordRequest({ [name]: ['ada', 'ada'] }), 400, 'invalid_request');
  });

  test('§4.3.2 user names and passwords may have any characters [A.15-1] [A.16-1] [B-2]', async () => {
    const { status, body } = await passwordRequest({ username: UNICODE, password: `password of ${UNICODE}` });
    expect(status).toBe(200);
    expect((await callApi(site, body.access_token)).body.userId).toBe(UNICODE);
  });

  test('§3.3 the password grant refuses a scope outside the registration of the client', async () => {
    const narrow = await site.client({ scopes: ['profile'] });
    expectError(await passwordRequest({ scope: 'photos:write' }, narrow), 400, 'invalid_scope');
  });
});

describe('§4.3.2 checks', () => {
  test.each([
    ['a wrong password', { password: 'wrong' }],
    ['the password of another person', { password: 'password of grace' }],
    ['an unknown user name', { username: 'nobody' }],
  ])('§4.3.2 %s is answered with the same invalid_grant [4.3.2-7]', async (_what, fields) => {
    const response = await passwordRequest(fields);
    expectError(response, 400, 'invalid_grant');
    expect(response.body.error_description).toBe('the user name or the password is wrong');
  });

  test('§4.3.2 the password grant refuses a confidential client without authentication [4.3.2-4] [4.3.2-5]', async () => {
    const fields = { grant_type: 'password', username: 'ada', password: 'password of ada' };
    expectError(await postToken(site, { ...fields, client_id: client.clientId }), 401, 'invalid_client');
    expectError(await postToken(site, fields), 401, 'invalid_client');
  });

  test('§4.3.2 wrong client credentials are refused, also of a public client [4.3.2-6]', async () => {
    const fields = { grant_type: 'password', username: 'ada', password: 'password of ada' };
    for (const { clientId } of [client, publicClient]) {
      expectError(
        await postToken(site, fields).set('Authorization', basic(clientId, 'wrong')),
        401,
        'invalid_client',
      );
    }
    expect((await passwordRequest({}, publicClient)).status).toBe(200);
  });

  test('§4.3.2 an unauthenticated client does not learn whether the password is correct [4.3.2-5]', async () => {
    const wrongClient = { ...client, clientSecret: 'wrong' };
    const [right, wrong] = [
      await passwordRequest({}, wrongClient),
      await passwordRequest({ password: 'wrong' }, wrongClient),
    ];
    expect(right.body).toEqual(wrong.body);
  });
});

describe('§10.7 the password grant as an option', () => {
  test('§10.7 the password grant is refused unless grantTypes has password [10.7-1]', async () => {
    const both = await defaultValue.client();
    expectError(
      await tokenRequest(defaultValue, both, {
        grant_type: 'password',
        username: 'ada',
        password: 'password of ada',
      }),
      400,
      'unsupported_grant_type',
    );
    await expect(defaultValue.client({ grantTypes: ['password'] })).rejects.toMatchObject({
      error: 'invalid_client_metadata',
    });
  });

  test('§10.7 the password grant needs people.authenticate [4.3.2-7] [10.7-1]', () => {
    expect(() => startLike(site, { grantTypes: ['password'] })).toThrow(/people.authenticate/);
  });
});
