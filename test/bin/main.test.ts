import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';

import { describe, expect, test } from '@jest/globals';

import { type CliResult } from '../support/cli.js';
import { exitWith } from '../support/refusal.js';
import {} from '../support/site.js';
import { siteFor } from '../support/site-for.js';
import { tokenRequest } from '../support/tokens.js';

/** The command as npm installs it; test/cli tests its functions. */
describe('express-authorization-server as a process', () => {
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

  test('the command reads arguments, environment and standard input, and exits with a code', async () => {
    const secret = 'a secret of long ago';
    const created = await run(
      ['clients', 'create', '--name', 'Old', '--id', 'old', '--secret-stdin', '--json'].concat(
        '--grant-types',
        'client_credentials',
      ),
      { input: `${secret}\n` },
    );
    expect(created).toMatchObject(exitWith(0, 'no scope'));
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

  test('the built command prints its version', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
    expect(await run(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  test('the command prints no colours in a pipe', async () => {
    const { code, stdout } = await run(['clients', 'list']);
    expect([code, stdout.includes('\u001b')]).toEqual([0, false]);
  });
});
