import { describe, expect, test } from '@jest/globals';
import request, { type Response, type Test } from 'supertest';

import type { ClientWithSecret } from '../../../lib/index.js';
import { commandsDuring } from '../../support/commands.js';
import {
  allowStored,
  type DeviceAuthorization,
  deviceClient,
  deviceRequest,
  openDeviceSite,
  poll,
  startDevice,
} from '../../support/device.js';
import { createProofKey, type ProofKey, type ProofOptions, prove } from '../../support/dpop.js';
import { codeQuery, locationOf, logInPerson } from '../../support/person.js';
import { push, pushed } from '../../support/pushed-requests.js';
import { register } from '../../support/registration.js';
import { openSite, REDIRECT_URI, type Site } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { createPkce, introspectAs, obtainCode, redeem, tokenRequest } from '../../support/tokens.js';

const OPTIONS = {
  dpop: true,
  pushedRequests: true,
  resources: { 'https://jwt.example': { accessTokenFormat: 'jwt' } },
} as const;

const site = siteFor({ ...OPTIONS, registration: { open: true } });
/** Another process of the same site. */
const second = siteFor(() => ({ ...OPTIONS, database: site.database, issuer: site.url }));
const client = fixture(() => site.client({ introspection: true }));
const app = fixture(() => site.client({ type: 'public' }));
const key = fixture(() => createProofKey());
const other = fixture(() => createProofKey());

const tokenUrl = () => `${site.url}/oauth/token`;
async function own(fields: Record<string, string>, by?: ProofKey | string, of = client): Promise<Response> {
  const sent = tokenRequest(site, of, fields);
  if (by !== undefined)
    void sent.set('DPoP', typeof by === 'string' ? by : await prove(by, 'POST', tokenUrl()));
  return sent;
}
const credentials = (by?: ProofKey | string, more = {}) =>
  own({ grant_type: 'client_credentials', ...more }, by);
const refresh = (token: string, by?: ProofKey | string, of = app) =>
  own({ grant_type: 'refresh_token', refresh_token: token }, by, of);
const withProof = async (sent: Test, by: ProofKey, url = tokenUrl()) =>
  sent.set('DPoP', await prove(by, 'POST', url));
const introspect = (token: string) => introspectAs(site, client, token);
async function codeOfApp(query = {}) {
  const { challenge, code_verifier } = createPkce();
  return { code: await obtainCode(site, app, { query: { ...challenge, ...query } }), code_verifier };
}
const claimsOf = (jwt: string) =>
  JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as object;

describe('§5 tokens with a proof', () => {
  test('a token with a proof is of type DPoP, and a token without a proof is Bearer [5-1] [5-2] [6.2-1]', async () => {
    const { body } = await credentials(key);
    expect(body.token_type).toBe('DPoP');
    expect(await introspect(body.access_token as string)).toMatchObject({
      active: true,
      token_type: 'DPoP',
      cnf: { jkt: key.jkt },
    });
    const bearer = await credentials();
    expect(bearer.body.token_type).toBe('Bearer');
    expect(await introspect(bearer.body.access_token as string)).not.toHaveProperty('cnf');
  });

  test('a DPoP-bound JWT has the thumbprint of the key [6.1-1]', async () => {
    const { body } = await credentials(key, { resource: 'https://jwt.example' });
    expect(claimsOf(body.access_token as string)).toMatchObject({ cnf: { jkt: key.jkt } });
  });

  test.each(['ES384', 'RS256', 'PS256', 'EdDSA'])('a DPoP key for %s is accepted [4.2-1]', async (alg) => {
    expect((await credentials(await createProofKey(alg))).body.token_type).toBe('DPoP');
  });

  test('a refresh token of a public client is bound to the DPoP key [5-3] [5-4]', async () => {
    const { code, code_verifier } = await codeOfApp();
    const first = await withProof(redeem(site, app, code, { code_verifier }), key);
    expect(first.body.token_type).toBe('DPoP');
    const token = first.body.refresh_token as string;
    // a thief without the key gets nothing, and the token stays valid
    const missing = await refresh(token);
    expect([missing.status, missing.body.error]).toEqual([400, 'invalid_dpop_proof']);
    const stolen = await refresh(token, other);
    expect([stolen.status, stolen.body.error]).toEqual([400, 'invalid_grant']);
    const next = await refresh(token, key);
    expect([next.status, next.body.token_type]).toEqual([200, 'DPoP']);
    // a used token without the key does not end the grant
    await refresh(token, other);
    expect((await refresh(next.body.refresh_token as string, key)).status).toBe(200);
  });

  test('a refresh token of a confidential client works with another DPoP key [5-5]', async () => {
    const code = await obtainCode(site, client);
    const { body } = await withProof(redeem(site, client, code), key);
    const next = await refresh(body.refresh_token as string, other, client);
    expect((await introspect(next.body.access_token as string)).cnf).toEqual({ jkt: other.jkt });
  });

  test('a DPoP header is ignored without the option', async () => {
    await using without = await openSite();
    const { body } = await tokenRequest(without, await without.client(), {
      grant_type: 'client_credentials',
    }).set('DPoP', 'nonsense');
    expect(body.token_type).toBe('Bearer');
  });
});

