import { describe, expect, test } from '@jest/globals';
import {
  createLocalJWKSet,
  decodeProtectedHeader,
  exportJWK,
  type JSONWebKeySet,
  type JWTPayload,
  jwtVerify,
} from 'jose';
import request from 'supertest';

import { createTestKey } from '../../support/assertions.js';
import {
  codeQuery,
  fragmentOf,
  hiddenFields,
  locationOf,
  logInPerson,
  type Query,
} from '../../support/person.js';
import { pushed } from '../../support/pushed-requests.js';
import { register } from '../../support/registration.js';
import { openSite, REDIRECT_URI, type Site } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { callApi, redeem } from '../../support/tokens.js';

const site = siteFor({
  signedResponses: true,
  pushedRequests: true,
  registration: { open: true },
  grantTypes: ['authorization_code', 'implicit'],
});
const client = fixture(() => site.client());
const ada = fixture(() => logInPerson(site));

const queryOf = (more: Query = {}): Query =>
  codeQuery(client, { response_mode: 'jwt', state: 'x "y" z', ...more });
const json = async ({ server }: Site, path: string) =>
  (await request(server).get(path)).body as Record<string, unknown>;
const metadataOf = (of: Site) => json(of, '/.well-known/oauth-authorization-server');

/** The claims, after the checks that JARM §2.4 requires of clients. */
async function claimsIn(jwt: string | null | undefined, of: Site = site): Promise<JWTPayload> {
  const keys = createLocalJWKSet((await json(of, '/oauth/jwks')) as unknown as JSONWebKeySet);
  const { payload } = await jwtVerify(jwt ?? '', keys, { issuer: of.url });
  return payload;
}

describe('§2.1 the JWT', () => {
  test('a JWT response has iss, aud, exp, code and state [2.1-1] [2.1-2] [2.1-3]', async () => {
    const { searchParams } = await ada.authorize(queryOf());
    expect([...searchParams.keys()]).toEqual(['response']);
    const claims = await claimsIn(searchParams.get('response'));
    expect(claims).toMatchObject({ iss: site.url, aud: client.clientId, state: 'x "y" z' });
    const left = claims.exp! - Date.now() / 1000;
    expect(left).toBeGreaterThan(60);
    expect(left).toBeLessThanOrEqual(600);
    expect((await redeem(site, client, claims.code as string)).status).toBe(200);
  });

  test('a JWT response with an error has aud, error and state [2.1-3]', async () => {
    const location = locationOf(await ada.openAuthorize(queryOf({ scope: 'nonsense' })));
    expect([...location.searchParams.keys()]).toEqual(['response']);
    expect(await claimsIn(location.searchParams.get('response'))).toMatchObject({
      aud: client.clientId,
      error: 'invalid_scope',
      state: 'x "y" z',
    });
    const denied = await ada.authorize(queryOf({ prompt: 'consent' }), { decision: 'deny' });
    expect(await claimsIn(denied.searchParams.get('response'))).toMatchObject({ error: 'access_denied' });
  });

  test('a JWT response with a token has expires_in as a number [2.1-3] [2.3.2-1]', async () => {
    const url = await ada.authorize(queryOf({ response_type: 'token' }));
    expect([...fragmentOf(url).keys()]).toEqual(['response']);
    const claims = await claimsIn(fragmentOf(url).get('response'));
    expect(claims).toMatchObject({ token_type: 'Bearer', expires_in: 3600 });
    expect((await callApi(site, claims.access_token as string)).status).toBe(200);
  });

  test('a JWT response is refused as an access token [5.1-1]', async () => {
    const { searchParams } = await ada.authorize(queryOf());
    const jwt = searchParams.get('response')!;
    expect(decodeProtectedHeader(jwt).typ).not.toBe('at+jwt');
    expect((await callApi(site, jwt)).status).toBe(401);
    expect(await claimsIn(jwt)).not.toHaveProperty('sub');
  });
});

describe('§2.3 the response modes', () => {
  test('query.jwt puts the response into the query [2.3.1-1]', async () => {
    const url = await ada.authorize(queryOf({ response_mode: 'query.jwt' }));
    expect(await claimsIn(url.searchParams.get('response'))).toHaveProperty('code');
  });

  test('fragment.jwt puts the response into the fragment [2.3.2-1]', async () => {
    const url = await ada.authorize(queryOf({ response_mode: 'fragment.jwt' }));
    expect(url.search).toBe('');
    expect(await claimsIn(fragmentOf(url).get('response'))).toHaveProperty('code');
  });

  test('form_post.jwt works without formPost and with any state [2.3.3-1]', async () => {
    const page = await ada.openAuthorize(queryOf({ response_mode: 'form_post.jwt', state: 'a\nb' }));
    const fields = hiddenFields(page);
    expect(Object.keys(fields)).toEqual(['response']);
    expect(page.text).toContain(`action="${REDIRECT_URI}"`);
    expect(await claimsIn(fields.response)).toMatchObject({ state: 'a\nb', code: expect.any(String) });
  });

  test.each([
    ['code', 'query'],
    ['token', 'fragment'],
  ])('the mode jwt for response_type %s uses the %s [2.3.4-1]', async (responseType, part) => {
    const url = await ada.authorize(queryOf({ response_type: responseType }));
    expect(url.searchParams.has('response')).toBe(part === 'query');
    expect(fragmentOf(url).has('response')).toBe(part === 'fragment');
  });

  test('query.jwt is refused for response_type token [2.3.1-2]', async () => {
    const response = await ada.openAuthorize(queryOf({ response_type: 'token', response_mode: 'query.jwt' }));
    const location = locationOf(response);
    expect(location.search).toBe('');
    expect(fragmentOf(location).get('error')).toBe('invalid_request');
  });

  test('a pushed request may have the response mode jwt [2.3.4-1]', async () => {
    const url = await ada.authorize(await pushed(site, client, { response_mode: 'jwt' }));
    expect(await claimsIn(url.searchParams.get('response'))).toHaveProperty('code');
  });

  test('the JWT response modes are refused without signedResponses, and are not in the metadata [4-2]', async () => {
    await using without = await openSite({ formPost: true });
    const other = await without.client();
    const person = await logInPerson(without);
    for (const mode of ['jwt', 'query.jwt', 'fragment.jwt', 'form_post.jwt']) {
      const response = await person.openAuthorize(
        queryOf({ client_id: other.clientId, response_mode: mode }),
      );
      expect(locationOf(response).searchParams.get('error')).toBe('invalid_request');
    }
    const metadata = await metadataOf(without);
    expect(metadata).not.toHaveProperty('authorization_signing_alg_values_supported');
    expect(metadata.response_modes_supported).toEqual(['query', 'fragment', 'form_post']);
  });
});

