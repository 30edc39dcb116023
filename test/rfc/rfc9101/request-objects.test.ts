import { describe, expect, test } from '@jest/globals';
import { CompactEncrypt, UnsecuredJWT } from 'jose';
import request, { type Response } from 'supertest';

import type { ClientWithSecret, NewClient } from '../../../lib/index.js';
import { createTestKey, now, signAssertion } from '../../support/assertions.js';
import { letPass } from '../../support/clock.js';
import { commandsDuring } from '../../support/commands.js';
import { openJwksServer } from '../../support/jwks-server.js';
import {
  codeOf,
  codeQuery,
  createPerson,
  locationOf,
  logInPerson,
  pendingRequestOf,
  type Query,
} from '../../support/person.js';
import { push, pushed } from '../../support/pushed-requests.js';
import { register } from '../../support/registration.js';
import { type RequestObjectOptions, signingClient, signRequest } from '../../support/request-objects.js';
import { openSite, REDIRECT_URI, type Site } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { redeem } from '../../support/tokens.js';

const site = siteFor({
  signedRequests: true,
  pushedRequests: true,
  registration: { open: true },
  resources: { 'https://api.example': {}, 'https://b.example': {} },
  clientAuthentication: { allowPrivateAddresses: true },
});
const key = fixture(() => createTestKey());
const client = fixture(() => clientWith());
const ada = fixture(() => logInPerson(site));
const server = fixture(() => openJwksServer());

const clientWith = (more: Partial<NewClient> = {}, at = site) => signingClient(at, key, more);
const signed = async (options: RequestObjectOptions = {}, of = client, by = key): Promise<Query> => ({
  client_id: of.clientId,
  request: await signRequest(site, of.clientId, by, options),
});
const open = async (query: Query | string, person = ada) => person.openAuthorize(query);
const metadataOf = async (of: Site) =>
  (await request(of.server).get('/.well-known/oauth-authorization-server')).body as Record<string, unknown>;
/** The person sees the error, because an address in an unverified object is not trusted. */
function expectRefused(response: Response, description: string | RegExp): void {
  expect([response.status, response.headers.location]).toEqual([400, undefined]);
  expect(response.text).toContain('<code>invalid_request_object</code>');
  expect(response.text).toMatch(description);
}

describe('§4, §5 a request object', () => {
  test('a signed request object is accepted as the authorization request [4-1] [4-3] [5-3]', async () => {
    const { searchParams } = locationOf(await open(await signed()));
    expect(searchParams.get('state')).toBe('of the object');
    const { body } = await redeem(site, client, searchParams.get('code')!);
    expect(body).toMatchObject({ scope: 'photos:read' });
  });

  test('a request object with text that the database cannot store is refused', async () => {
    for (const nonce of ['a\ud800', 'a\0b'])
      expectRefused(await open(await signed({ claims: { nonce } })), /a NUL or half of a character/);
    expectRefused(
      await open(await signed({ claims: { resource: ['https://b.example', '\udc00'] } })),
      /a NUL or half of a character/,
    );
  });

  test('parameters beside the request object are ignored [4-1] [6.3-1]', async () => {
    const beside = {
      state: 'beside',
      scope: 'photos:write',
      redirect_uri: 'https://evil.example/',
      prompt: 'none',
    };
    const location = locationOf(
      await open({ ...beside, ...(await signed({ claims: { scope: undefined } })) }),
    );
    expect([location.host, location.searchParams.get('state')]).toEqual(['print.example', 'of the object']);
    // a parameter that the object omits is not taken from the query
    const { text } = await open({
      response_type: 'code',
      ...(await signed({ claims: { response_type: undefined } })),
    });
    expect(text).toBe('');
  });

  test('a request object may have a list of resources and numbers [4-3]', async () => {
    const two = await open(
      await signed({ claims: { resource: ['https://api.example', 'https://b.example'] } }),
    );
    expect(codeOf(two)).not.toBeNull();
    const aged = locationOf(await open(await signed({ claims: { max_age: 5 } })));
    expect(aged.searchParams.get('error_description')).toContain('max_age');
  });

  test('the event of a refused request object has the client_id', async () => {
    const reported: unknown[] = [];
    site.oauth.events.once('authorization.refused', (event) => reported.push(event));
    expectRefused(await open(await signed({ claims: { aud: 'https://other.example' } })), 'aud');
    expect(reported).toEqual([
      expect.objectContaining({ clientId: client.clientId, reason: 'request_object_invalid' }),
    ]);
  });

  test.each([
    ['without client_id beside it', { client_id: undefined }],
    ['with another client_id beside it', { client_id: 'nobody' }],
    ['with a request_uri', { request_uri: 'https://print.example/request' }],
  ])('a request object sent %s is refused [5-1] [5-2]', async (_what, more) => {
    const response = await open({ ...(await signed()), ...more });
    expect([response.status, response.headers.location]).toEqual([400, undefined]);
  });

  test('two request objects in one request are refused [5-3]', async () => {
    const { request: jwt = '' } = await signed();
    const response = await open(`client_id=${client.clientId}&request=${jwt}&request=${jwt}`);
    expect(response.status).toBe(400);
  });

  test.each([
    ['request', 'e30.e30.'],
    ['request_uri', 'https://print.example/request'],
  ])('a request object with the claim %s is refused [4-2]', async (name, value) => {
    expectRefused(await open(await signed({ claims: { [name]: value } })), /request or a request_uri in it/);
  });
});

