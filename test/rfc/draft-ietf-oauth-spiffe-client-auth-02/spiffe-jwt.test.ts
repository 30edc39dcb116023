import { beforeEach, describe, expect, test } from '@jest/globals';
import { type JWTHeaderParameters, SignJWT } from 'jose';
import request from 'supertest';

import type { NewClient, PublicJwks } from '../../../lib/index.js';
import { createTestKey, now, postAssertion, type TestKey } from '../../support/assertions.js';
import { openDocumentServer } from '../../support/client-documents.js';
import { letPass } from '../../support/clock.js';
import { openJwksServer } from '../../support/jwks-server.js';
import { METADATA, register } from '../../support/registration.js';
import { openSite } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { callApi, postToken } from '../../support/tokens.js';

const JWT_SPIFFE = 'urn:ietf:params:oauth:client-assertion-type:jwt-spiffe';
const ID = 'spiffe://photos.example/ns/prod/sa/publisher';

const key = fixture(() => createTestKey());
/** The key of the trust domain partner.example. */
const partnerKey = fixture(() => createTestKey());
/** A key for X.509-SVIDs of the same trust domain. */
const certificateKey = fixture(() => createTestKey());

/** The bundle endpoint of photos.example. */
const bundle = fixture(() => openJwksServer());
const documents = fixture(() => openDocumentServer());

const site = siteFor(() => {
  bundle.json({
    keys: [
      { ...certificateKey.publicJwk, use: 'x509-svid', x5c: ['AAAA'] },
      { ...key.publicJwk, use: 'jwt-svid' },
      { kty: 'AKP', use: 'wit-svid', kid: 'wit', pub: 'AAAA' },
    ],
    spiffe_sequence: 10,
    spiffe_refresh_hint: 300,
  });
  return {
    security: { rateLimits: false },
    spiffe: {
      'photos.example': { jwksUri: bundle.url },
      'partner.example': { jwks: { keys: [partnerKey.publicJwk] }, maxTtl: 600 },
    },
    registration: { open: true, grantTypes: ['client_credentials'] },
    clientIdMetadataDocuments: {
      allowLoopback: true,
      grantTypes: ['client_credentials'],
    },
  };
});
let tests = 0;
beforeEach(() => {
  // the pause between two fetches of keys is over
  letPass(31 * (tests += 1));
  site.errors.length = 0;
});

interface SvidChanges {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Partial<JWTHeaderParameters>;
  readonly by?: TestKey;
}

/** A JWT-SVID like those of SPIRE, without `iss` and `jti`, with the changes of the test. */
function svid({ claims = {}, header = {}, by = key }: SvidChanges = {}): Promise<string> {
  const all = { sub: ID, aud: [site.url], iat: now(), exp: now() + 300, ...claims };
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  const { kid } = by.publicJwk;
  return new SignJWT(given)
    .setProtectedHeader({ alg: by.alg, typ: 'JWT', ...(kid !== undefined && { kid }), ...header })
    .sign(by.privateKey);
}
const workload = (options: Partial<NewClient> = {}) =>
  site.client({ grantTypes: ['client_credentials'], redirectUris: [], spiffeId: ID, ...options });
const present = (clientId: string | undefined, assertion: string) =>
  postAssertion(site, assertion, {
    client_assertion_type: JWT_SPIFFE,
    ...(clientId !== undefined && { client_id: clientId }),
  });

