import { generateKeyPairSync } from 'node:crypto';

import { describe, expect, test } from '@jest/globals';
import express from 'express';
import request from 'supertest';

import { bearerGuard, type BearerGuardOptions } from '../../../lib/guard.js';
import type { PublicJwk } from '../../../lib/index.js';
import { createProofKey, prove } from '../../support/dpop.js';
import { askAs, createFapiClient } from '../../support/fapi.js';
import { fixture, siteFor } from '../../support/site-for.js';

const API = 'https://api.example';

const site = siteFor({ profile: 'fapi2', resources: { [API]: {} } });
const fapi = fixture(() => createFapiClient(site));
const key = fixture(() => createProofKey());

/** An API in another process; its client is registered with the public key. */
async function openApi(options: Partial<BearerGuardOptions>, publicJwk: object) {
  const { client } = await createFapiClient(site, {
    jwks: { keys: [publicJwk as PublicJwk] },
    introspection: true,
  });
  const guard = bearerGuard({
    issuer: site.url,
    resource: API,
    clientId: client.clientId,
    dpop: true,
    senderConstrained: true,
    cacheMaxAge: 0,
    onError: () => undefined,
    ...options,
  });
  const app = express().get('/me', guard(), (req, res) => void res.json(req.auth));
  app.use(((error, _req, res, _next) => {
    const { status, error: code } = error as { status: number; error: string };
    res.status(status).json({ error: code });
  }) as express.ErrorRequestHandler);
  return app;
}

async function call(api: express.Express, accessToken: string) {
  const proof = await prove(key, 'GET', `${API}/me`, { accessToken });
  return request(api)
    .get('/me')
    .set({ Authorization: `DPoP ${accessToken}`, DPoP: proof });
}

async function opaqueToken(): Promise<string> {
  const { body } = await askAs(fapi, { grant_type: 'client_credentials', resource: API }, key);
  return body.access_token as string;
}

describe('introspection by an API with a key instead of a secret', () => {
  test.each([
    ['EC', generateKeyPairSync('ec', { namedCurve: 'P-256' }), {}],
    ['OKP, with a kid', generateKeyPairSync('ed25519'), { kid: 'of the API' }],
    ['RSA', generateKeyPairSync('rsa', { modulusLength: 2048 }), {}],
    ['RSA, by its alg', generateKeyPairSync('rsa', { modulusLength: 2048 }), { alg: 'PS256' }],
  ])('bearerGuard introspects with a key: %s [5.3.4-3]', async (_kind, { privateKey, publicKey }, more) => {
    const clientKey = { ...privateKey.export({ format: 'jwk' }), ...more };
    const api = await openApi({ clientKey }, { ...publicKey.export({ format: 'jwk' }), ...more });
    const token = await opaqueToken();
    const { status, body } = await call(api, token);
    expect([status, body.clientId, body.cnf]).toEqual([200, fapi.client.clientId, { jkt: key.jkt }]);
    // each introspection request has a new assertion
    expect((await call(api, token)).status).toBe(200);
    await site.oauth.grants.revoke({ clientId: fapi.client.clientId });
    expect((await call(api, token)).status).toBe(401);
  });

  test('bearerGuard answers 503 if its key is not registered for its client', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const api = await openApi(
      { clientKey: privateKey.export({ format: 'jwk' }) },
      publicKey.export({ format: 'jwk' }),
    );
    expect((await call(api, await opaqueToken())).status).toBe(503);
  });
});