describe('§6.2 the signature', () => {
  test.each(['RS256', 'PS256', 'ES384', 'EdDSA'])('a signature with %s is valid [6.2-1]', async (alg) => {
    const own = await createTestKey(alg);
    const other = await clientWith({ jwks: { keys: [own.publicJwk] } });
    expect(codeOf(await open(await signed({}, other, own)))).not.toBeNull();
  });

  test('a signature by the current key at jwks_uri is accepted [6.2-1]', async () => {
    const [first, second] = [await createTestKey(), await createTestKey()];
    server.json({ keys: [first.publicJwk] });
    const remote = await clientWith({ jwks: undefined, jwksUri: server.url });
    expect(codeOf(await open(await signed({}, remote, first)))).not.toBeNull();
    letPass(31);
    server.json({ keys: [second.publicJwk] });
    expect(codeOf(await open(await signed({}, remote, second)))).not.toBeNull();
  });

  test('a signature by another key is refused, even with the kid of the client [6.2-1] [6.2-3]', async () => {
    const thief = await createTestKey();
    expectRefused(await open(await signed({}, client, thief)), /key that is not of the client/);
    const sameKid = { ...thief, publicJwk: { ...thief.publicJwk, kid: key.publicJwk.kid } };
    expectRefused(await open(await signed({}, client, sameKid)), /signature verification failed/);
  });

  test('a request object with changed claims is refused [6.2-3]', async () => {
    const { request: jwt = '' } = await signed();
    const [header, , signature] = jwt.split('.');
    const [, claims] = (
      await signRequest(site, client.clientId, key, { claims: { scope: 'photos:write' } })
    ).split('.');
    expectRefused(
      await open({ client_id: client.clientId, request: `${header}.${claims}.${signature}` }),
      /signature verification failed/,
    );
  });

  test('a request object of a client without keys is refused [6.2-3]', async () => {
    const keyless = await site.client();
    expectRefused(await open(await signed({}, keyless)), /keys of the client/);
  });

  test('an unsigned request object, a MAC and an invalid JWT are refused [6.2-2] [10.1-1]', async () => {
    const claims = { client_id: client.clientId, iss: client.clientId, aud: site.url, exp: now() + 60 };
    const plain = new UnsecuredJWT({ ...claims, response_type: 'code' }).encode();
    const typed = `${Buffer.from('{"alg":"none","typ":"oauth-authz-req+jwt"}').toString('base64url')}.${plain.split('.')[1]}.`;
    const bySecret = {
      alg: 'HS256',
      publicJwk: key.publicJwk,
      privateKey: new TextEncoder().encode(client.clientSecret),
    };
    const byPublicKey = { ...bySecret, privateKey: new TextEncoder().encode(JSON.stringify(key.publicJwk)) };
    const macs = await Promise.all(
      [bySecret, byPublicKey].map((by) => signRequest(site, client.clientId, by)),
    );
    for (const jwt of [plain, typed, ...macs])
      expectRefused(await open({ client_id: client.clientId, request: jwt }), /its alg must be one of/);
    for (const jwt of ['nonsense', 'a.b.c', '..', 'e30.e30.e30'])
      expectRefused(
        await open({ client_id: client.clientId, request: jwt }),
        /request object cannot be used/,
      );
  });

  test('requestObjectSigningAlg restricts the algorithm of request objects [6.2-2]', async () => {
    const strict = await clientWith({ requestObjectSigningAlg: 'RS256' });
    expectRefused(await open(await signed({}, strict)), /its alg must be RS256/);
    const right = await clientWith({ requestObjectSigningAlg: 'ES256' });
    expect(codeOf(await open(await signed({}, right)))).not.toBeNull();
    for (const alg of ['none', 'HS256'])
      await expect(clientWith({ requestObjectSigningAlg: alg })).rejects.toThrow(/not by/);
  });

  test('§6.1 an encrypted or nested request object is refused [6.1-1]', async () => {
    const jwe = await new CompactEncrypt(new TextEncoder().encode('{}'))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .encrypt(new Uint8Array(32));
    expectRefused(await open({ client_id: client.clientId, request: jwe }), /encrypted/);
    expectRefused(await open(await signed({ header: { cty: 'JWT' } })), /another JWT in it/);
  });

  test.each([
    ['of another type', { header: { typ: 'at+jwt' } }, /typ must be/],
    ['of the type dpop+jwt', { header: { typ: 'dpop+jwt' } }, /typ must be/],
    ['of a type that is a number', { header: { typ: 5 as never } }, /typ must be/],
    ['of a type that is a list', { header: { typ: ['JWT'] as never } }, /typ must be/],
    ['with a critical extension', { header: { crit: ['x'], x: 1 } }, /cannot be used/],
  ])('a request object %s is refused [10.8-1]', async (_what, options, description) => {
    const crit = 'crit' in options.header;
    const query = crit
      ? { client_id: client.clientId, request: await withCritical() }
      : await signed(options);
    expectRefused(await open(query), description);
  });

  test.each([undefined, 'JWT', 'application/OAuth-AuthZ-Req+JWT'])(
    'a request object with the type %p is accepted [10.8-2]',
    async (typ) => {
      expect(codeOf(await open(await signed({ header: { typ } })))).not.toBeNull();
    },
  );

  test('a client assertion is refused as a request object, and a request object as an assertion [10.8-1]', async () => {
    const own = await site.client({ jwks: { keys: [key.publicJwk] }, trusted: true });
    const more = codeQuery(own);
    for (const typ of [undefined, 'JWT', 'oauth-authz-req+jwt']) {
      const assertion = await signAssertion(site, own.clientId, key, { claims: more, header: { typ } });
      expectRefused(await open({ client_id: own.clientId, request: assertion }), /it is an assertion/);
    }
    const { request: jwt } = await signed({ claims: { sub: own.clientId, jti: 'a' } }, own);
    const { status } = await push(site, { clientId: own.clientId } as ClientWithSecret, {
      client_assertion: jwt,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    });
    expect(status).toBe(401);
  });
});