describe('clients with SPIFFE IDs', () => {
  test('a client authenticates with a JWT-SVID instead of a secret, and may reuse the JWT-SVID [3.1-1] [3.1-6]', async () => {
    const client = await workload();
    expect(client).toMatchObject({ tokenEndpointAuthMethod: 'spiffe_jwt', spiffeId: ID, secrets: [] });
    expect(client.clientSecret).toBeUndefined();
    const assertion = await svid();
    const { body } = await present(client.clientId, assertion).expect(200);
    await present(client.clientId, assertion).expect(200);
    expect((await callApi(site, body.access_token)).body).toMatchObject({ clientId: client.clientId });
  });

  test('a SPIFFE ID that is a client_id identifies the client [3.1-7]', async () => {
    const sub = 'spiffe://photos.example/by-id';
    await workload({ clientId: sub, spiffeId: sub });
    const assertion = await svid({ claims: { sub } });
    await present(undefined, assertion).expect(200);
    await present(sub, assertion).expect(200);
    const { body } = await present(undefined, await svid()).expect(401);
    expect(body.error).toBe('invalid_client');
  });

  test.each<[string, SvidChanges]>([
    ['with the typ JOSE (JWT-SVID §2.3)', { header: { typ: 'JOSE' } }],
    ['without a typ', { header: { typ: undefined as never } }],
    ['without a kid', { header: { kid: undefined as never } }],
    ['with an iss', { claims: { iss: 'https://spire.example' } }],
    ['with a string as aud', { claims: { aud: undefined } }],
    ['without an iat', { claims: { iat: undefined } }],
  ])('a JWT-SVID %s is accepted', async (_what, changes) => {
    const { clientId } = await workload();
    const claims =
      changes.claims !== undefined && 'aud' in changes.claims ? { aud: site.url } : changes.claims;
    await present(clientId, await svid({ ...changes, ...(claims && { claims }) })).expect(200);
  });

  test('the keys of a trust domain verify only JWT-SVIDs of that trust domain [6-1] [6.1-4]', async () => {
    const sub = 'spiffe://partner.example/printer';
    const { clientId } = await workload({ spiffeId: sub });
    await present(clientId, await svid({ claims: { sub }, by: partnerKey })).expect(200);
    await present(clientId, await svid({ claims: { sub } })).expect(401);
    const own = await workload();
    await present(own.clientId, await svid({ by: partnerKey })).expect(401);
    await expect(workload({ spiffeId: 'spiffe://other.example/x' })).rejects.toThrow(
      'The trust domain other.example of the spiffeId is not among those of the option spiffe.',
    );
  });

  test('a spiffeId with a wildcard matches all IDs below a path, by whole segments [5.1-4] [5.1-5]', async () => {
    const { clientId } = await workload({ spiffeId: 'spiffe://photos.example/client/*' });
    const of = async (sub: string) =>
      (await present(clientId, await svid({ claims: { sub: `spiffe://photos.example/${sub}` } }))).status;
    expect(await of('client/123')).toBe(200);
    expect(await of('client/123/x')).toBe(200);
    for (const other of [
      'client123',
      'client',
      'clients/1',
      'client/*',
      'client/../admin',
      'client/',
      'x/client/1',
    ])
      expect([other, await of(other)]).toEqual([other, 401]);
  });

  test('a spiffeId without a wildcard matches only the same ID [5.1-6] [3.1-7]', async () => {
    const { clientId } = await workload();
    const of = async (sub: string) => (await present(clientId, await svid({ claims: { sub } }))).status;
    for (const other of [`${ID}/x`, `${ID}2`, ID.toUpperCase(), ID.replace('/prod', '/dev'), `${ID}?x`])
      expect([other, await of(other)]).toEqual([other, 401]);
    const response = await present(
      clientId,
      await svid({ claims: { sub: 'spiffe://photos.example/ns/dev/sa/publisher' } }),
    );
    expect(response.body.error_description).toBe('the SPIFFE ID of the JWT-SVID is not that of the client');
  });
});

