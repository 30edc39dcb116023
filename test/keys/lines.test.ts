import { describe, expect, test } from '@jest/globals';

import type { AuthorizationServer } from '../../lib/index.js';
import { runCli } from '../support/cli.js';
import { openDatabase } from '../support/database.js';
import { fetchKeys } from '../support/jwt.js';
import { openid } from '../support/openid.js';
import { KEY_SECRET, openSite } from '../support/site.js';
import { siteFor } from '../support/site-for.js';
import { obtainTokens } from '../support/tokens.js';

const site = siteFor({ openid, tokens: { accessTokenFormat: 'jwt' } });

const algOf = (jwt: string) => (JSON.parse(atob(jwt.split('.')[0]!)) as { alg: string }).alg;
const kinds = (keys: Awaited<ReturnType<AuthorizationServer['keys']['list']>>) =>
  keys.map(({ algorithm, status }) => `${algorithm} ${status}`);

describe('additional signing keys for another algorithm', () => {
  test('access tokens and ID tokens are signed by keys of different algorithms', async () => {
    const tokens = await obtainTokens(site, await site.client(), { query: { scope: 'openid' } });
    expect([algOf(tokens.access_token), algOf(tokens.id_token)]).toEqual(['ES256', 'RS256']);
  });

  test('processes that begin at the same moment make one key of each algorithm', async () => {
    await using database = await openDatabase();
    const sites = await Promise.all([1, 2, 3].map(() => openSite({ openid, database, issuer: site.url })));
    await Promise.all(sites.map(fetchKeys));
    for (const each of sites)
      expect((await each.oauth.keys.list()).map(({ algorithm }) => algorithm)).toEqual(['ES256', 'RS256']);
    await Promise.all(sites.map((each) => each.close()));
  });

  test('keys of all algorithms rotate together, and a revoked one is replaced', async () => {
    const before = await site.oauth.keys.list();
    expect(kinds(before)).toEqual(['ES256 signing', 'RS256 signing']);
    await site.oauth.keys.rotate();
    const rotated = await site.oauth.keys.list();
    expect(kinds(rotated)).toEqual(['ES256 upcoming', 'ES256 signing', 'RS256 upcoming', 'RS256 signing']);
    await site.oauth.keys.rotate();
    expect((await site.oauth.keys.list()).length).toBe(4);
    await site.oauth.keys.revoke(before.find(({ algorithm }) => algorithm === 'RS256')!.kid);
    expect(kinds(await site.oauth.keys.list())).toEqual(['ES256 upcoming', 'ES256 signing', 'RS256 signing']);
    for (const { kid, algorithm } of await site.oauth.keys.list())
      if (algorithm === 'RS256') await site.oauth.keys.revoke(kid);
    expect(kinds(await site.oauth.keys.list())).toContain('RS256 signing');
  });

  test('keys rotate on the command line rotates the keys of all algorithms', async () => {
    await using other = await openSite({ openid });
    await fetchKeys(other);
    const { code, stdout } = await runCli(['keys', 'rotate', '--json'], {
      uri: other.database.uri,
      env: { KEY_SECRET },
    });
    expect([code, (JSON.parse(stdout) as { algorithm: string }).algorithm]).toEqual([0, 'ES256']);
    expect(kinds(await other.oauth.keys.list())).toEqual([
      'ES256 upcoming',
      'ES256 signing',
      'RS256 upcoming',
      'RS256 signing',
    ]);
  });
});
