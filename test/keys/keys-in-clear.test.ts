import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import express from 'express';
import request from 'supertest';

import { bearerGuard, errorHandler } from '../../lib/guard.js';
import {
  type AuthorizationServer,
  authorizationServer,
  type AuthorizationServerOptions,
} from '../../lib/index.js';
import { runCli } from '../support/cli.js';
import { openDatabase, type TestDatabase } from '../support/database.js';
import { fetchKeys, hostKey, signWith, takeApart } from '../support/jwt.js';
import { KEY_SECRET, openSite, SCOPES, type Site, type SiteOptions } from '../support/site.js';
import { callApi, tokenRequest } from '../support/tokens.js';

const ALBUMS = 'https://albums.example';

describe('private keys in the database', () => {
  let database: TestDatabase;
  const sites: Site[] = [];

  beforeEach(async () => {
    database = await openDatabase();
  });
  afterEach(async () => {
    await Promise.all(sites.splice(0).map((site) => site.close()));
    await database.close();
  });

  const open = async (options: SiteOptions) => {
    const site = await openSite({ database, ...options });
    sites.push(site);
    return site;
  };
  const stored = () => database.collection('oauth_signing_keys').find().sort({ _id: -1 }).toArray();
  const server = (options: Partial<AuthorizationServerOptions>): AuthorizationServer =>
    authorizationServer({
      issuer: 'https://photos.example',
      connection: database.connection,
      scopes: SCOPES,
      login: '/login',
      ...options,
    });
  const tokenOf = async (site: Site): Promise<string> =>
    (await tokenRequest(site, await site.client(), { grant_type: 'client_credentials' })).body.access_token;
  /** As stored by a site on loopback. */
  const storeInClear = async (): Promise<string> => {
    const { jwk } = hostKey();
    await database.collection<{ _id: number; [member: string]: unknown }>('oauth_signing_keys').insertOne({
      _id: 1,
      kid: 'in clear',
      algorithm: 'ES256',
      privateKey: JSON.stringify(jwk),
      createdAt: new Date(),
      activatesAt: new Date(),
    });
    return 'in clear';
  };

  test.each<[string, Partial<AuthorizationServerOptions>]>([
    ['its tokens are JWTs', { tokens: { accessTokenFormat: 'jwt' } }],
    ['the tokens of a resource are JWTs', { resources: { [ALBUMS]: { accessTokenFormat: 'jwt' } } }],
    [
      'it serves plain HTTP',
      {
        tokens: { accessTokenFormat: 'jwt' },
        issuer: 'http://photos.example',
        security: { dangerouslyAllowInsecureHttp: true },
      },
    ],
  ])('a server does not start without an encryptionSecret if %s', (_why, options) => {
    expect(() => server(options)).toThrow(/signingKeys.encryptionSecret.*openssl rand/);
    expect(() => server({ ...options, signingKeys: { encryptionSecret: KEY_SECRET } })).not.toThrow();
    expect(() => server({ ...options, signingKeys: { keys: [hostKey().jwk] } })).not.toThrow();
  });

  test('a server on loopback starts without an encryptionSecret, with a warning', () => {
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    server({ issuer: 'http://localhost:3000', tokens: { accessTokenFormat: 'jwt' } });
    server({ issuer: 'http://localhost:3000' });
    const warnings = warn.mock.calls;
    warn.mockRestore();
    expect(warnings).toEqual([[expect.stringContaining('encryptionSecret'), { code: 'EAS_KEYS_IN_CLEAR' }]]);
  });

  test('a server without JWTs makes, publishes and lists no key', async () => {
    const site = await open({ signingKeys: {} });
    expect(await fetchKeys(site)).toEqual([]);
    const { body: metadata } = await request(site.server).get('/.well-known/oauth-authorization-server');
    expect(metadata).not.toHaveProperty('jwks_uri');
    expect(metadata).not.toHaveProperty('introspection_signing_alg_values_supported');
    const { clientId, clientSecret = '' } = await site.client({ introspection: true });
    const answer = await request(site.server)
      .post('/oauth/introspect')
      .auth(clientId, clientSecret)
      .type('form')
      .set('Accept', 'application/token-introspection+jwt')
      .send({ token: await tokenOf(site) });
    expect(answer).toMatchObject({ status: 200, type: 'application/json', body: { active: true } });
    expect(await site.oauth.keys.list()).toEqual([]);
    await expect(site.oauth.keys.rotate()).rejects.toThrow('signingKeys.encryptionSecret');
    expect(await stored()).toEqual([]);
  });

  test('a key in clear from an old database is trusted only if the server issues JWTs', async () => {
    const kid = await storeInClear();
    const site = await open({ signingKeys: {} });
    const guard = bearerGuard({ issuer: site.url, onError: () => undefined });
    const api = express()
      .get('/', guard(), (req, res) => void res.json(req.auth))
      .use(errorHandler);
    const [copy] = await stored();
    const { importJWK } = await import('jose');
    const now = Math.floor(Date.now() / 1000);
    const forged = await signWith(
      (await importJWK(JSON.parse(String(copy?.privateKey)), 'ES256')) as never,
      { alg: 'ES256', typ: 'at+jwt', kid },
      { iss: site.url, aud: site.url, sub: 'ada', client_id: 'shop', jti: 'x', iat: now, exp: now + 3600 },
    );
    expect((await request(api).get('/').set('Authorization', `Bearer ${forged}`)).status).toBe(401);
    expect((await callApi(site, forged)).status).toBe(401);
  });

  test('doctor reports keys in clear, whose tokens stay valid after a secret is set', async () => {
    const kid = await storeInClear();
    const examine = async () => {
      const { stdout } = await runCli(['doctor', '--json'], { uri: database.uri });
      return (JSON.parse(stdout).findings as { check: string; what: string }[]).filter(({ check }) =>
        check.startsWith('keys.'),
      );
    };
    expect(await examine()).toMatchObject([{ check: 'keys.clear', severity: 'serious' }]);
    const site = await open({ tokens: { accessTokenFormat: 'jwt' } });
    const token = await tokenOf(site);
    expect(takeApart(token).header.kid).toBe(kid);
    expect((await callApi(site, token)).status).toBe(200);
    expect((await runCli(['keys', 'rotate'], { uri: database.uri })).code).toBe(2);
    const rotated = await runCli(['keys', 'rotate'], { uri: database.uri, env: { KEY_SECRET } });
    expect(rotated.code).toBe(0);
    expect(String((await stored())[0]?.privateKey)).toMatch(/^eyJ/);
    expect((await runCli(['keys', 'revoke', kid], { uri: database.uri })).code).toBe(0);
    expect(await examine()).toEqual([]);
  });
});