describe('refused JWT-SVIDs', () => {
  test.each<[string, () => SvidChanges, RegExp]>([
    ['with a sub that is no SPIFFE ID', () => ({ claims: { sub: 'publisher' } }), /authentication failed/],
    ['with the trust domain as sub', () => ({ claims: { sub: 'spiffe://photos.example' } }), /failed/],
    ['without a sub', () => ({ claims: { sub: undefined } }), /malformed/],
    ['without an exp', () => ({ claims: { exp: undefined } }), /exp/],
    ['without an aud', () => ({ claims: { aud: undefined } }), /aud/],
    ['that has expired', () => ({ claims: { exp: now() - 100 } }), /has expired/],
    ['that expires far ahead', () => ({ claims: { exp: now() + 90_000 } }), /3600 seconds ahead/],
    ['with an iat in the future', () => ({ claims: { iat: now() + 1000 } }), /iat is in the future/],
    ['for another audience', () => ({ claims: { aud: 'https://other.example' } }), /aud must be/],
    ['for the token endpoint', () => ({ claims: { aud: `${site.url}/oauth/token` } }), /aud must be/],
    ['with two aud', () => ({ claims: { aud: [site.url, 'https://other.example'] } }), /and nothing else/],
    ['with the typ at+jwt', () => ({ header: { typ: 'at+jwt' } }), /typ must be/],
    ['signed with a key for certificates', () => ({ by: certificateKey }), /authentication failed/],
    ['with the kid of another key', () => ({ by: { ...partnerKey, publicJwk: key.publicJwk } }), /failed/],
    ['with a key in its header', () => ({ header: { jwk: partnerKey.publicJwk }, by: partnerKey }), /failed/],
  ])('a JWT-SVID %s is refused', async (_what, changes, description) => {
    const { clientId } = await workload();
    const { status, body } = await present(clientId, await svid(changes()));
    expect([status, body.error]).toEqual([401, 'invalid_client']);
    expect(body.error_description).toMatch(description);
  });

  test('a JWT-SVID by an unknown key is answered 503 after a first 401, until the keys are fetched again', async () => {
    const { clientId } = await workload();
    const strange = () => svid({ by: partnerKey });
    await present(clientId, await strange()).expect(401);
    const { headers } = await present(clientId, await strange()).expect(503);
    expect(headers['retry-after']).toBe('30');
    letPass(31);
    tests += 1;
    const { body } = await present(clientId, await strange()).expect(401);
    expect(body.error).toBe('invalid_client');
  });

  test('a JWT-SVID with an algorithm outside JWT-SVID §2.1 is refused though its key is in the set', async () => {
    const ed = await createTestKey('EdDSA');
    await using trusting = await openSite({
      database: site.database,
      issuer: site.url,
      spiffe: { 'photos.example': { jwks: { keys: [ed.publicJwk] } } },
    });
    const { clientId } = await workload();
    const fields = { client_assertion_type: JWT_SPIFFE, client_id: clientId };
    await postAssertion(trusting, await svid({ by: ed }), fields).expect(401);
  });

  test('a JWT-SVID without a signature or with a MAC of the public key is refused', async () => {
    const { clientId } = await workload();
    const [, payload] = (await svid()).split('.');
    const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
    await present(clientId, `${none}.${payload}.`).expect(401);
    const mac = await new SignJWT({ sub: ID, aud: site.url, exp: now() + 60 })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(JSON.stringify(key.publicJwk)));
    await present(clientId, mac).expect(401);
  });

  test('a JWT-SVID does not make the server fetch keys from its iss, jku or x5u [8.1-2] [8.1-4] [6.1-3]', async () => {
    await using stranger = await openJwksServer();
    const theirs = await createTestKey();
    stranger.json({ keys: [theirs.publicJwk], jwks_uri: stranger.url });
    const { clientId } = await workload();
    const assertion = await svid({
      by: theirs,
      claims: { iss: stranger.url },
      header: { jku: stranger.url, x5u: stranger.url },
    });
    await present(clientId, assertion).expect(401);
    expect(stranger.requests).toEqual([]);
  });

  test('a JWT-SVID is refused for a client of another method, and with another assertion type [3.1-1]', async () => {
    const bySecret = await site.client({ grantTypes: ['client_credentials'], redirectUris: [] });
    await present(bySecret.clientId, await svid()).expect(401);
    const { clientId } = await workload();
    await postAssertion(site, await svid(), { client_id: clientId }).expect(400);
    const { body } = await postToken(site, {
      grant_type: 'client_credentials',
      client_id: clientId,
      client_assertion_type: JWT_SPIFFE,
    }).expect(401);
    expect(body.error).toBe('invalid_client');
  });

  test('a second credential beside a JWT-SVID is refused [3.1-2]', async () => {
    const { clientId } = await workload();
    const assertion = await svid();
    await postToken(site, {
      grant_type: 'client_credentials',
      client_id: clientId,
      client_assertion_type: JWT_SPIFFE,
      client_assertion: [assertion, assertion],
    }).expect(400);
    await postAssertion(site, assertion, {
      client_assertion_type: JWT_SPIFFE,
      client_id: clientId,
      client_secret: 'x',
    }).expect(401);
  });

  test('a client gets 503 while the keys of its trust domain are unreachable', async () => {
    await using silent = await openSite({
      database: site.database,
      issuer: site.url,
      spiffe: { 'photos.example': { jwksUri: 'http://127.0.0.1:9/bundle' } },
    });
    const { clientId } = await workload();
    const fields = { client_assertion_type: JWT_SPIFFE, client_id: clientId };
    const { status, body } = await postAssertion(silent, await svid(), fields);
    expect([status, body.error]).toEqual([503, 'temporarily_unavailable']);
  });
});