describe('§4, §6.3 the claims', () => {
  test.each([
    ['iss of another', { iss: 'other' }],
    ['no iss', { iss: undefined }],
    ['a sub that is a list', { sub: ['ada'] }],
    ['aud of another server', { aud: 'https://other.example' }],
    ['no aud', { aud: undefined }],
    ['no exp', { exp: undefined }],
    ['exp that has passed', { exp: now() - 60 }],
    ['exp that is far ahead', { exp: now() + 7200 }],
    ['nbf in the future', { nbf: now() + 600 }],
    ['iat in the future', { iat: now() + 600 }],
    ['exp that is no number', { exp: 'tomorrow' }],
    ['client_id of another', { client_id: 'other' }],
    ['no client_id', { client_id: undefined }],
  ])('a request object is refused: %s [4-4] [6.3-2]', async (_what, claims) => {
    expectRefused(await open(await signed({ claims })), /request object cannot be used/);
  });

  test('the times of a request object tolerate half a minute', async () => {
    const { status } = await open(
      await signed({ claims: { exp: now() - 20, iat: now() + 20, nbf: now() + 20 } }),
    );
    expect(status).toBe(302);
  });

  test('an error in the request of a valid object is returned to the client [6.3-3]', async () => {
    const { searchParams } = locationOf(await open(await signed({ claims: { scope: 'nonsense' } })));
    expect([searchParams.get('error'), searchParams.get('state')]).toEqual([
      'invalid_scope',
      'of the object',
    ]);
  });

  test('an unregistered redirect_uri in a request object gets an error page [6.3-3]', async () => {
    const response = await open(await signed({ claims: { redirect_uri: 'https://evil.example/' } }));
    expect([response.status, response.headers.location]).toEqual([400, undefined]);
  });
});

