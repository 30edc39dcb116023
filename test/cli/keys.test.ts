import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { type CliResult, runCli } from '../support/cli.js';
import { letPass } from '../support/clock.js';
import { verifyByKeys } from '../support/jwt.js';
import { openSite, type Site } from '../support/site.js';
import { callApi, tokenRequest } from '../support/tokens.js';

const SECRET = 'a secret that private keys are encrypted with';
const PUBLISH_AHEAD = 60;

describe('express-authorization-server keys', () => {
  let site: Site;
  const cli = (args: string[], env: Record<string, string> = { KEY_SECRET: SECRET }): Promise<CliResult> =>
    runCli(['keys', ...args], { uri: site.database.uri, env });
  const open = async () => {
    site = await openSite({
      tokens: { accessTokenFormat: 'jwt' },
      signingKeys: { publishAhead: PUBLISH_AHEAD, encryptionSecret: SECRET },
    });
  };
  const tokenOf = async () =>
    String(
      (await tokenRequest(site, await site.client(), { grant_type: 'client_credentials', scope: 'profile' }))
        .body.access_token,
    );

  beforeEach(() => open());
  afterEach(() => site.close());

  test('keys list without a key says so and makes none, and keys rotate exits with 1', async () => {
    const { code, stdout } = await cli(['list']);
    expect([code, stdout]).toEqual([
      0,
      'There is no key yet: the site makes its first one when it needs it.\n',
    ]);
    expect((await cli(['rotate'])).code).toBe(1);
    expect(await site.database.collection('oauth_signing_keys').countDocuments()).toBe(0);
  });

  test('keys rotate lets the site sign with the new key later, and old tokens stay valid', async () => {
    const before = await tokenOf();
    const { code, stdout } = await cli([
      'rotate',
      '--json',
      '--publish-ahead',
      String(PUBLISH_AHEAD),
      '--algorithm',
      'EdDSA',
    ]);
    expect(code).toBe(0);
    const next = JSON.parse(stdout);
    expect(next).toMatchObject({ algorithm: 'EdDSA', status: 'upcoming' });
    letPass(PUBLISH_AHEAD + 1);
    const token = await tokenOf();
    expect((await verifyByKeys(site, token, site.url)).header).toMatchObject({ kid: next.kid, alg: 'EdDSA' });
    for (const each of [before, token]) {
      expect((await callApi(site, each)).status).toBe(200);
      await verifyByKeys(site, each, site.url);
    }
    const listed = await cli(['list']);
    expect(listed.stdout).toMatch(
      /^KEY +ALGORITHM +STATUS +FROM +UNTIL\n.* EdDSA +signing .*\n.* ES256 +retired /,
    );
  });

  test('keys rotate returns a key that still waits', async () => {
    await tokenOf();
    const first = JSON.parse((await cli(['rotate', '--json'])).stdout);
    expect(JSON.parse((await cli(['rotate', '--json'])).stdout).kid).toBe(first.kid);
    expect(await fetchKeysStored()).toBe(2);
  });

  test('keys list and keys rotate print nothing private', async () => {
    await tokenOf();
    for (const args of [['list', '--json'], ['rotate', '--json'], ['list']])
      expect((await cli(args)).stdout).not.toMatch(/privateKey|"d"|publicKey/);
  });

  test('keys rotate needs the secret of the site', async () => {
    await tokenOf();
    for (const env of [{}, { KEY_SECRET: 'another secret than the one of the site' }] as Record<
      string,
      string
    >[]) {
      const { code, stderr } = await cli(['rotate'], env);
      expect([code, stderr.includes('signingKeys.encryptionSecret')]).toEqual([2, true]);
      expect(stderr).not.toContain(SECRET);
    }
    expect(await fetchKeysStored()).toBe(1);
    expect((await cli(['rotate'], { KEY_SECRET: SECRET })).code).toBe(0);
    // the site can read the new key
    expect((await callApi(site, await tokenOf())).status).toBe(200);
    expect(await fetchKeysStored()).toBe(2);
  });

  test.each([
    ['--publish-ahead', 'soon'],
    ['--publish-ahead', '-1'],
    ['--longest-token', '0'],
    ['--algorithm', 'HS256'],
  ])('keys rotate refuses %s %s', async (...args) => {
    expect((await cli(['rotate', ...args])).code).toBe(2);
  });

  const fetchKeysStored = () => site.database.collection('oauth_signing_keys').countDocuments();
});
