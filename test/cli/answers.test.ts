import { readFileSync } from 'node:fs';

import { describe, expect, test } from '@jest/globals';

import { formatJson } from '../../lib/cli/output.js';
import { type CliOptions, runCli } from '../support/cli.js';
import { exitWith } from '../support/refusal.js';
import { openSite } from '../support/site.js';
import { siteFor } from '../support/site-for.js';
import { obtainTokens } from '../support/tokens.js';

const CREATE = ['clients', 'create', '--name', 'Shop', '--redirect-uri', 'https://shop.example/cb'];

describe('the output of the command line', () => {
  const cli = (args: readonly string[], options: CliOptions = {}) =>
    runCli(args, { uri: site.database.uri, ...options });
  const site = siteFor();

  test('--version prints the version of the package', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(await runCli(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  test.each([
    ['of a command', ['clients', 'show', 'nope'], 1, 'there is no client nope'],
    ['of an option', ['clients', 'list', '--jsno'], 2, "unknown option '--jsno'\n(Did you mean --json?)"],
    ['of a value', [...CREATE, '--type', 'secret'], 2, 'Allowed choices are confidential, public'],
    ['of the database', ['clients', 'list', '--mongodb-uri', 'nonsense'], 2, 'this is no MongoDB URI'],
  ])('with --json an error is JSON: %s', async (_title, args, exitCode, message) => {
    const { code, stdout, stderr } = await cli([...args, '--json']);
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
    expect(JSON.parse(stderr)).toEqual({
      error: {
        message: expect.stringContaining(message),
        exitCode,
        ...('cure' in JSON.parse(stderr).error && { cure: expect.any(String) }),
      },
    });
  });

  test.each([
    ['bogus', /There is no grant type bogus\n/],
    ['authorisation_code', /did you mean 'authorization_code'\?/],
    ['client_credential', /did you mean 'client_credentials'\?/],
  ])('the unknown grant type %s is refused, with the right spelling', async (name, terms) => {
    const refused = await cli([...CREATE, '--grant-types', 'authorization_code', name]);
    expect(refused).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(terms) });
    expect(refused.stderr).toContain('--issuer');
    const { clientId } = await site.client();
    expect(await cli(['clients', 'update', clientId, '--grant-types', name])).toMatchObject({ code: 2 });
  });

  test('the URI of an extension grant, and a grant type that the client has, are accepted', async () => {
    const uri = 'urn:example:grant-type:gift-card';
    const { code, stdout } = await cli([...CREATE, '--grant-types', 'authorization_code', uri, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ grantTypes: ['authorization_code', uri] });
    const { clientId } = await site.client();
    await site.database.update('oauth_clients', clientId, { $set: { grantTypes: ['of-their-own'] } });
    expect(
      (await cli(['clients', 'update', clientId, '--grant-types', 'of-their-own', 'client_credentials']))
        .code,
    ).toBe(0);
  });

  test('all invalid redirect URIs appear in one error', async () => {
    const bad = ['http://shop.example/cb', 'https://shop.example/#x', 'nonsense'];
    const { code, stderr } = await cli([...CREATE, ...bad.flatMap((uri) => ['--redirect-uri', uri])]);
    expect(code).toBe(2);
    expect(stderr).toContain('3 redirect URIs cannot be registered');
    for (const uri of bad) expect(stderr).toContain(`\n  ${uri}: `);
  });

  test('clients show says whether a client is verified and whether it registered itself', async () => {
    await using open = await openSite({ registration: { open: true } });
    const show = async (id: string) =>
      (await runCli(['clients', 'show', id], { uri: open.database.uri })).stdout;
    const registered = await fetch(`${open.url}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: ['https://app.example/cb'] }),
    });
    const { client_id: id } = (await registered.json()) as { client_id: string };
    expect(await show(id)).toMatch(/^verified +no$/m);
    expect(await show(id)).toMatch(/^registered by +itself/m);
    await open.oauth.clients.update(id, { verified: true });
    expect(await show(id)).toMatch(/^verified +yes$/m);
    const { clientId } = await open.client();
    expect(await show(clientId)).not.toContain('registered by');
    await open.oauth.clients.update(clientId, { trusted: true });
    expect(await show(clientId)).toMatch(/^verified +yes, as it is trusted$/m);
  });

  test('grants list shows users, clients, scopes and times, and no token', async () => {
    const client = await site.client();
    const tokens = await obtainTokens(site, client);
    await obtainTokens(site, client, { as: 'grace' });
    const list = async (...args: string[]) => {
      const { code, stdout } = await cli(['grants', 'list', ...args, '--json']);
      expect(code).toBe(0);
      return JSON.parse(stdout) as { userId?: string; clientId: string }[];
    };
    expect((await list('--client', client.clientId)).map(({ userId }) => userId)).toEqual(['grace', 'ada']);
    expect(await list('--user', 'ada', '--client', client.clientId)).toEqual([
      {
        grantId: expect.any(String),
        clientId: client.clientId,
        userId: 'ada',
        grantType: 'authorization_code',
        scopes: expect.any(Array),
        createdAt: expect.any(String),
        renewedAt: expect.any(String),
        expiresAt: expect.any(String),
      },
    ]);
    const table = await cli(['grants', 'list', '--client', client.clientId, '--limit', '1']);
    expect(table.stdout).toMatch(/^USER +CLIENT ID +GRANT TYPE +SCOPES +SINCE +LAST TOKENS\ngrace /);
    expect(table.stdout).toMatch(/ UTC$/m);
    expect(table.stderr).toContain('there are more');
    for (const secret of [tokens.access_token, tokens.refresh_token])
      expect(table.stdout).not.toContain(secret);

    await cli(['grants', 'revoke', '--user', 'ada', '--client', client.clientId]);
    expect(await list('--user', 'ada', '--client', client.clientId)).toEqual([]);
    expect((await cli(['grants', 'list', '--user', 'nobody'])).stdout).toBe('Nothing is granted.\n');
    expect(await cli(['grants', 'list'])).toMatchObject(exitWith(2, 'whose grants'));
  });

  test('a table wider than the terminal becomes a list, and in a pipe stays a table', async () => {
    const narrow = await cli(['clients', 'list'], { isTerminal: true, columns: 80, env: { NO_COLOR: '1' } });
    expect(narrow.stdout).toMatch(/^client id +\S+\nname +/);
    expect(narrow.stdout).not.toContain('CLIENT ID');
    const wide = await cli(['clients', 'list'], { isTerminal: true, columns: 400, env: { NO_COLOR: '1' } });
    for (const { stdout } of [wide, await cli(['clients', 'list'])])
      expect(stdout).toMatch(/^CLIENT ID +NAME/);
  });

  test('durations appear in the largest fitting unit', async () => {
    const { clientId } = await site.client();
    for (const [seconds, terms] of [
      ['86400', '1 day'],
      ['7200', '2 hours'],
      ['90', '90 seconds'],
    ] as const) {
      const { stderr } = await cli(['clients', 'rotate-secret', clientId, '--overlap', seconds]);
      expect(stderr).toContain(`the old secret works ${terms} more`);
    }
  });
});

test('JSON output escapes characters that control a terminal or are invisible', () => {
  const value = { name: 'a\u202eb\u009bc\u{e0001}d', text: 'plain "é" 🖼' };
  const written = formatJson(value);
  expect(written).not.toMatch(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/u);
  expect(written).toContain('plain \\"é\\" 🖼');
  expect(JSON.parse(written)).toEqual(value);
});
