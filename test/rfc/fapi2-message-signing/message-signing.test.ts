import { describe, expect, test } from '@jest/globals';
import request from 'supertest';

import type { AuthorizationServerOptions, NewClient } from '../../../lib/index.js';
import { createTestKey, now } from '../../support/assertions.js';
import { createProofKey } from '../../support/dpop.js';
import { askAs, authorizeAs, createFapiClient, credentialsOf, pushAs } from '../../support/fapi.js';
import { postForm } from '../../support/person.js';
import { push } from '../../support/pushed-requests.js';
import { signRequest } from '../../support/request-objects.js';
import { KEY_SECRET, openSite, REDIRECT_URI } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { createPkce, postToken } from '../../support/tokens.js';

describe('options that break a requirement do not start', () => {
  test.each<[string, Partial<AuthorizationServerOptions>, RegExp]>([
    ['5.3.1-1', { signedRequests: false }, /signedRequests: .*Message Signing §5.3.1-1/],
    ['5.3.1-1', { signedRequests: true }, /signedRequests: .*Message Signing §5.3.1-1/],
    ['5.4.1-1', { signedResponses: false }, /signedResponses: .*Message Signing §5.4.1-1/],
    ['Security Profile 5.3.2.2-5', { security: { pkce: 'public' } }, /pkce: .*Security Profile §5.3.2.2-5/],
  ])('%s: the server does not start with %j [5.3.1-1] [5.4.1-1]', async (_section, options, message) => {
    await expect(openSite({ profile: 'fapi2-message-signing', ...options })).rejects.toThrow(message);
  });
});

describe.each(['of the site', 'of one client'])('the profile %s', (whose) => {
  const isOfSite = whose === 'of the site';
  const granted: Partial<NewClient> = isOfSite ? {} : { profile: 'fapi2-message-signing' };
  const others = { pushedRequests: true, signedRequests: true, signedResponses: true, dpop: true };
  const site = siteFor({
    ...(isOfSite ? ({ profile: 'fapi2-message-signing' } as const) : others),
    signingKeys: { encryptionSecret: KEY_SECRET },
    grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
  });
  const fapi = fixture(() => createFapiClient(site, { ...granted, introspection: true }));

  const { challenge } = createPkce();
  const RIGHT = { ...challenge, response_mode: 'jwt' };
  /** Pushes a request object that is valid except for some claims. */
  async function pushObject(claims: object = {}, key = fapi.key, header = {}) {
    const times = { nbf: now(), exp: now() + 300 };
    return pushAs(fapi, {
      response_type: undefined,
      redirect_uri: undefined,
      state: undefined,
      code_challenge: undefined,
      code_challenge_method: undefined,
      request: await signRequest(site, fapi.client.clientId, key, {
        claims: { ...times, ...RIGHT, ...claims },
        header,
      }),
    });
  }

  test('a client that signs its requests gets a signed response [5.3.1-1] [5.3.1-5] [5.4.1-1]', async () => {
    expect((await pushObject()).status).toBe(201);
    const { location } = await authorizeAs(fapi, {
      response_type: undefined,
      redirect_uri: undefined,
      state: undefined,
      code_challenge: undefined,
      code_challenge_method: undefined,
      request: await signRequest(site, fapi.client.clientId, fapi.key, {
        claims: { nbf: now(), exp: now() + 300, ...RIGHT },
      }),
    });
    expect([...location.searchParams.keys()]).toEqual(['response']);
    const [, payload = ''] = location.searchParams.get('response')!.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
    expect(claims).toMatchObject({ iss: site.url, aud: fapi.client.clientId, code: expect.any(String) });
  });

  test('5.3.1-1 a pushed request without a signature by a key of the client is refused [5.3.1-1]', async () => {
    expect((await pushAs(fapi, RIGHT)).body.error).toBe('invalid_request');
    expect((await pushObject({}, await createTestKey())).body.error).toBe('invalid_request_object');
  });

  test('5.3.1-2 a request object is accepted only if its aud has the issuer [5.3.1-2]', async () => {
    expect((await pushObject({ aud: ['https://other.example', site.url] })).status).toBe(201);
    for (const aud of ['https://other.example', undefined])
      expect((await pushObject({ aud })).body.error).toBe('invalid_request_object');
  });

  test.each<[string, () => object]>([
    ['3 without nbf', () => ({ nbf: undefined })],
    ['3 with nbf of more than an hour ago', () => ({ nbf: now() - 3700, exp: now() + 60 })],
    ['4 without exp', () => ({ exp: undefined })],
    ['4 with exp more than an hour after nbf', () => ({ nbf: now() - 600, exp: now() + 3100 })],
  ])('5.3.1-%s, a request object is refused [5.3.1-3] [5.3.1-4]', async (_what, claims) => {
    expect((await pushObject(claims())).body.error).toBe('invalid_request_object');
  });

  test('5.3.1-5 a request object with a wrong typ is refused, and a missing typ is accepted [5.3.1-5]', async () => {
    expect((await pushObject({}, fapi.key, { typ: 'at+jwt' })).body.error).toBe('invalid_request_object');
    for (const typ of ['oauth-authz-req+jwt', 'JWT', undefined])
      expect((await pushObject({}, fapi.key, { typ })).status).toBe(201);
  });

  test('5.4.1-1 a request for an unsigned response is refused [5.4.1-1]', async () => {
    for (const response_mode of [undefined, 'query', 'form_post'])
      expect((await pushObject({ response_mode })).body.error).toBe('invalid_request');
    expect((await pushObject({ response_mode: 'query.jwt' })).status).toBe(201);
  });

  test('the requirements of the Security Profile apply to the claims of a request object', async () => {
    for (const claims of [
      { redirect_uri: undefined },
      { code_challenge: undefined, code_challenge_method: undefined },
    ])
      expect((await pushObject(claims)).status).toBe(400);
    const rsa = await createTestKey('RS256');
    const other = await createFapiClient(site, {
      ...granted,
      jwks: { keys: [fapi.key.publicJwk, rsa.publicJwk] },
    });
    const signed = await signRequest(site, other.client.clientId, rsa, {
      claims: { nbf: now(), exp: now() + 60, ...RIGHT, redirect_uri: REDIRECT_URI },
    });
    const { body } = await pushAs({ ...other, key: fapi.key }, { request: signed });
    expect(body.error).toBe('invalid_request_object');
  });

  test('5.5.1-1 an introspection response as a JWT is signed [5.5.1-1]', async () => {
    const { body } = await askAs(fapi, { grant_type: 'client_credentials' }, await createProofKey());
    const sent = postForm(request(site.server), '/oauth/introspect', {
      token: body.access_token as string,
      ...(await credentialsOf(fapi)),
    }).set('Accept', 'application/token-introspection+jwt');
    const { status, headers, text } = await sent.buffer(true).parse((res, done) => {
      res.text = '';
      res.on('data', (chunk: Buffer) => (res.text += chunk.toString()));
      res.on('end', () => done(null, undefined));
    });
    expect([status, headers['content-type']]).toEqual([200, 'application/token-introspection+jwt']);
    const [header = ''] = text.split('.');
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toMatchObject({ alg: 'ES256' });
  });

  test('the client credentials grant works without a request object', async () => {
    const { status } = await askAs(fapi, { grant_type: 'client_credentials' }, await createProofKey());
    expect(status).toBe(200);
    expect((await postToken(site, { grant_type: 'client_credentials' })).status).toBe(401);
  });
});