describe('§5.2 clients with dpop_bound_access_tokens', () => {
  test('a client with dpop_bound_access_tokens gets no unbound token, and the code stays valid [5.2-1]', async () => {
    const strict = await site.client({ dpopBoundAccessTokens: true });
    const code = await obtainCode(site, strict);
    const refused = await redeem(site, strict, code);
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_dpop_proof']);
    expect((await withProof(redeem(site, strict, code), key)).status).toBe(200);
  });

  test('a client with dpop_bound_access_tokens gets no token by the implicit grant or grants.create [5.2-1]', async () => {
    await using direct = await openSite({ dpop: true, grantTypes: ['authorization_code', 'implicit'] });
    const strict = await direct.client({
      type: 'public',
      grantTypes: ['authorization_code', 'implicit'],
      dpopBoundAccessTokens: true,
    });
    const person = await logInPerson(direct);
    const query = { response_type: 'token', client_id: strict.clientId, redirect_uri: REDIRECT_URI };
    const { hash } = await person.authorize(query);
    expect(new URLSearchParams(hash.slice(1)).get('error')).toBe('invalid_request');
    expect(hash).not.toContain('access_token');
    const byHost = direct.oauth.grants.create({ clientId: strict.clientId, userId: 'ada' });
    await expect(byHost).rejects.toThrow(/bound to a key or a certificate/);
  });

  test('dpop_bound_access_tokens may be registered, and a site may require bound tokens [5.2-1]', async () => {
    const { body } = await register(site, {
      client_name: 'Frame maker',
      redirect_uris: [REDIRECT_URI],
      dpop_bound_access_tokens: true,
    }).expect(201);
    expect(body.dpop_bound_access_tokens).toBe(true);
    await using strict = await openSite({ dpop: { required: true } });
    const sent = tokenRequest(strict, await strict.client(), { grant_type: 'client_credentials' });
    expect((await sent).body.error).toBe('invalid_dpop_proof');
  });
});

describe('§10 a code that is bound', () => {
  test('a code with dpop_jkt is redeemed only with that key [10-1]', async () => {
    const { code, code_verifier } = await codeOfApp({ dpop_jkt: key.jkt });
    for (const refused of [
      await redeem(site, app, code, { code_verifier }),
      await withProof(redeem(site, app, code, { code_verifier }), other),
    ])
      expect([refused.status, refused.body.error]).toEqual([400, 'invalid_grant']);
    expect((await withProof(redeem(site, app, code, { code_verifier }), key)).status).toBe(200);
  });

  test('an invalid dpop_jkt is refused [10-1]', async () => {
    const person = await logInPerson(site);
    const query = codeQuery(client);
    const { searchParams } = locationOf(await person.openAuthorize({ ...query, dpop_jkt: 'nonsense' }));
    expect(searchParams.get('error')).toBe('invalid_request');
  });

  test('§10.1 a pushed request with a proof binds the code, and a different dpop_jkt is refused [10.1-1] [10.1-2]', async () => {
    const url = `${site.url}/oauth/par`;
    const { body } = await withProof(push(site, client), key, url);
    const person = await logInPerson(site);
    const location = await person.authorize({
      client_id: client.clientId,
      request_uri: body.request_uri as string,
    });
    const code = location.searchParams.get('code')!;
    expect((await redeem(site, client, code)).body.error).toBe('invalid_grant');
    expect((await withProof(redeem(site, client, code), key)).status).toBe(200);
    const differing = await withProof(push(site, client, { dpop_jkt: other.jkt }), key, url);
    expect([differing.status, differing.body.error]).toEqual([400, 'invalid_dpop_proof']);
    expect((await withProof(push(site, client, { dpop_jkt: key.jkt }), key, url)).status).toBe(201);
    // dpop_jkt without a proof is enough
    expect(await pushed(site, client, { dpop_jkt: key.jkt })).toHaveProperty('request_uri');
  });
});

