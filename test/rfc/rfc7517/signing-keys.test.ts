import { generateKeyPairSync } from 'node:crypto';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';

import { type AuthorizationServer, authorizationServer, type SigningKeyOptions } from '../../../lib/index.js';
import { openDatabase, type TestDatabase } from '../../support/database.js';
import { fetchKeys, hostKey, takeApart, verifyByKeys } from '../../support/jwt.js';
import { mergeOptions } from '../../support/merge-options.js';
import { refusal } from '../../support/refusal.js';
import { openSite, SCOPES, type Site, type SiteOptions } from '../../support/site.js';
import { callApi, tokenRequest } from '../../support/tokens.js';

const SECRET = 'a secret of the host, 32 characters at least';
const withSecret = (options: SigningKeyOptions = {}): SigningKeyOptions => ({
  ...(options.keys === undefined && { encryptionSecret: SECRET }),
  ...options,
});

describe('signing keys (RFC 7517, RFC 7518)', () => {
  let database: TestDatabase;
  const sites: Site[] = [];

  beforeEach(async () => {
    database = await openDatabase();
  });
  afterEach(async () => {
    await Promise.all(sites.splice(0).map((site) => site.close()));
    await database.close();
  });

  const open = async (signingKeys?: SigningKeyOptions, more: SiteOptions = {}) => {
    const site = await openSite(
      mergeOptions(
        {
          database,
          tokens: { accessTokenFormat: 'jwt' },
          signingKeys: withSecret(signingKeys),
        },
        more,
      ),
    );
    sites.push(site);
    return site;
  };
  const server = (signingKeys: SigningKeyOptions): AuthorizationServer =>
    authorizationServer({
      issuer: 'https://photos.example',
      connection: database.connection,
      scopes: SCOPES,
      login: '/login',
      tokens: { accessTokenFormat: 'jwt' },
      signingKeys: withSecret(signingKeys),
    });
  const stored = () => database.collection('oauth_signing_keys').find().sort({ _id: 1 }).toArray();
  /** Makes the stored keys older by `seconds`. */
  const letPass = async (seconds: number) => {
    for (const { _id, activatesAt, expiresAt } of await stored()) {
      const back = (date: Date) => new Date(date.getTime() - seconds * 1000);
      await database.collection('oauth_signing_keys').updateOne(
        { _id },
        {
          $set: {
            activatesAt: back(activatesAt as Date),
            ...(expiresAt && { expiresAt: back(expiresAt as Date) }),
          },
        },
      );
    }
  };
  const tokenOf = async (site: Site) =>
    (await tokenRequest(site, await site.client(), { grant_type: 'client_credentials' })).body
      .access_token as string;

  test('§4, §5 the key set has public keys with all members that a verifier needs, and is cached for a minute', async () => {
    const site = await open();
    const response = await request(site.server).get('/oauth/jwks');
    expect(response.headers).toMatchObject({
      'content-type': expect.stringContaining('application/jwk-set+json'),
      'cache-control': 'public, max-age=60',
      'access-control-allow-origin': '*',
    });
    expect(response.body.keys).toEqual([
      {
        kty: 'EC',
        crv: 'P-256',
        x: expect.any(String),
        y: expect.any(String),
        kid: expect.any(String),
        alg: 'ES256',
        use: 'sig',
      },
    ]);
    expect((await request(site.server).get('/.well-known/oauth-authorization-server')).body.jwks_uri).toBe(
      `${site.url}/oauth/jwks`,
    );
    expect((await request(site.server).post('/oauth/jwks')).status).toBe(405);
  });

  test.each(['ES256', 'EdDSA', 'RS256', 'PS256'] as const)(
    'tokens signed with %s are verified by the published keys',
    async (algorithm) => {
      const site = await open({ algorithm });
      const token = await tokenOf(site);
      expect((await verifyByKeys(site, token, site.url)).header.alg).toBe(algorithm);
      expect((await callApi(site, token)).status).toBe(200);
    },
  );

  test('two concurrent processes create one first key', async () => {
    const [one, two] = await Promise.all([open(), open()]);
    const kids = await Promise.all([one, two].map(async (site) => takeApart(await tokenOf(site)).header.kid));
    expect(new Set(kids).size).toBe(1);
    expect(await stored()).toHaveLength(1);
  });

  test('a new key is published before its first signature, and an old key until its tokens have expired', async () => {
    const before = await open();
    const token = await tokenOf(before);
    const [first] = await before.oauth.keys.list();
    const next = await before.oauth.keys.rotate();
    expect(await before.oauth.keys.list()).toMatchObject([
      { kid: next.kid, status: 'upcoming' },
      { kid: first?.kid, status: 'signing' },
    ]);
    expect((await fetchKeys(before)).map(({ kid }) => kid)).toEqual([next.kid, first?.kid]);
    expect(takeApart(await tokenOf(before)).header.kid).toBe(first?.kid);
    await letPass(301);
    const after = await open(undefined, { issuer: before.url });
    expect(takeApart(await tokenOf(after)).header.kid).toBe(next.kid);
    expect((await callApi(after, token)).status).toBe(200);
    expect(await after.oauth.keys.list()).toMatchObject([
      { status: 'signing' },
      { kid: first?.kid, status: 'retired', expiresAt: expect.any(Date) },
    ]);
    // for at least a day; later a new process does not have the old key
    await letPass(86_400 + 60);
    expect((await fetchKeys(await open())).map(({ kid }) => kid)).toEqual([next.kid]);
  });

  test('concurrent and immediately repeated rotations create one key', async () => {
    const servers = [server({}), server({}), server({})];
    await servers[0]?.ready();
    await servers[0]?.keys.list();
    const rotated = await Promise.all(servers.map(({ keys }) => keys.rotate()));
    rotated.push(await server({}).keys.rotate());
    expect(new Set(rotated.map(({ kid }) => kid)).size).toBe(1);
    expect((await stored()).map(({ _id }) => Number(_id))).toEqual([1, 2]);
  });

  test('a key gets one successor after the rotation interval, for all processes', async () => {
    const options = { rotationInterval: 3600 };
    await server(options).ready();
    await server(options).keys.list();
    expect(await server(options).keys.list()).toHaveLength(1);
    await letPass(3601);
    await Promise.all([server(options).keys.list(), server(options).keys.list()]);
    expect(await server(options).keys.list()).toMatchObject([{ status: 'upcoming' }, { status: 'signing' }]);
  });

  test('a new algorithm applies from the next rotation, and tokens of the old algorithm stay valid', async () => {
    const before = await open();
    const token = await tokenOf(before);
    const after = await open({ algorithm: 'EdDSA' }, { issuer: before.url });
    expect(takeApart(await tokenOf(after)).header.alg).toBe('ES256');
    await after.oauth.keys.rotate();
    await letPass(301);
    const later = await open({ algorithm: 'EdDSA' }, { issuer: before.url });
    expect(takeApart(await tokenOf(later)).header.alg).toBe('EdDSA');
    expect((await callApi(later, token)).status).toBe(200);
  });

  test('private keys are stored encrypted, and a wrong encryptionSecret stops the start', async () => {
    const site = await open({ encryptionSecret: SECRET });
    const token = await tokenOf(site);
    const [key] = await stored();
    const [header = ''] = String(key?.privateKey).split('.');
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'dir', enc: 'A256GCM' });
    expect(JSON.stringify(key)).not.toContain('"d"');
    const same = await open({ encryptionSecret: SECRET }, { issuer: site.url });
    expect((await callApi(same, token)).status).toBe(200);
    for (const wrong of [{ encryptionSecret: `${SECRET}!` }, { encryptionSecret: undefined }]) {
      const other = await open(wrong, { unready: true });
      // the error comes at the start, before the first token
      await expect(other.oauth.ready()).rejects.toThrow(/^signingKeys\.encryptionSecret: a signing key /);
      expect(await request(other.server).get('/oauth/jwks')).toMatchObject(refusal(500, 'server_error'));
      expect(other.errors.at(-1)?.detail).toContain('encryptionSecret');
    }
  });

  test('keys of the site are published, the first key signs, and no key is stored', async () => {
    const [one, two] = [hostKey().jwk, { ...hostKey().jwk, kid: undefined }];
    const site = await open({ keys: [one, two] });
    expect(takeApart(await tokenOf(site)).header.kid).toBe('of the host');
    expect(await fetchKeys(site)).toEqual([
      expect.objectContaining({ kid: 'of the host' }),
      expect.objectContaining({ kid: expect.stringMatching(/^[\w-]{43}$/) }),
    ]);
    expect(JSON.stringify(await fetchKeys(site))).not.toContain('"d"');
    expect(await stored()).toEqual([]);
    await expect(site.oauth.keys.rotate()).rejects.toThrow('signingKeys.keys');
  });

  test('wrong signingKeys throw at the start', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ format: 'jwk' });
    const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export({ format: 'jwk' });
    const { d, ...publicOnly } = hostKey().jwk;
    expect(d).toBeDefined();
    const jwk = (key: object) => ({ keys: [key as Record<string, unknown>] });
    expect(() => server({ algorithm: 'HS256' as never })).toThrow('one of ES256, EdDSA, RS256, PS256');
    expect(() => server(jwk({ kty: 'oct', k: 'c2VjcmV0' }))).toThrow('private JWK');
    expect(() => server(jwk(publicOnly))).toThrow('private JWK');
    expect(() => server(jwk(rsa))).toThrow('2048 bits');
    expect(() => server(jwk(p384))).toThrow('P-256');
    expect(() => server(jwk({ ...hostKey().jwk, alg: 'RS256' }))).toThrow('its alg must be ES256');
    expect(() => server({ keys: [] })).toThrow('at least one');
    expect(() => server({ keys: [hostKey().jwk, hostKey().jwk] })).toThrow('same kid');
    expect(() => server({ keys: [hostKey().jwk], rotationInterval: 3600 })).toThrow('rotated by you');
    expect(() => server({ encryptionSecret: 'short' })).toThrow('32 characters');
    expect(() => server({ rotationInterval: 300 })).toThrow('longer than publishAhead');
  });
});
