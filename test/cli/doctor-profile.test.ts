import { beforeAll, describe, expect, test } from '@jest/globals';

import type { Finding } from '../../lib/cli/doctor/finding.js';
import type { AuthorizationServerOptions } from '../../lib/index.js';
import { runCli } from '../support/cli.js';
import { createFapiClient } from '../support/fapi.js';
import { KEY_SECRET, openSite, type Site } from '../support/site.js';
import { siteFor } from '../support/site-for.js';

/** The findings of doctor at a site for a profile. */
async function findingsOf(site: Site, profile: string): Promise<Finding[]> {
  const args = ['doctor', '--json', '--issuer', site.url, '--profile', profile];
  const { stdout, stderr } = await runCli(args, { uri: site.database.uri });
  if (stdout === '') throw new Error(stderr);
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  return findings.filter(({ check }) => check.startsWith('profile.'));
}

const grantedAt = async (site: Site) =>
  (await findingsOf(site, 'fapi2')).filter(({ check }) => check === 'profile.held-client');

describe('doctor --profile', () => {
  const plain = siteFor({ grantTypes: ['authorization_code', 'implicit'] });
  beforeAll(async () => {
    await plain.client({ name: 'By its secret' });
    await plain.client({ name: 'Public', type: 'public' });
    await createFapiClient(plain, { name: 'Of the profile', grantTypes: ['authorization_code'] });
  });

  test('doctor --profile lists each requirement that a site does not meet, with the remedy', async () => {
    const findings = await findingsOf(plain, 'fapi2');
    const ofSite = findings.filter(({ check }) => check !== 'profile.client');
    for (const lack of [
      /grant_types_supported has implicit/,
      /neither dpop_signing_alg_values_supported nor/,
      /token_endpoint_auth_methods_supported has client_secret_basic, client_secret_post, none/,
      /response_types_supported has token/,
      /require_pushed_authorization_requests is not true/,
      /token_endpoint_auth_signing_alg_values_supported has ES384/,
    ])
      expect(ofSite.map(({ what }) => what)).toContainEqual(expect.stringMatching(lack));
    for (const { severity, why, cure } of ofSite)
      expect([severity, why, cure]).toEqual([
        'serious',
        expect.stringMatching(/^FAPI 2.0 Security Profile §5/),
        expect.stringContaining("profile: 'fapi2'"),
      ]);
  });

  test('doctor --profile lists the clients that could get no token, and no other', async () => {
    const named = (await findingsOf(plain, 'fapi2')).filter(({ check }) => check === 'profile.client');
    expect([...new Set(named.map(({ client }) => client?.name))].sort()).toEqual(['By its secret', 'Public']);
  });

  test.each<[string, Partial<AuthorizationServerOptions>, RegExp[]]>([
    ['fapi2', { profile: 'fapi2' }, []],
    ['fapi2-message-signing', { profile: 'fapi2-message-signing' }, []],
    [
      'fapi2-message-signing',
      { profile: 'fapi2' },
      [/require_signed_request_object is not true/, /response_modes_supported has no jwt/],
    ],
  ])('doctor --profile %s lists missing settings of a site with %j', async (profile, options, left) => {
    await using site = await openSite({ ...options, signingKeys: { encryptionSecret: KEY_SECRET } });
    const found = (await findingsOf(site, profile)).map(({ what }) => what);
    expect(found).toEqual(left.map((pattern) => expect.stringMatching(pattern)));
  });

  test('doctor --profile reports access tokens in addresses by the metadata of the API', async () => {
    await using open = await openSite({ guard: { bearerMethods: ['header', 'query'] } });
    const found = (await findingsOf(open, 'fapi2')).map(({ what }) => what);
    expect(found).toContainEqual(expect.stringMatching(/bearer_methods_supported has query/));
  });

  test('doctor reports clients whose profile a site no longer supports', async () => {
    const full = { pushedRequests: true, signedRequests: true, signedResponses: true, dpop: true };
    await using before = await openSite({ ...full, signingKeys: { encryptionSecret: KEY_SECRET } });
    await createFapiClient(before, { name: 'Bank', profile: 'fapi2-message-signing' });
    await before.client({ name: 'Shop' });
    expect((await grantedAt(before)).length).toBe(0);
    await using after = await openSite({ dpop: true, database: before.database, issuer: before.url });
    // doctor fetches the metadata from the present address of the site
    const args = ['doctor', '--json', '--issuer', after.url];
    const { stdout } = await runCli(args, { uri: before.database.uri });
    const { findings } = JSON.parse(stdout) as { findings: Finding[] };
    const named = findings.filter(({ check }) => check === 'profile.held-client');
    expect(named.map(({ what }) => what)).toEqual([
      expect.stringMatching(/Bank.*pushed_authorization_request_endpoint is not there/),
      expect.stringMatching(/Bank.*request_parameter_supported is not true/),
    ]);
  });

  test('doctor --profile refuses another profile', async () => {
    const { code, stderr } = await runCli(['doctor', '--profile', 'fapi1', '--issuer', plain.url], {
      uri: plain.database.uri,
    });
    expect(code).not.toBe(0);
    expect(stderr).toContain('fapi2, fapi2-message-signing');
  });
});