describe('a device with a proof', () => {
  const devices = fixture(() => openDeviceSite({ dpop: true }));
  const frame = fixture(() => deviceClient(devices));

  const startUrl = () => `${devices.url}/oauth/device_authorization`;
  const pollUrl = () => `${devices.url}/oauth/token`;
  const start = async (by: ProofKey) =>
    (await withProof(deviceRequest(devices, frame), by, startUrl())).body as DeviceAuthorization;

  test('a device code is bound to the key of the device, and another key does not end the grant [10-1]', async () => {
    const codes = await start(key);
    await allowStored(devices, codes);
    for (const refused of [
      await poll(devices, frame, codes),
      await withProof(poll(devices, frame, codes), other, pollUrl()),
    ])
      expect([refused.status, refused.body.error]).toEqual([400, 'invalid_grant']);
    const { status, body } = await withProof(poll(devices, frame, codes), key, pollUrl());
    expect([status, body.token_type]).toEqual([200, 'DPoP']);
    expect((await withProof(poll(devices, frame, codes), other, pollUrl())).body.error).toBe('invalid_grant');
    const me = await request(devices.server)
      .get('/api/me')
      .set({
        Authorization: `DPoP ${body.access_token}`,
        DPoP: await prove(key, 'GET', `${devices.url}/api/me`, { accessToken: body.access_token as string }),
      });
    expect(me.status).toBe(200);
  });

  test('a wrong or repeated DPoP proof of a device is refused [11.1-1]', async () => {
    const wrong = await withProof(deviceRequest(devices, frame), key, pollUrl());
    expect([wrong.status, wrong.body.error]).toEqual([400, 'invalid_dpop_proof']);
    const proof = await prove(key, 'POST', startUrl());
    expect((await deviceRequest(devices, frame).set('DPoP', proof)).status).toBe(200);
    const again = await deviceRequest(devices, frame).set('DPoP', proof);
    expect([again.status, again.body.error]).toEqual([400, 'invalid_dpop_proof']);
  });

  test('a device without a proof may bind its tokens at the token endpoint', async () => {
    const codes = await startDevice(devices, frame);
    await allowStored(devices, codes);
    const { body } = await withProof(poll(devices, frame, codes), other, pollUrl());
    expect(body.token_type).toBe('DPoP');
  });
});

describe('§11.1 repeated requests with reuseGrace', () => {
  const patient = siteFor({ dpop: true, tokens: { reuseGrace: 30 } });
  const proofOf = () => prove(key, 'POST', `${patient.url}/oauth/token`);

  test('a repeated DPoP proof is refused, and a repeated request with a new proof is answered [11.1-1]', async () => {
    const phone = await patient.client({ type: 'public' });
    const { challenge, code_verifier } = createPkce();
    const code = await obtainCode(patient, phone, { query: challenge });
    const redeemBy = async (proof: string) =>
      redeem(patient, phone, code, { code_verifier }).set('DPoP', proof);
    const heard = await proofOf();
    const first = await redeemBy(heard);
    expect((await redeemBy(heard)).body.error).toBe('invalid_dpop_proof');
    const again = await redeemBy(await proofOf());
    expect([again.status, again.body.access_token]).toEqual([200, first.body.access_token]);
  });

  test('a repeated DPoP proof at a refresh is refused, and two concurrent refreshes are answered [11.1-1]', async () => {
    const phone = await patient.client({ type: 'public' });
    const { challenge, code_verifier } = createPkce();
    const code = await obtainCode(patient, phone, { query: challenge });
    const redeemed = await redeem(patient, phone, code, { code_verifier }).set('DPoP', await proofOf());
    const fields = { grant_type: 'refresh_token', refresh_token: redeemed.body.refresh_token as string };
    const refreshBy = async (proof: string) => tokenRequest(patient, phone, fields).set('DPoP', proof);
    const heard = await proofOf();
    const [one, two] = await Promise.all([refreshBy(heard), refreshBy(await proofOf())]);
    expect([one.status, two.status, two.body.access_token]).toEqual([200, 200, one.body.access_token]);
    expect((await refreshBy(heard)).body.error).toBe('invalid_dpop_proof');
  });
});

