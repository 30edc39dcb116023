import { beforeAll, describe, expect, test } from '@jest/globals';

import { runCli } from '../support/cli.js';
import { openSite } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import { obtainTokens, tokenRequest } from '../support/tokens.js';

const run = (...args: string[]) => runCli(['audit', 'export', ...args], { uri: site.database.uri });
const linesOf = (stdout: string) =>
  stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const site = siteFor({ audit: { ttl: 3600 } });
const client = fixture(() => site.client());

beforeAll(async () => {
  await obtainTokens(site, client);
  const other = await site.client();
  await tokenRequest(site, other, { grant_type: 'client_credentials' });
  await obtainTokens(site, other, { as: 'grace' });
  await site.oauth.audit.find();
});

describe('audit export', () => {
  test('audit export prints one line of JSON for each entry, the oldest first', async () => {
    const { code, stdout, stderr } = await run();
    const entries = linesOf(stdout);
    const times = entries.map(({ time }) => String(time));
    expect(code).toBe(0);
    expect(times).toEqual([...times].sort());
    expect(entries[0]).toEqual({ type: 'client.created', clientId: client.clientId, time: times[0] });
    expect(entries).toHaveLength(await site.database.collection('oauth_audit').countDocuments());
    expect(stderr).toBe(`note: ${entries.length} entries\n`);
    expect(stdout).not.toContain('expiresAt');
  });

  test('audit export filters by user and client', async () => {
    const whose = ['--user', 'ada', '--client', client.clientId];
    const ofBoth = linesOf((await run(...whose)).stdout);
    expect(ofBoth.map(({ type }) => type)).toEqual(['consent.given', 'code.issued', 'token.issued']);
  });

  test('audit export filters by time', async () => {
    const all = linesOf((await run()).stdout);
    const middle = String(all[2]!.time);
    const before = linesOf((await run('--until', middle)).stdout);
    const after = linesOf((await run('--since', middle)).stdout);
    expect([...before, ...after]).toEqual(all);
    expect(before.every(({ time }) => String(time) < middle)).toBe(true);
    expect(linesOf((await run('--since', middle, '--until', middle)).stdout)).toEqual([]);
  });

  test('audit export prints each of many entries once, also those of one moment', async () => {
    await using many = await openSite({ audit: { ttl: 3600 } });
    const time = new Date();
    const entries = Array.from({ length: 1203 }, (_, index) => ({
      type: 'login.failed',
      time: new Date(time.getTime() + Math.floor(index / 700)),
      expiresAt: new Date(time.getTime() + 3_600_000),
      count: index,
    }));
    await many.database.collection('oauth_audit').insertMany(entries);
    const { stdout } = await runCli(['audit', 'export'], { uri: many.database.uri });
    expect(linesOf(stdout).map(({ count }) => count)).toEqual(entries.map(({ count }) => count));
  });

  test.each([
    [['--since', 'yesterday'], 'Write it as 2026-01-31 or 2026-01-31T12:00:00Z.'],
    [['--since', '2026-13-45'], 'Write it as 2026-01-31 or 2026-01-31T12:00:00Z.'],
  ])('audit export refuses %j with a remedy', async (args, cure) => {
    const { code, stdout, stderr } = await run(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(cure);
  });

  test('audit export without matching entries is no error', async () => {
    expect(await run('--user', 'nobody')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'note: nothing fits; is the option audit on?\n',
    });
  });

  test('audit.find refuses text as a time', async () => {
    await expect(site.oauth.audit.find({ userId: 'ada', until: 'now' as never })).rejects.toThrow('a Date');
  });
});
