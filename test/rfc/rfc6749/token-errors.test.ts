import { describe, expect, test } from '@jest/globals';
import type { Response } from 'supertest';

import type { ClientWithSecret } from '../../../lib/index.js';
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

const by = (who: () => ClientWithSecret, fields: Fields) => () => tokenRequest(site, who(), fields).then();
const theClient = () => client;

type Failure = readonly [string, string, number, () => Promise<Response>];

/** One request for each way to fail that §5.2 lists, and for what a request can be missing. */
const FAILURES: readonly Failure[] = [
  ['no grant_type', 'invalid_request', 400, by(theClient, {})],
  ['no code', 'invalid_request', 400, by(theClient, { grant_type: 'authorization_code' })],
  ['no refresh_token', 'invalid_request', 400, by(theClient, { grant_type: 'refresh_token' })],
  ['no username', 'invalid_request', 400, by(theClient, { grant_type: 'password', password: 'x' })],
  [
    'a repeated parameter',
    'invalid_request',
    400,
    by(theClient, { grant_type: ['client_credentials', 'password'] }),
  ],
  ['an unknown client', 'invalid_client', 401, by(() => unknown, { grant_type: 'client_credentials' })],
  ['no client', 'invalid_client', 401, () => postToken(site, { grant_type: 'client_credentials' }).then()],
  ['a wrong code', 'invalid_grant', 400, by(theClient, { grant_type: 'authorization_code', code: 'x' })],
  [
    'a malformed code',
    'invalid_grant',
    400,
    by(theClient, { grant_type: 'authorization_code', code: 'a "b' }),
  ],
  [
    'a malformed refresh token',
    'invalid_grant',
    400,
    by(theClient, { grant_type: 'refresh_token', refresh_token: 'a "b' }),
  ],
  [
    'two ways of authentication',
    'invalid_request',
    400,
    () =>
      tokenRequest(site, client, {
        grant_type: 'client_credentials',
        client_id: client.clientId,
        client_secret: 'x',
      }).then(),
  ],
  [
    'an unsupported way of authentication',
    'invalid_client',
    401,
    () =>
      postToken(site, {
        grant_type: 'client_credentials',
        client_assertion: 'x.y.z',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer',
      }).then(),
  ],
  [
    'a malformed Basic header',
    'invalid_client',
    401,
    () => postToken(site, { grant_type: 'client_credentials' }).set('Authorization', 'Basic !').then(),
  ],
  ['a malformed grant type', 'unsupported_grant_type', 400, by(theClient, { grant_type: 'a "b' })],
  [
    'a wrong refresh token',
    'invalid_grant',
    400,
    by(theClient, { grant_type: 'refresh_token', refresh_token: 'x' }),
  ],
  [
    'a wrong password',
    'invalid_grant',
    400,
    by(theClient, { grant_type: 'password', username: 'ada', password: 'x' }),
  ],
  [
    'a grant type of other clients',
    'unauthorized_client',
    400,
    by(() => limited, { grant_type: 'client_credentials' }),
  ],
  [
    'an unknown grant type',
    'unsupported_grant_type',
    400,
    by(theClient, { grant_type: 'urn:ietf:params:oauth:grant-type:saml2-bearer' }),
  ],
  [
    'an unknown scope',
    'invalid_scope',
    400,
    by(theClient, { grant_type: 'client_credentials', scope: 'albums' }),
  ],
  [
    'a scope of other clients',
    'invalid_scope',
    400,
    by(theClient, { grant_type: 'client_credentials', scope: 'profile photos:read' }),
  ],
  [
    'a malformed scope',
    'invalid_scope',
    400,
    by(theClient, { grant_type: 'client_credentials', scope: 'a"b \\ é\n🖼️' }),
  ],
];