describe('§4.3 invalid proofs', () => {
  const claims = (given: Record<string, unknown>): ProofOptions => ({ claims: given });
  const listed = (member: string) => ({ ...key.publicJwk, [member]: [key.publicJwk[member]] });
  const seconds = () => Math.floor(Date.now() / 1000);
  test.each<[string, () => ProofOptions]>([
    ['of another method', () => claims({ htm: 'GET' })],
    ['of another address', () => claims({ htu: 'https://other.example/oauth/token' })],
    ['of another path', () => claims({ htu: `${site.url}/oauth/par` })],
    ['of no address', () => claims({ htu: 'nonsense' })],
    ['without jti', () => claims({ jti: undefined })],
    ['with an empty jti', () => claims({ jti: '' })],
    ['with a jti that is no string', () => claims({ jti: 5 })],
    ['with a jti of 257 characters', () => claims({ jti: 'x'.repeat(257) })],
    ['without htm', () => claims({ htm: undefined })],
    ['without htu', () => claims({ htu: undefined })],
    ['without iat', () => claims({ iat: undefined })],
    ['that is old', () => claims({ iat: seconds() - 90 })],
    ['of the future', () => claims({ iat: seconds() + 60 })],
    ['that has expired', () => claims({ exp: seconds() - 60 })],
    ['of another type', () => ({ header: { typ: 'JWT' } })],
    ['without a type', () => ({ header: { typ: undefined } })],
    ['without a key', () => ({ header: { jwk: undefined } })],
    ['with a string as its key', () => ({ header: { jwk: 'key' } })],
    ['with another key', () => ({ header: { jwk: other.publicJwk } })],
    ['with a private key', () => ({ header: { jwk: { ...key.publicJwk, d: 'AAAA' } } })],
    ['with a secret key', () => ({ header: { jwk: { kty: 'oct', k: 'AAAA' } } })],
    ['with a key of another curve', () => ({ header: { jwk: { ...key.publicJwk, crv: 'P-384' } } })],
    ['whose key has a coordinate in a list', () => ({ header: { jwk: listed('x') } })],
    ['whose key has its curve in a list', () => ({ header: { jwk: listed('crv') } })],
    ['of 12 KB', () => claims({ more: 'x'.repeat(9000) })],
  ])('a DPoP proof %s is refused, and the code stays valid [4.3-1] [4.3-8]', async (_what, options) => {
    const { code, code_verifier } = await codeOfApp();
    const sent = redeem(site, app, code, { code_verifier });
    const refused = await sent.set('DPoP', await prove(key, 'POST', tokenUrl(), options()));
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_dpop_proof']);
    expect((await withProof(redeem(site, app, code, { code_verifier }), key)).status).toBe(200);
  });

  test('a DPoP proof of 64 KB is refused by Node, and the code stays valid', async () => {
    const { code, code_verifier } = await codeOfApp();
    const huge = await prove(key, 'POST', tokenUrl(), claims({ more: 'x'.repeat(48_000) }));
    expect(huge.length).toBeGreaterThan(64_000);
    expect((await redeem(site, app, code, { code_verifier }).set('DPoP', huge)).status).toBe(431);
    expect((await withProof(redeem(site, app, code, { code_verifier }), key)).status).toBe(200);
  });

  test('a key in the form that a browser exports is accepted as the same key [4.3-1]', async () => {
    const exported = { ...key.publicJwk, ext: true, key_ops: ['verify'] };
    const proof = await prove(key, 'POST', tokenUrl(), { header: { jwk: exported } });
    const { status, body } = await credentials(proof);
    expect([status, body.token_type]).toEqual([200, 'DPoP']);
    expect(await introspect(body.access_token as string)).toMatchObject({ cnf: { jkt: key.jkt } });
  });

  test('an unsigned DPoP proof, a MAC, nonsense and two proofs are refused [4.3-2] [4.3-5]', async () => {
    const head = (alg: string) =>
      Buffer.from(JSON.stringify({ alg, typ: 'dpop+jwt', jwk: key.publicJwk })).toString('base64url');
    const good = await prove(key, 'POST', tokenUrl());
    const body = good.split('.')[1];
    const mac = await prove(
      {
        alg: 'HS256',
        publicJwk: key.publicJwk,
        privateKey: new TextEncoder().encode(JSON.stringify(key.publicJwk)),
      },
      'POST',
      tokenUrl(),
    );
    const twice = `${good}, ${await prove(key, 'POST', tokenUrl())}`;
    for (const proof of ['', 'nonsense', 'a.b.c', `${head('none')}.${body}.`, mac, twice]) {
      const { status, body: refused } = await credentials(proof);
      expect([proof, status, refused.error]).toEqual([proof, 400, 'invalid_dpop_proof']);
    }
  });

  test.each([
    ['a query and a fragment', () => `${tokenUrl()}?a=b#c`],
    ['capitals in scheme and host', () => tokenUrl().replace('http:', 'HTTP:')],
    ['dots in the path', () => tokenUrl().replace('/oauth/', '/oauth/./x/../')],
    ['letters that are encoded', () => tokenUrl().replace('token', '%74oken')],
  ])('§4.3 htu is normalized before the comparison: %s [4.3-9]', async (_what, url) => {
    expect((await credentials(await prove(key, 'POST', url()))).status).toBe(200);
  });
});

