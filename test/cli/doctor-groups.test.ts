import { beforeAll, describe, expect, test } from '@jest/globals';

import { groupFindings } from '../../lib/cli/doctor/groups.js';
import { runCli } from '../support/cli.js';
import { siteFor } from '../support/site-for.js';

describe('doctor with the same finding of several clients', () => {
  const site = siteFor();
  beforeAll(async () => {
    for (const clientId of ['first', 'second', 'third'])
      await site.client({ clientId, name: `The ${clientId}` });
    const clients = site.database.collection<{ _id: string }>('oauth_clients');
    await clients.updateMany({}, { $set: { grantTypes: ['implicit'] } });
    await clients.updateOne({ _id: 'first' }, { $set: { redirectUris: ['http://first.example/cb'] } });
    await clients.updateOne(
      { _id: 'second' },
      { $set: { redirectUris: ['http://second.example/cb'], name: 'moves\u001b[2J' } },
    );
  });

  test('doctor prints the same finding once, with all its clients', async () => {
    const { code, stdout } = await runCli(['doctor'], { uri: site.database.uri });
    expect(code).toBe(1);
    expect(stdout).toContain(
      `warning  each of 3 clients may use the grant type implicit:  [client.implicit]
         first (The first), second (moves?[2J), third (The third)
         Its tokens are in URLs, which end up in histories and logs (RFC 9700 §2.1.2).
         → Move it to authorization_code with PKCE, then clients update <client id> --grant-types authorization_code refresh_token
`,
    );
    expect(stdout.match(/Its tokens are in URLs/g)).toHaveLength(1);
    // differences are printed for each client, the reason and the remedy only once
    expect(stdout).toMatch(/client first \(The first\) has the redirect URI http:\/\/first\.example\/cb: /);
    expect(stdout).toMatch(
      /client second \(moves\?\[2J\) has the redirect URI http:\/\/second\.example\/cb: /,
    );
    expect(stdout.match(/Codes go there/g)).toHaveLength(1);
    expect(stdout).toContain('→ clients update <client id> --redirect-uri https://…');
    expect(stdout).toMatch(/^2 serious, \d+ warnings, /m);
    expect(stdout).not.toContain('\u001b');
  });

  test('doctor --json prints each finding with its client', async () => {
    const { stdout } = await runCli(['doctor', '--json'], { uri: site.database.uri });
    const { findings } = JSON.parse(stdout) as {
      findings: { check: string; client?: { clientId: string } }[];
    };
    const implicit = findings.filter(({ check }) => check === 'client.implicit');
    expect(implicit.map(({ client }) => client?.clientId)).toEqual(['first', 'second', 'third']);
    expect(implicit[0]).toMatchObject({
      what: 'client first (The first) may use the grant type implicit',
      cure: expect.stringContaining('clients update first'),
    });
  });

  test('doctor prints some of a thousand clients and counts the others', () => {
    const of = (number: number) => ({
      severity: 'warning' as const,
      check: 'client.x',
      what: `client c${number} (C) is wrong`,
      about: 'is wrong',
      client: { clientId: `c${number}`, name: 'C' },
      why: 'Because.',
      cure: `mend c${number}`,
    });
    const ofSite = { severity: 'note' as const, check: 'site', what: 'w', why: 'y', cure: 'c' };
    const groups = groupFindings([
      ofSite,
      ...Array.from({ length: 1000 }, (_, number) => of(number)),
      ofSite,
      { ...of(1), why: 'Another.' },
    ]);
    expect(groups.map(({ check, what }) => [check, what.length])).toEqual([
      ['site', 1],
      ['client.x', 2],
      ['site', 1],
      ['client.x', 1],
    ]);
    expect(groups[1]!.what[0]).toBe('each of 1000 clients is wrong:');
    expect(groups[1]!.what[1]).toMatch(/^c0 \(C\), .*, c19 \(C\) and 980 more$/);
    expect(groups[1]!.cure).toBe('mend <client id>');
    expect(groups[3]).toMatchObject({ what: ['client c1 (C) is wrong'], cure: 'mend c1' });
  });
});