test('a client cannot have the profile fapi2-message-signing at a site without signed responses', async () => {
  await using site = await openSite({ pushedRequests: true, signedRequests: true, dpop: true });
  await expect(createFapiClient(site, { profile: 'fapi2-message-signing' })).rejects.toThrow(
    /No client can be held to fapi2-message-signing here: the option signedResponses/,
  );
});

test('a client with fapi2-message-signing is refused once the site accepts no signed requests [5.3.1-1]', async () => {
  const stored = {
    pushedRequests: true,
    signedResponses: true,
    dpop: true,
    signingKeys: { encryptionSecret: KEY_SECRET },
  } as const;
  await using before = await openSite({ ...stored, signedRequests: true });
  const granted = await createFapiClient(before, { profile: 'fapi2-message-signing' });
  await using after = await openSite({ ...stored, database: before.database, issuer: before.url });
  const { status, body } = await push(after, granted.client, {
    ...createPkce().challenge,
    ...(await credentialsOf(granted)),
    response_mode: 'jwt',
  });
  expect([status, body]).toEqual([
    400,
    expect.objectContaining({ error_description: expect.stringMatching(/signed/) }),
  ]);
});

test('a site with the Security Profile checks the times of request objects and needs no signed responses [5.3.1-3] [5.3.1-4]', async () => {
  await using site = await openSite({
    profile: 'fapi2',
    signedRequests: { required: true },
    signingKeys: { encryptionSecret: KEY_SECRET },
  });
  const fapi = await createFapiClient(site);
  const { challenge } = createPkce();
  const pushWith = async (times: object) => {
    const claims = { nbf: now(), exp: now() + 300, ...challenge, ...times };
    return pushAs(fapi, { request: await signRequest(site, fapi.client.clientId, fapi.key, { claims }) });
  };
  expect((await pushWith({})).status).toBe(201);
  for (const times of [
    { nbf: undefined },
    { nbf: now() - 3700, exp: now() + 60 },
    { exp: undefined },
    { nbf: now() - 600, exp: now() + 3100 },
  ])
    expect((await pushWith(times)).body.error).toBe('invalid_request_object');
});
