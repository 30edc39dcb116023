import { beforeAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import request, { type Response } from 'supertest';

import { bearerGuard } from '../../../lib/guard.js';
import type { ClientWithSecret } from '../../../lib/index.js';
import { letPass } from '../../support/clock.js';
import { commandsDuring } from '../../support/commands.js';
import { createProofKey, type ProofKey, type ProofOptions, prove } from '../../support/dpop.js';
import { refusal } from '../../support/refusal.js';
import { openSite, type Site } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { tokenRequest } from '../../support/tokens.js';

const API = 'https://api.example';
/** Access tokens for the API of the site: bound to the key, and unbound. */
let bound: string;
let bearer: string;

const site = siteFor({ dpop: true, resources: { [API]: { accessTokenFormat: 'jwt' } } });
const client = fixture(() => site.client({ introspection: true }));

const key = fixture(() => createProofKey());
const other = fixture(() => createProofKey());
beforeAll(async () => {
  bound = await tokenFor(site, client, { by: key });
  bearer = await tokenFor(site, client);
});

async function tokenFor(
  of: Site,
  who: ClientWithSecret,
  { by, resource, nonce }: { by?: ProofKey; resource?: string; nonce?: string } = {},
): Promise<string> {
  const sent = tokenRequest(of, who, { grant_type: 'client_credentials', resource });
  if (by !== undefined)
    void sent.set(
      'DPoP',
      await prove(by, 'POST', `${of.url}/oauth/token`, nonce === undefined ? {} : { nonce }),
    );
  const { body } = await sent.expect(200);
  return (body as { access_token: string }).access_token;
}
const call = (headers: Record<string, string>, path = '/api/me', of = site) =>
  request(of.server).get(path).set(headers);
async function callBound(
  options: ProofOptions = {},
  { by = key, token = bound, path = '/api/me', of = site } = {},
): Promise<Response> {
  const proof = await prove(by, 'GET', `${of.url}${path}`, { accessToken: token, ...options });
  return call({ Authorization: `DPoP ${token}`, DPoP: proof }, path, of);
}
const challengeOf = ({ headers }: Response) => String(headers['www-authenticate']);
const challengeBy = (scheme: string, response: Response) =>
  challengeOf(response)
    .split(/, (?=Bearer |DPoP )/)
    .find((challenge) => challenge.startsWith(`${scheme} `)) ?? '';

describe('§7.1 a guarded route', () => {
  test('a guarded route accepts a DPoP-bound token with a proof of its key [6-1] [7.1-1] [4.3-12]', async () => {
    const { status, body } = await callBound();
    expect([status, body.cnf]).toEqual([200, { jkt: key.jkt }]);
    expect((await callBound({}, { path: '/api/photos?a=b' })).status).toBe(200);
  });

  test.each<[string, ProofOptions]>([
    ['for another method', { claims: { htm: 'POST' } }],
    ['for another address', { claims: { htu: 'https://other.example/api/me' } }],
    ['for a relative address', { claims: { htu: '/api/me' } }],
    ['without the hash of the token', { claims: { ath: undefined } }],
    ['with the hash of another token', { accessToken: 'another' }],
    ['without a jti', { claims: { jti: undefined } }],
    ['that is old', { claims: { iat: 5 } }],
    ['of another type', { header: { typ: 'JWT' } }],
  ])('a DPoP proof %s is answered invalid_dpop_proof [4.3-12] [7.1-1] [7.1-2]', async (_what, options) => {
    const response = await callBound(options);
    expect([response.status, response.body.error]).toEqual([401, 'invalid_dpop_proof']);
    expect(challengeBy('DPoP', response)).toMatch(/error="invalid_dpop_proof".*algs="ES256 /);
    // RFC 9449 §7.2: the error is in the challenge of the scheme that was used
    expect(challengeBy('Bearer', response)).not.toContain('error');
  });

  test('a DPoP-bound token without a proof is refused [7.1-1]', async () => {
    const response = await call({ Authorization: `DPoP ${bound}` });
    expect([response.status, response.body.error]).toEqual([401, 'invalid_dpop_proof']);
  });

  test.each(['invalid:abc', '"quoted"'])('the malformed token %s is refused [7.1-4]', async (token) => {
    const response = await callBound({}, { token });
    expect([response.status, response.body.error]).toEqual([401, 'invalid_token']);
    expect(challengeBy('DPoP', response)).toContain('error="invalid_token"');
    expect(challengeBy('Bearer', response)).not.toContain('error');
  });

  test('a DPoP-bound token with a proof of another key is refused [7.1-1] [7.1-4] [4.3-12]', async () => {
    const response = await callBound({}, { by: other });
    expect([response.status, response.body.error]).toEqual([401, 'invalid_token']);
    expect(challengeBy('DPoP', response)).toContain('error="invalid_token"');
  });

  test('a guarded route refuses a repeated DPoP proof [11.1-1]', async () => {
    const proof = await prove(key, 'GET', `${site.url}/api/me`, { accessToken: bound });
    const headers = { Authorization: `DPoP ${bound}`, DPoP: proof };
    expect((await call(headers)).status).toBe(200);
    expect((await call(headers)).body.error).toBe('invalid_dpop_proof');
  });

  test('an invalid token is refused before its DPoP proof is stored [7.1-4] [11.1-2]', async () => {
    const stored = () => site.database.collection('oauth_used_proofs').countDocuments();
    const before = await stored();
    expect((await callBound({}, { token: 'eas_at_nonsense' })).body.error).toBe('invalid_token');
    expect((await callBound({}, { by: other })).status).toBe(401);
    for (const malformed of ['DPoP', 'DPoP [object Object]'])
      expect(await call({ Authorization: malformed })).toMatchObject(refusal(401, 'invalid_token'));
    expect(await stored()).toBe(before);
  });
});

describe('§7.2 Bearer and DPoP', () => {
  test('a DPoP-bound token with the scheme Bearer is refused [7.2-1]', async () => {
    const response = await call({ Authorization: `Bearer ${bound}` });
    expect([response.status, response.body.error]).toEqual([401, 'invalid_token']);
    expect(challengeBy('Bearer', response)).toContain('error="invalid_token"');
    expect(challengeBy('DPoP', response)).toContain('algs=');
    const proof = await prove(key, 'GET', `${site.url}/api/me`, { accessToken: bound });
    expect((await call({ Authorization: `Bearer ${bound}`, DPoP: proof })).status).toBe(401);
  });

  test('an unbound token with the scheme DPoP is refused [7.2-1] [7.2-3]', async () => {
    const response = await callBound({}, { token: bearer });
    expect([response.status, response.body.error]).toEqual([401, 'invalid_token']);
    expect((await call({ Authorization: `Bearer ${bearer}` })).status).toBe(200);
  });

  test('a request without credentials gets both challenges without an error [7.2-2]', async () => {
    const response = await call({});
    expect(response.status).toBe(401);
    expect(challengeOf(response)).toMatch(/^Bearer realm=.*, DPoP realm=.*algs="ES256/);
    expect(challengeOf(response)).not.toContain('error');
  });

  test('a DPoP-bound token is refused without the option dpop, and the challenge has no DPoP', async () => {
    await using without = await openSite({ database: site.database, issuer: site.url });
    expect((await call({ Authorization: `Bearer ${bound}` }, '/api/me', without)).body.error).toBe(
      'invalid_token',
    );
    expect(challengeOf(await call({}, '/api/me', without))).not.toContain('DPoP');
  });
});

test('a DPoP-bound token costs one database command more, and no more with replay memory', async () => {
  await using memory = await openSite({
    database: site.database,
    issuer: site.url,
    dpop: { replay: 'memory' },
  });
  const asBearer = await commandsDuring(site.database, () => call({ Authorization: `Bearer ${bearer}` }));
  const withProof = async (of: Site) => {
    const proof = await prove(key, 'GET', `${site.url}/api/me`, { accessToken: bound });
    return commandsDuring(site.database, () =>
      call({ Authorization: `DPoP ${bound}`, DPoP: proof }, '/api/me', of),
    );
  };
  expect(asBearer).toEqual(['find oauth_grants']);
  expect(await withProof(site)).toEqual(['find oauth_grants', 'insert oauth_used_proofs']);
  expect(await withProof(memory)).toEqual(['find oauth_grants']);
});

describe('§8, §9 nonces', () => {
  const strict = siteFor({ dpop: { nonces: true } });
  const own = fixture(() => strict.client());

  const ask = async (nonce?: string) =>
    tokenRequest(strict, own, { grant_type: 'client_credentials' }).set(
      'DPoP',
      await prove(key, 'POST', `${strict.url}/oauth/token`, nonce === undefined ? {} : { nonce }),
    );
  const nonceOf = ({ headers }: Response) => String(headers['dpop-nonce']);

  test('§8 the token endpoint requires a nonce and returns a new nonce with each response [8-1] [8.2-1] [11.3-1]', async () => {
    const first = await ask();
    expect([first.status, first.body.error]).toEqual([400, 'use_dpop_nonce']);
    const second = await ask(nonceOf(first));
    expect([second.status, second.body.token_type]).toEqual([200, 'DPoP']);
    expect(nonceOf(second)).toMatch(/^[\w-]{43}$/);
  });

  test('§8 the current and the previous nonce are accepted, older and forged nonces are refused [8-2] [8-3]', async () => {
    const nonce = nonceOf(await ask());
    letPass(120);
    const next = await ask(nonce);
    expect(next.status).toBe(200);
    expect(nonceOf(next)).not.toBe(nonce);
    letPass(120);
    for (const wrong of [nonce, 'nonsense', '']) expect((await ask(wrong)).body.error).toBe('use_dpop_nonce');
  });

  test('§9 the guard requires a nonce and returns a new nonce [9-1] [8-3]', async () => {
    const nonce = nonceOf(await ask());
    const token = await tokenFor(strict, own, { by: key, nonce });
    const first = await callBound({}, { token, of: strict });
    expect([first.status, first.body.error]).toEqual([401, 'use_dpop_nonce']);
    expect(challengeBy('DPoP', first)).toContain('error="use_dpop_nonce"');
    const second = await callBound({ nonce: nonceOf(first) }, { token, of: strict });
    expect(second.status).toBe(200);
    expect(nonceOf(second)).toMatch(/^[\w-]{43}$/);
  });

  test('the server does not start without a shared secret unless its issuer is on loopback', async () => {
    const options = { dpop: { nonces: true }, signingKeys: {}, issuer: 'https://photos.example' };
    await expect(openSite(options)).rejects.toThrow(/dpop.nonces: needs a secret/);
  });
});

describe('required bound tokens', () => {
  test('§5.2 an unbound token is refused at the guard with dpop.required [7.1-1]', async () => {
    await using strict = await openSite({
      database: site.database,
      issuer: site.url,
      dpop: { required: true },
    });
    const refused = await call({ Authorization: `Bearer ${bearer}` }, '/api/me', strict);
    expect([refused.status, refused.body.error]).toEqual([401, 'invalid_token']);
    expect((await callBound({ claims: { htu: `${site.url}/api/me` } }, { of: strict })).status).toBe(200);
  });
});

describe('bearerGuard', () => {
  function apiOf(options: Partial<Parameters<typeof bearerGuard>[0]> = {}) {
    const guard = bearerGuard({
      issuer: site.url,
      resource: API,
      clientId: client.clientId,
      clientSecret: client.clientSecret!,
      ...options,
    });
    const app = express();
    app.get('/photos', guard(), (req, res) => void res.json(req.auth));
    app.use(((error, _req, res, _next) => {
      const { status, error: code } = error as { status: number; error: string };
      res.status(status).json({ error: code });
    }) as express.ErrorRequestHandler);
    return app;
  }
  async function callAt(app: express.Express, token: string, options: ProofOptions = {}) {
    const proof = await prove(key, 'GET', `${API}/photos`, { accessToken: token, ...options });
    return request(app)
      .get('/photos')
      .set({ Authorization: `DPoP ${token}`, DPoP: proof });
  }

  test.each([
    ['a JWT', API, API],
    ['an opaque token', undefined, 'issuer'],
  ])(
    'bearerGuard accepts %s with a proof once, and refuses the scheme Bearer [6-1] [7.1-1] [7.2-1]',
    async (_what, resource, of) => {
      const at = of === 'issuer' ? site.url : API;
      const app = apiOf({ dpop: true, resource: at });
      const token = await tokenFor(site, client, { by: key, ...(resource !== undefined && { resource }) });
      const proof = await prove(key, 'GET', `${at}/photos`, { accessToken: token });
      const headers = { Authorization: `DPoP ${token}`, DPoP: proof };
      const { status, body } = await request(app).get('/photos').set(headers);
      expect([status, body.cnf]).toEqual([200, { jkt: key.jkt }]);
      expect((await request(app).get('/photos').set(headers)).body.error).toBe('invalid_dpop_proof');
      const asBearer = await request(app).get('/photos').set('Authorization', `Bearer ${token}`);
      expect([asBearer.status, asBearer.body.error]).toEqual([401, 'invalid_token']);
    },
  );

  test('bearerGuard without dpop refuses a DPoP-bound token [7.2-1]', async () => {
    const token = await tokenFor(site, client, { by: key, resource: API });
    const asBearer = await request(apiOf()).get('/photos').set('Authorization', `Bearer ${token}`);
    expect([asBearer.status, asBearer.body.error]).toEqual([401, 'invalid_token']);
    expect((await callAt(apiOf(), token)).status).toBe(401);
  });

  test('bearerGuard with dpop.required refuses an unbound token [7.1-1]', async () => {
    const app = apiOf({ dpop: { required: true } });
    const unbound = await tokenFor(site, client, { resource: API });
    const refused = await request(app).get('/photos').set('Authorization', `Bearer ${unbound}`);
    expect([refused.status, refused.body.error]).toEqual([401, 'invalid_token']);
    expect((await callAt(app, await tokenFor(site, client, { by: key, resource: API }))).status).toBe(200);
  });

  test('§9 bearerGuard with a nonceSecret shares nonces between processes [9-1]', async () => {
    const options = { dpop: { nonceSecret: 'a secret of 32 characters, or of more' } };
    const token = await tokenFor(site, client, { by: key, resource: API });
    const first = await callAt(apiOf(options), token);
    expect(first.body.error).toBe('use_dpop_nonce');
    const nonce = String(first.headers['dpop-nonce']);
    expect((await callAt(apiOf(options), token, { nonce })).status).toBe(200);
  });
});