describe('through the login', () => {
  test('a request object may expire during the login, and its prompt is answered once', async () => {
    const own = await clientWith({ trusted: false });
    const person = createPerson(site);
    const query = await signed({ claims: { prompt: 'login', exp: now() + 40 } }, own);
    const login = locationOf(await open(query, person));
    letPass(600);
    await person.logIn();
    const back = login.searchParams.get('return_to')!;
    const consent = await person.agent.get(back);
    expect(consent.text).toContain('id="consent-form"');
    const location = locationOf(await person.choose(consent));
    expect(location.searchParams.get('code')).not.toBeNull();
    // the object alone has expired
    expectRefused(await open(query, person), /cannot be used/);
    letPass(5000);
    expectRefused(await person.agent.get(login.searchParams.get('return_to')!), /cannot be used/);
  });

  test('a forged request_progress does not answer a prompt', async () => {
    const person = await logInPerson(site);
    const query = await signed({ claims: { prompt: 'login' } });
    const page = await open(query, person);
    expect(page.text).toContain('id="account-switch"');
    const name = new URLSearchParams(pendingRequestOf(page));
    const progress = name.get('request_progress')!;
    const [text = '', tag] = progress.split('.');
    for (const forged of [`${text} login.${tag}`, `${text} login`, `${text} login.`, 'login', '.'])
      expect((await open({ ...query, request_progress: forged }, person)).text).toContain(
        'id="account-switch"',
      );
    // the answer to the prompt of one object does not count for another object
    const other = await signed({ claims: { prompt: 'login', state: 'other' } });
    expect((await open({ ...other, request_progress: progress }, person)).text).toContain(
      'id="account-switch"',
    );
  });
});

describe('RFC 9126 §3 pushed request objects', () => {
  const push_ = async (options: RequestObjectOptions = {}, more: Record<string, string | undefined> = {}) =>
    push(site, client, {
      response_type: undefined,
      redirect_uri: undefined,
      state: undefined,
      request: await signRequest(site, client.clientId, key, options),
      ...more,
    });

  test('a pushed request object is verified at once and lives as long as a pushed request [10.2-1]', async () => {
    const { body, status } = await push_(
      { claims: { exp: now() + 20 } },
      { state: 'beside', scope: 'nonsense' },
    );
    expect(status).toBe(201);
    letPass(55);
    const query = { client_id: client.clientId, request_uri: body.request_uri as string };
    expect(locationOf(await open(query)).searchParams.get('state')).toBe('of the object');
  });

  test('a wrong pushed request object is answered with JSON, and nothing is stored [6.2-3] [10.2-1]', async () => {
    const stored = () => site.database.collection('oauth_pushed_requests').countDocuments();
    const before = await stored();
    const thief = await signRequest(site, client.clientId, await createTestKey());
    for (const response of [
      await push_({ claims: { aud: 'https://other.example' } }),
      await push_({ header: { typ: 'at+jwt' } }),
      await push(site, client, { request: thief }),
      await push_({ claims: { client_id: 'other', iss: 'other' } }),
    ])
      expect([response.status, response.body.error]).toEqual([400, 'invalid_request_object']);
    expect(await stored()).toBe(before);
  });

  test('a pushed request object of 64 KB is refused', async () => {
    const { status } = await push_({ claims: { state: 'x'.repeat(65_536) } });
    expect(status).toBe(413);
  });
});