describe('§11.1 a proof', () => {
  test('a DPoP proof is valid once in all processes [11.1-1]', async () => {
    const proof = await prove(key, 'POST', tokenUrl());
    expect((await credentials(proof)).status).toBe(200);
    const again = await tokenRequest(second, client, { grant_type: 'client_credentials' }).set('DPoP', proof);
    expect([again.status, again.body.error]).toEqual([400, 'invalid_dpop_proof']);
    // the same jti with another key counts as another proof
    const jti = { claims: { jti: 'one id' } };
    expect((await credentials(await prove(key, 'POST', tokenUrl(), jti))).status).toBe(200);
    expect((await credentials(await prove(other, 'POST', tokenUrl(), jti))).status).toBe(200);
  });

  test('a DPoP proof for an invalid code is not stored [11.1-2]', async () => {
    const stored = () => site.database.collection('oauth_used_proofs').countDocuments();
    const before = await stored();
    await withProof(redeem(site, app, 'eas_ac_nonsense'), key);
    expect(await stored()).toBe(before);
  });

  test('a DPoP proof costs one database command, and no command with replay memory', async () => {
    await using memory = await openSite({ dpop: { replay: 'memory' } });
    const own_ = await memory.client();
    const fields = { grant_type: 'client_credentials' };
    const commands = async (of: Site, who: ClientWithSecret, proof?: string) =>
      commandsDuring(of.database, () => {
        const sent = tokenRequest(of, who, fields);
        return proof === undefined ? sent : sent.set('DPoP', proof);
      });
    const plain = await commands(site, client);
    expect(await commands(site, client, await prove(key, 'POST', tokenUrl()))).toEqual(
      expect.arrayContaining(['insert oauth_used_proofs']),
    );
    expect((await commands(site, client, await prove(key, 'POST', tokenUrl()))).length).toBe(
      plain.length + 1,
    );
    const proof = await prove(key, 'POST', `${memory.url}/oauth/token`);
    await tokenRequest(memory, own_, fields);
    const bearer = (await commands(memory, own_)).length;
    expect((await commands(memory, own_, proof)).length).toBe(bearer);
    expect((await tokenRequest(memory, own_, fields).set('DPoP', proof)).body.error).toBe(
      'invalid_dpop_proof',
    );
  });
});

describe('the server', () => {
  test('§5.1 the metadata lists the algorithms for DPoP [5.1-1]', async () => {
    const { body } = await request(site.server).get('/.well-known/oauth-authorization-server');
    const algorithms = body.dpop_signing_alg_values_supported as string[];
    expect(algorithms).toEqual(expect.arrayContaining(['ES256', 'EdDSA']));
    expect(algorithms.filter((alg) => /none|HS/.test(alg))).toEqual([]);
  });

  test('other origins may send DPoP proofs and read nonces', async () => {
    const preflight = await request(site.server)
      .options('/oauth/token')
      .set({ Origin: 'https://app.example', 'Access-Control-Request-Method': 'POST' });
    expect(preflight.headers['access-control-allow-headers']).toContain('DPoP');
    const { headers } = await credentials(key);
    const withOrigin = await request(site.server).post('/oauth/token').set('Origin', 'https://app.example');
    expect(withOrigin.headers['access-control-expose-headers']).toContain('DPoP-Nonce');
    expect(headers).not.toHaveProperty('dpop-nonce');
  });
});