/** Failures of requests that present what the server has issued. */
const FAILURES_AFTER_CONSENT: readonly Failure[] = [
  [
    'a malformed code verifier',
    'invalid_grant',
    400,
    async () => redeem(site, client, await obtainCode(site, client), { code_verifier: 'a "b' }).then(),
  ],
  [
    'a code with another redirect URI',
    'invalid_grant',
    400,
    async () =>
      redeem(site, client, await obtainCode(site, client), { redirect_uri: 'https://other.example' }).then(),
  ],
  [
    'a code of another client',
    'invalid_grant',
    400,
    async () => redeem(site, limited, await obtainCode(site, client)).then(),
  ],
  [
    'a refresh token of another client',
    'invalid_grant',
    400,
    async () => {
      const { refresh_token } = await obtainTokens(site, client);
      return tokenRequest(site, await site.client(), { grant_type: 'refresh_token', refresh_token }).then();
    },
  ],
  [
    'a scope beyond the grant',
    'invalid_scope',
    400,
    async () => {
      const { refresh_token } = await obtainTokens(site, client);
      return tokenRequest(site, client, { grant_type: 'refresh_token', refresh_token, scope: 'photos:read' });
    },
  ],
];

describe('§5.2 error responses', () => {
  test.each([...FAILURES, ...FAILURES_AFTER_CONSENT])(
    '§5.2 %s is %s, %i [5.2-1] [5.2-6] [5.2-7] [5.2-8] [5.2-9] [5.2-10] [5.2-11]',
    async (_what, error, status, ask) => {
      const response = await ask();
      expect(response.status).toBe(status);
      expect(Object.keys(response.body).sort()).toEqual(['error', 'error_description']);
      expect(response.body.error).toBe(error);
    },
  );

  test.each(FAILURES)('§5.2 %s has exactly the headers of §5.1', async (_what, _error, _status, ask) => {
    const { headers } = await ask();
    expect(headers['content-type']).toBe('application/json;charset=UTF-8');
    expect(headers['cache-control']).toBe('no-store');
    expect(headers.pragma).toBe('no-cache');
  });

  test.each(FAILURES)(
    '§5.2 %s is described in printable ASCII without " and \\ [5.2-3] [5.2-4] [A.7-1] [A.8-1]',
    async (_what, _error, _status, ask) => {
      const { body } = await ask();
      for (const name of ['error', 'error_description'])
        expect(body[name]).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
    },
  );

  test.each(FAILURES.filter(([, , status]) => status === 400))(
    '§5.2 %s asks for no other credentials',
    async (_what, _error, _status, ask) => {
      expect((await ask()).headers).not.toHaveProperty('www-authenticate');
    },
  );
});

describe('§5.2 invalid_client', () => {
  test('§5.2 failed authentication by the Authorization header gets 401 and a challenge of the same scheme [5.2-2]', async () => {
    const response = await postToken(site, { grant_type: 'client_credentials' }).set(
      'Authorization',
      basic(client.clientId, 'wrong'),
    );
    expect(response.status).toBe(401);
    expect(response.headers['www-authenticate']).toMatch(/^Basic realm="[^"]+"/);
  });

  test('§5.2 failed authentication by the body gets 401, which RFC 9110 lets not be without a challenge', async () => {
    const response = await postToken(site, {
      grant_type: 'client_credentials',
      client_id: client.clientId,
      client_secret: 'wrong',
    });
    expect(response.status).toBe(401);
    expect(response.headers['www-authenticate']).toMatch(/^Basic /);
  });
});

describe('§5.2 what an error gives away', () => {
  test('why a grant is invalid is told to the host and not to the client', async () => {
    const { refresh_token: refreshToken } = await obtainTokens(site, client);
    const other = await site.client();
    const ofAnother = await refreshTokens(site, other, refreshToken);
    const ofNobody = await tokenRequest(site, other, { grant_type: 'refresh_token', refresh_token: 'x' });
    expect(ofAnother.body).toEqual(ofNobody.body);
    expect(site.errors.at(-1)?.detail).toMatch(/./);
    expect(ofNobody.text).not.toContain(site.errors.at(-1)?.detail ?? '');
  });

  test('the answer has the id by which the host finds it', async () => {
    const response = await tokenRequest(site, client, { grant_type: 'client_credentials', scope: 'albums' });
    expect(site.errors.at(-1)).toMatchObject({
      error: 'invalid_scope',
      endpoint: 'token',
      requestId: response.headers['x-request-id'],
    });
  });

  test('nothing is stored for a request that fails', async () => {
    const grants = site.database.connection.collection('oauth_grants');
    const before = await grants.countDocuments();
    for (const [, , , ask] of FAILURES) await ask();
    expect(await grants.countDocuments()).toBe(before);
  });
});