describe('§10.5 required request objects', () => {
  test('a client with requireSignedRequestObject needs request objects [10.5-1]', async () => {
    const strict = await clientWith({ requireSignedRequestObject: true });
    const plain = codeQuery(strict, { state: 's' });
    const { searchParams } = locationOf(await open(plain));
    expect([searchParams.get('error'), searchParams.get('state')]).toEqual(['invalid_request', 's']);
    expect((await push(site, strict)).body).toMatchObject({ error: 'invalid_request' });
    expect(codeOf(await open(await signed({}, strict)))).not.toBeNull();
    const jwt = await signRequest(site, strict.clientId, key);
    expect(codeOf(await open(await pushed(site, strict, { request: jwt })))).not.toBeNull();
    const { body } = await register(site, {
      client_name: 'Frame maker',
      redirect_uris: [REDIRECT_URI],
      require_signed_request_object: true,
      request_object_signing_alg: 'PS256',
    }).expect(201);
    expect(body).toMatchObject({ require_signed_request_object: true, request_object_signing_alg: 'PS256' });
  });

  test('a site with required request objects refuses other requests [10.5-2]', async () => {
    await using strict = await openSite({ signedRequests: { required: true } });
    const own = await clientWith({}, strict);
    const person = await logInPerson(strict);
    const plain = codeQuery(own);
    expect(locationOf(await open(plain, person)).searchParams.get('error')).toBe('invalid_request');
    const jwt = await signRequest(strict, own.clientId, key);
    expect(codeOf(await open({ client_id: own.clientId, request: jwt }, person))).not.toBeNull();
    expect(await metadataOf(strict)).toMatchObject({ require_signed_request_object: true });
  });
});

describe('the server', () => {
  test('the metadata lists request objects and their algorithms [6.2-2]', async () => {
    const metadata = await metadataOf(site);
    expect(metadata).toMatchObject({
      request_parameter_supported: true,
      request_uri_parameter_supported: false,
    });
    const algorithms = metadata.request_object_signing_alg_values_supported as string[];
    expect(algorithms).toEqual(expect.arrayContaining(['ES256', 'PS256', 'EdDSA']));
    expect(algorithms.filter((alg) => /none|HS/.test(alg))).toEqual([]);
    expect(metadata).not.toHaveProperty('require_signed_request_object');
  });

  test('a request object is refused without the option signedRequests [7-1]', async () => {
    await using without = await openSite();
    const own = await without.client();
    const person = await logInPerson(without);
    const plain = codeQuery(own);
    const { searchParams } = locationOf(await open({ ...plain, request: 'a.b.c' }, person));
    expect(searchParams.get('error')).toBe('request_not_supported');
    expect(await metadataOf(without)).not.toHaveProperty('request_parameter_supported');
  });

  test('the server does not start without a shared secret unless its issuer is on loopback', async () => {
    const options = { signedRequests: true, signingKeys: {}, issuer: 'https://photos.example' };
    await expect(openSite(options)).rejects.toThrow(/signedRequests: needs a secret that all processes have/);
    const alone = await openSite({ signedRequests: true, signingKeys: {} });
    await alone.close();
  });

  test('a request object costs one look-up of the client', async () => {
    const own = await clientWith();
    const query = await signed({}, own);
    const commands = await commandsDuring(site.database, () => open(query));
    expect(commands.filter((command) => command === 'find oauth_clients').length).toBeLessThanOrEqual(1);
  });
});

/** A request object with an unknown critical header, which jose cannot make. */
async function withCritical(): Promise<string> {
  const jwt = await signRequest(site, client.clientId, key);
  const header = { alg: 'ES256', typ: 'oauth-authz-req+jwt', crit: ['x'], x: 1, kid: key.publicJwk.kid };
  const [, claims] = jwt.split('.');
  const head = Buffer.from(JSON.stringify(header)).toString('base64url');
  const data = new TextEncoder().encode(`${head}.${claims}`);
  const signature = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, key.privateKey, data);
  return `${head}.${claims}.${Buffer.from(signature).toString('base64url')}`;
}
