import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import request from 'supertest';

import { type AuthorizationServerOptions, type ClientWithSecret, type PrivateJwk } from '../../lib/index.js';
import { createTestKey } from '../support/assertions.js';
import { runCli } from '../support/cli.js';
import { letPass } from '../support/clock.js';
import { encryptionKeys, encryptTo } from '../support/encrypted-requests.js';
import { fetchKeys, hostKey } from '../support/jwt.js';
import { locationOf, logInPerson } from '../support/person.js';
import { signRequest } from '../support/request-objects.js';
import { KEY_SECRET, openSite } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import { starting } from '../support/starting.js';

const site = siteFor({ signedRequests: { encryption: true } });
const key = fixture(() => createTestKey());
beforeAll(async () => {
  await fetchKeys(site);
});

/** A private JWK of a host. */
async function privateJwk(alg: string, options: Parameters<typeof generateKeyPair>[1] = {}) {
  const { privateKey } = await generateKeyPair(alg, { extractable: true, modulusLength: 2048, ...options });
  return (await exportJWK(privateKey)) as PrivateJwk & JWK;
}
const cli = (args: string[], env: Record<string, string> = { KEY_SECRET }) =>
  runCli(['keys', ...args], { uri: site.database.uri, env });
const start = (options: Partial<AuthorizationServerOptions>) => starting(site, options);

describe('encryption keys for requests, on the command line', () => {
  test('keys list shows encryption keys as such, after the signing keys', async () => {
    const { code, stdout } = await cli(['list']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/ES256 +signing .*\n.* ECDH-ES +encrypting .*\n.* RSA-OAEP-256 +encrypting /);
    const listed = JSON.parse((await cli(['list', '--json'])).stdout) as object[];
    expect(listed).toHaveLength(3);
    expect(JSON.stringify(listed)).not.toMatch(/privateKey|"d"/);
  });

  test('encryption keys rotate with the signing keys, and are revoked by their kid', async () => {
    const [{ kid } = {}] = await encryptionKeys(site);
    const { code, stdout } = await cli(['rotate', '--publish-ahead', '60', '--json']);
    // the command reports the signing key
    expect([code, (JSON.parse(stdout) as { algorithm: string }).algorithm]).toEqual([0, 'ES256']);
    expect((await cli(['list'])).stdout).toMatch(/ ECDH-ES +upcoming .*\n.* ECDH-ES +encrypting /);
    letPass(61);
    expect((await encryptionKeys(site)).map((each) => each.kid)).not.toContain(kid);
    expect((await cli(['list'])).stdout).toMatch(/ ECDH-ES +encrypting .*\n.* ECDH-ES +retired /);
    expect((await cli(['revoke', kid!])).code).toBe(0);
    expect((await cli(['list'])).stdout).not.toContain(kid);
  });

  test('doctor finds encryption keys in clear', async () => {
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    await using open = await openSite({ signedRequests: { encryption: true }, signingKeys: {} });
    expect(warn.mock.calls).toEqual([
      [expect.stringContaining('encryptionSecret'), { code: 'EAS_KEYS_IN_CLEAR' }],
    ]);
    warn.mockRestore();
    await fetchKeys(open);
    const { stdout } = await runCli(['doctor', '--json'], { uri: open.database.uri });
    expect(stdout).toContain('can read the requests that clients encrypt');
  });
});

describe('encryption keys of the host', () => {
  test("the first of the host's encryption keys of each kind is published, and all decrypt", async () => {
    const [first, second] = [await privateJwk('ECDH-ES'), await privateJwk('ECDH-ES', { crv: 'X25519' })];
    await using own = await openSite({
      signedRequests: {
        encryption: {
          keys: [
            { ...first, kid: 'first', use: 'enc' },
            { ...second, kid: 'second' },
          ],
        },
      },
      signingKeys: {},
    });
    const keys = await encryptionKeys(own);
    expect(keys.map(({ kid }) => kid)).toEqual(['first']);
    expect(keys[0]).not.toHaveProperty('d');
    const { body } = await request(own.server).get('/.well-known/oauth-authorization-server');
    expect(body).toMatchObject({
      jwks_uri: `${own.url}/oauth/jwks`,
      request_object_encryption_alg_values_supported: ['ECDH-ES', 'ECDH-ES+A128KW', 'ECDH-ES+A256KW'],
    });
    const client: ClientWithSecret = await own.client({ jwks: { keys: [key.publicJwk] }, trusted: true });
    const person = await logInPerson(own);
    const { d: _, ...publicJwk } = second;
    for (const jwk of [keys[0]!, { ...publicJwk, kid: 'second' }]) {
      const jwe = await encryptTo(own, await signRequest(own, client.clientId, key), { jwk });
      const response = await person.openAuthorize({ client_id: client.clientId, request: jwe });
      expect(locationOf(response).searchParams.get('code')).not.toBeNull();
    }
    expect(await own.database.collection('oauth_signing_keys').countDocuments()).toBe(0);
  });

  test('malformed encryption keys of the host are refused with the cure', async () => {
    const encryption = (keys: readonly PrivateJwk[]) => start({ signedRequests: { encryption: { keys } } });
    const right = await privateJwk('ECDH-ES');
    const small = (await import('node:crypto')).generateKeyPairSync('rsa', { modulusLength: 1024 });
    for (const [jwk, problem] of [
      [{ ...right, use: 'sig' }, /encryption\.keys\.0.* its use must be 'enc'/],
      [{ ...right, alg: 'ES256' }, /its alg must be ECDH-ES/],
      [await privateJwk('ECDH-ES', { crv: 'P-521' }), /must be a P-256 or X25519/],
      [await privateJwk('EdDSA'), /must be a P-256 or X25519/],
      [small.privateKey.export({ format: 'jwk' }), /2048 bits/],
      [{ kty: 'oct', k: 'AAAA' }, /must be a private JWK/],
    ] as [PrivateJwk, RegExp][])
      expect(encryption([jwk])).toThrow(problem);
    expect(encryption([])).toThrow(/at least one private JWK/);
    expect(
      encryption([
        { ...right, kid: 'a' },
        { ...right, kid: 'a' },
      ]),
    ).toThrow(/same kid/);
    const signing = hostKey().jwk as PrivateJwk;
    expect(
      start({
        signingKeys: { keys: [{ ...signing, kid: 'a' }] },
        signedRequests: { encryption: { keys: [{ ...right, kid: 'a' }] } },
      }),
    ).toThrow(/same kid/);
  });

  test('signing keys of the host require encryption keys, and none is made without a secret', () => {
    const signedRequests = { encryption: true };
    expect(start({ signingKeys: { keys: [hostKey().jwk as PrivateJwk] }, signedRequests })).toThrow(
      /signedRequests\.encryption: no key is made here.*write \{ keys/,
    );
    expect(start({ signedRequests, clientAuthentication: { secretKey: KEY_SECRET } })).toThrow(
      /signedRequests\.encryption: needs signingKeys\.encryptionSecret/,
    );
    expect(start({ signedRequests, signingKeys: { encryptionSecret: KEY_SECRET } })).not.toThrow();
    expect(start({ signedRequests: { encryption: 'yes' as never } })).toThrow(
      /encryption must be true, false or/,
    );
  });
});
