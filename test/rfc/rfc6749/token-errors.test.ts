import { describe, expect, test } from '@jest/globals';
import type { Response } from 'supertest';

import { fixture, siteFor } from '../../support/site-for.js';
import {
  basic,
  type Fields,
  obtainCode,
  obtainTokens,
  postToken,
  redeem,
  refreshTokens,
  tokenRequest,
} from '../../support/tokens.js';

const site = siteFor({
  grantTypes: ['authorization_code', 'refresh_token', 'client_credentials', 'password'],
  security: { rateLimits: false },
});
const client = fixture(() => site.client({ scopes: ['profile'] }));
const limited = fixture(() => site.client({ grantTypes: ['authorization_code'] }));
const unknown = fixture(() => ({ ...client, clientId: 'unknown' }));

type Ask = () => PromiseLike<Response>;
const by =
  (fields: Fields, who = () => client): Ask =>
  () =>
    tokenRequest(site, who(), fields);
const forItself = { grant_type: 'client_credentials' };

/** One request for each failure of §5.2, and for each missing parameter. */
const FAILURES: Readonly<Record<string, Readonly<Record<string, Ask>>>> = {
  invalid_request: {
    'no grant_type': by({}),
    'no code': by({ grant_type: 'authorization_code' }),
    'no refresh_token': by({ grant_type: 'refresh_token' }),
    'no username': by({ grant_type: 'password', password: 'x' }),
    'a repeated parameter': by({ grant_type: ['client_credentials', 'password'] }),
    'two ways of authentication': () =>
      tokenRequest(site, client, { ...forItself, client_id: client.clientId, client_secret: 'x' }),
  },
  invalid_client: {
    'an unknown client': by(forItself, () => unknown),
    'no client': () => postToken(site, forItself),
    'an unsupported way of authentication': () =>
      postToken(site, {
        ...forItself,
        client_assertion: 'x.y.z',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer',
      }),
    'a malformed Basic header': () => postToken(site, forItself).set('Authorization', 'Basic !'),
  },
  invalid_grant: {
    'a wrong code': by({ grant_type: 'authorization_code', code: 'x' }),
    'a malformed code': by({ grant_type: 'authorization_code', code: 'a "b' }),
    'a malformed refresh token': by({ grant_type: 'refresh_token', refresh_token: 'a "b' }),
    'a wrong refresh token': by({ grant_type: 'refresh_token', refresh_token: 'x' }),
    'a wrong password': by({ grant_type: 'password', username: 'ada', password: 'x' }),
  },
  unauthorized_client: { 'a grant type of other clients': by(forItself, () => limited) },
  unsupported_grant_type: {
    'a malformed grant type': by({ grant_type: 'a "b' }),
    'an unknown grant type': by({ grant_type: 'urn:ietf:params:oauth:grant-type:saml2-bearer' }),
  },
  invalid_scope: {
    'an unknown scope': by({ ...forItself, scope: 'albums' }),
    'a scope of other clients': by({ ...forItself, scope: 'profile photos:read' }),
    'a malformed scope': by({ ...forItself, scope: 'a"b \\ é\n🖼️' }),
  },
};
const code = () => obtainCode(site, client);
const refreshToken = async () => (await obtainTokens(site, client)).refresh_token;
/** Failures of requests with codes and tokens of the server. */
const FAILURES_AFTER_CONSENT: typeof FAILURES = {
  invalid_grant: {
    'a malformed code verifier': async () => redeem(site, client, await code(), { code_verifier: 'a "b' }),
    'a code with another redirect URI': async () =>
      redeem(site, client, await code(), { redirect_uri: 'https://other.example' }),
    'a code of another client': async () => redeem(site, limited, await code()),
    'a refresh token of another client': async () =>
      refreshTokens(site, await site.client(), await refreshToken()),
  },
  invalid_scope: {
    'a scope beyond the grant': async () =>
      refreshTokens(site, client, await refreshToken(), { scope: 'photos:read' }),
  },
};
const rowsOf = (failures: typeof FAILURES) =>
  Object.entries(failures).flatMap(([error, asks]) =>
    Object.entries(asks).map(([what, ask]) => [what, error, ask] as const),
  );

describe('§5.2 error responses', () => {
  test.each([...rowsOf(FAILURES), ...rowsOf(FAILURES_AFTER_CONSENT)])(
    '§5.2 %s is answered %s, with the headers of §5.1 and the characters of the RFC [5.2-1] [5.2-3] [5.2-4] [5.2-6] [5.2-7] [5.2-8] [5.2-9] [5.2-10] [5.2-11] [A.7-1] [A.8-1]',
    async (_what, error, ask) => {
      const { status, headers, body } = await ask();
      expect(status).toBe(error === 'invalid_client' ? 401 : 400);
      expect(Object.keys(body).sort()).toEqual(['error', 'error_description']);
      expect(body.error).toBe(error);
      expect(body.error_description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
      expect(headers['content-type']).toBe('application/json;charset=UTF-8');
      expect(headers['cache-control']).toBe('no-store');
      expect(headers.pragma).toBe('no-cache');
      // only a 401 response has a challenge
      expect('www-authenticate' in headers).toBe(status === 401);
    },
  );
});

describe('§5.2 invalid_client', () => {
  test('§5.2 failed authentication in the Authorization header gets 401 and a Basic challenge [5.2-2]', async () => {
    const response = await postToken(site, { grant_type: 'client_credentials' }).set(
      'Authorization',
      basic(client.clientId, 'wrong'),
    );
    expect(response.status).toBe(401);
    expect(response.headers['www-authenticate']).toMatch(/^Basic realm="[^"]+"/);
  });

  test('§5.2 failed authentication in the body gets 401 and a Basic challenge (RFC 9110)', async () => {
    const response = await postToken(site, {
      grant_type: 'client_credentials',
      client_id: client.clientId,
      client_secret: 'wrong',
    });
    expect(response.status).toBe(401);
    expect(response.headers['www-authenticate']).toMatch(/^Basic /);
  });
});

describe('§5.2 details of errors', () => {
  test('the reason for an invalid grant is reported to the site, not to the client', async () => {
    const { refresh_token: refreshToken } = await obtainTokens(site, client);
    const other = await site.client();
    const ofAnother = await refreshTokens(site, other, refreshToken);
    const ofNobody = await refreshTokens(site, other, 'x');
    expect(ofAnother.body).toEqual(ofNobody.body);
    expect(site.errors.at(-1)?.detail).toMatch(/./);
    expect(ofNobody.text).not.toContain(site.errors.at(-1)?.detail ?? '');
  });

  test('an error response has the request id of the reported error', async () => {
    const response = await tokenRequest(site, client, { grant_type: 'client_credentials', scope: 'albums' });
    expect(site.errors.at(-1)).toMatchObject({
      error: 'invalid_scope',
      endpoint: 'token',
      requestId: response.headers['x-request-id'],
    });
  });

  test('a failed token request stores no grant', async () => {
    const grants = site.database.collection('oauth_grants');
    const before = await grants.countDocuments();
    for (const [, , ask] of rowsOf(FAILURES)) await ask();
    expect(await grants.countDocuments()).toBe(before);
  });
});