describe('registration for spiffe_jwt', () => {
  test('the metadata of three endpoints has spiffe_jwt only if the option spiffe is set [4-1] [4-2] [4-3]', async () => {
    const { body } = await request(site.server).get('/.well-known/oauth-authorization-server');
    for (const endpoint of ['token', 'revocation', 'introspection'])
      expect(body[`${endpoint}_endpoint_auth_methods_supported`]).toContain('spiffe_jwt');
    await using without = await openSite();
    const { body: other } = await request(without.server).get('/.well-known/oauth-authorization-server');
    expect(JSON.stringify(other)).not.toContain('spiffe');
    const { body: refused } = await postAssertion(without, await svid(), {
      client_assertion_type: JWT_SPIFFE,
    }).expect(401);
    expect(refused.error).toBe('invalid_client');
  });

  test('dynamic registration accepts and returns a spiffe_id [5.1-1]', async () => {
    const metadata = { ...METADATA, grant_types: ['client_credentials'], redirect_uris: undefined };
    const named = { ...metadata, token_endpoint_auth_method: 'spiffe_jwt' };
    const { status, body } = await register(site, {
      ...named,
      spiffe_id: ID,
      spiffe_bundle_endpoint: 'https://client.example/bundle',
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({ token_endpoint_auth_method: 'spiffe_jwt', spiffe_id: ID });
    expect(body.client_secret).toBeUndefined();
    await present(body.client_id, await svid()).expect(200);
    for (const spiffe_id of [undefined, 'publisher', 'spiffe://other.example/x'])
      expect((await register(site, { ...named, spiffe_id })).body.error).toBe('invalid_client_metadata');
  });

  test('a client metadata document may have a spiffe_id, and its bundle endpoint is not fetched [3.1-7] [5.1-3]', async () => {
    const described = (path: string, more: object = {}) =>
      documents.publish(path, {
        redirect_uris: undefined,
        grant_types: ['client_credentials'],
        token_endpoint_auth_method: undefined,
        spiffe_id: 'spiffe://photos.example/client/*',
        spiffe_bundle_endpoint: documents.url('/bundle'),
        ...more,
      });
    const clientId = described('/spiffe.json');
    await present(clientId, await svid({ claims: { sub: 'spiffe://photos.example/client/1234' } })).expect(
      200,
    );
    await present(clientId, await svid()).expect(401);
    await present(
      clientId,
      await svid({ claims: { sub: 'spiffe://photos.example/client/1' }, by: partnerKey }),
    ).expect(401);
    expect(documents.requests).not.toContain('/bundle');
    const foreign = described('/foreign.json', { spiffe_id: 'spiffe://client.example/*' });
    await present(foreign, await svid({ claims: { sub: 'spiffe://client.example/x' } })).expect(400);
  });

  test.each([
    'publisher',
    'https://photos.example/x',
    'spiffe://photos.example',
    'spiffe://photos.example/',
    'spiffe://photos.example/*',
    'spiffe://photos.example/a*',
    'spiffe://photos.example/*/b',
    'spiffe://photos.example/a//b',
    'spiffe://photos.example/a/../b',
    'spiffe://photos.example/a%62',
    'spiffe://user@photos.example/a',
    'spiffe://photos.example:8080/a',
    'spiffe://Photos.example/a',
    `spiffe://photos.example/${'a'.repeat(2048)}`,
  ])('the spiffeId %s is refused', async (spiffeId) => {
    await expect(workload({ spiffeId })).rejects.toThrow('The spiffeId is no SPIFFE ID');
  });

  test('spiffe_jwt needs a spiffeId, and another method accepts a spiffeId of any trust domain', async () => {
    await expect(workload({ spiffeId: undefined, tokenEndpointAuthMethod: 'spiffe_jwt' })).rejects.toThrow(
      'spiffe_jwt needs the spiffeId of the client.',
    );
    const client = await workload({
      spiffeId: 'spiffe://other.example/x',
      jwks: { keys: [key.publicJwk] } as unknown as PublicJwks,
    });
    expect(client.tokenEndpointAuthMethod).toBe('private_key_jwt');
  });

  test.each<[object, string]>([
    [{}, 'must have a trust domain'],
    [{ 'spiffe://photos.example': { jwksUri: 'https://x.example' } }, 'is no trust domain'],
    [{ 'photos.example': {} }, 'give jwksUri, or jwks'],
    [{ 'photos.example': { jwksUri: 'http://x.example/keys' } }, 'an https: URL'],
    [{ 'photos.example': { jwks: { keys: [{ kty: 'oct', k: 'AA' }] } } }, 'cannot be used'],
  ])('the server does not start with the option spiffe %j [6.1-1]', async (spiffe, problem) => {
    await expect(openSite({ database: site.database, spiffe: spiffe as never })).rejects.toThrow(problem);
  });
});