describe('§3, §4 algorithms', () => {
  test('the metadata lists the algorithms and modes of JWT responses [4-1] [4-2]', async () => {
    expect(await metadataOf(site)).toMatchObject({
      authorization_signing_alg_values_supported: ['ES256'],
      response_modes_supported: ['query', 'fragment', 'query.jwt', 'fragment.jwt', 'form_post.jwt', 'jwt'],
      jwks_uri: `${site.url}/oauth/jwks`,
    });
  });

  test('a JWT response has the algorithm that the client has registered, or RS256 [3-1] [3-2]', async () => {
    const jwkOf = async (alg: string) => ({
      ...(await exportJWK((await createTestKey(alg)).privateKey)),
      alg,
      kid: alg,
    });
    const keys = await Promise.all(['ES256', 'RS256', 'EdDSA'].map(jwkOf));
    await using many = await openSite({ signedResponses: true, signingKeys: { keys } });
    const person = await logInPerson(many);
    const algorithmFor = async (alg?: string) => {
      const { clientId } = await many.client({
        ...(alg !== undefined && { authorizationSignedResponseAlg: alg }),
      });
      const { searchParams } = await person.authorize(queryOf({ client_id: clientId }));
      await claimsIn(searchParams.get('response'), many);
      return decodeProtectedHeader(searchParams.get('response')!).alg;
    };
    expect(await algorithmFor('EdDSA')).toBe('EdDSA');
    expect(await algorithmFor('ES256')).toBe('ES256');
    // JARM §3: RS256 by default, although the first key has another algorithm
    expect(await algorithmFor()).toBe('RS256');
    expect((await metadataOf(many)).authorization_signing_alg_values_supported).toEqual([
      'ES256',
      'RS256',
      'EdDSA',
    ]);
  });

  test('a JWT response has the algorithm of the server if the server has no RS256 key [3-2]', async () => {
    const { searchParams } = await ada.authorize(queryOf());
    expect(decodeProtectedHeader(searchParams.get('response')!).alg).toBe('ES256');
  });

  test.each(['none', 'HS256', 'RS256', 'ES256 '])(
    'the response signature alg %s cannot be registered [3-1] [3-3]',
    async (alg) => {
      await expect(site.client({ authorizationSignedResponseAlg: alg })).rejects.toThrow(/signed by ES256/);
      const { status, body } = await register(site, {
        client_name: 'Frame maker',
        redirect_uris: [REDIRECT_URI],
        authorization_signed_response_alg: alg,
      });
      expect([status, body.error]).toEqual([400, 'invalid_client_metadata']);
      expect(body.error_description).toContain('signed by ES256, not by');
    },
  );

  test('dynamic registration accepts and returns authorization_signed_response_alg [3-1]', async () => {
    const { body } = await register(site, {
      client_name: 'Frame maker',
      redirect_uris: [REDIRECT_URI],
      authorization_signed_response_alg: 'ES256',
    }).expect(201);
    expect(body.authorization_signed_response_alg).toBe('ES256');
  });

  test('a client whose response algorithm no longer has a key gets no response [3-1]', async () => {
    await using before = await openSite({ signedResponses: true });
    const own = await before.client({ authorizationSignedResponseAlg: 'ES256' });
    const jwk = { ...(await exportJWK((await createTestKey('EdDSA')).privateKey)), alg: 'EdDSA', kid: 'new' };
    await using after = await openSite({
      database: before.database,
      issuer: before.url,
      signedResponses: true,
      signingKeys: { keys: [jwk] },
    });
    const person = await logInPerson(after);
    const response = await person.openAuthorize(queryOf({ client_id: own.clientId, scope: 'nonsense' }));
    expect([response.status, response.headers.location]).toEqual([500, undefined]);
    expect(after.errors.at(-1)?.detail).toContain('no signing key has the algorithm ES256');
  });
});

test('the server does not start without signing keys unless its issuer is on loopback', async () => {
  const options = { signedResponses: true, signingKeys: {}, issuer: 'https://photos.example' };
  await expect(openSite(options)).rejects.toThrow(/signedResponses: needs signingKeys.encryptionSecret/);
});
