import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';

import { describe, expect, test } from '@jest/globals';

import { type CliResult } from '../support/cli.js';
import {} from '../support/site.js';
import { siteFor } from '../support/site-for.js';
import { tokenRequest } from '../support/tokens.js';

/** The command as npm installs it; what it does is in test/cli. */
describe('express-authorization-server, a process of its own', () => {
  const site = siteFor();

  function run(args: readonly string[], { input = '' } = {}): Promise<CliResult> {
    const { NODE_OPTIONS: _jest, ...inherited } = process.env;
    const main = resolve(import.meta.dirname, '../../dist/cli/main.cjs');
    const child = spawn(process.execPath, [main, ...args], {
      env: { ...inherited, MONGODB_URI: site.database.uri, FORCE_COLOR: '1' },
      timeout: 600_000,
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.stdin.end(input);
    return new Promise((done, fail) => {
      child.on('error', fail);
      child.on('close', (code) => done({ code, stdout, stderr }));
    });
  }

  test('takes its arguments, its environment and standard input, and answers by its streams and exit code', async () => {
    const secret = 'a secret of long ago';
    const created = await run(
      ['clients', 'create', '--name', 'Old', '--id', 'old', '--secret-stdin', '--json'].concat(
        '--grant-types',
        'client_credentials',
      ),
      { input: `${secret}\n` },
    );
    expect(created).toMatchObject({ code: 0, stderr: expect.stringContaining('no scope') });
    expect(JSON.parse(created.stdout)).toMatchObject({ clientId: 'old' });
    const client = { ...(await site.client()), clientId: 'old', clientSecret: secret };
    expect((await tokenRequest(site, client, { grant_type: 'client_credentials' })).status).toBe(200);
    expect(await run(['clients', 'show', 'nope'])).toMatchObject({ code: 1, stdout: '' });
    expect(await run(['clients', 'lsit'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('Did you mean list'),
    });
  });

  test('knows its version, wherever the build has put it', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
    expect(await run(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  test('no colours in a pipe, whatever the environment says', async () => {
    const { code, stdout } = await run(['clients', 'list']);
    expect([code, stdout.includes('\u001b')]).toEqual([0, false]);
  });
});
