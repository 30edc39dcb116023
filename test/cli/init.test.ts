import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { runCli } from '../support/cli.js';

/** That what it writes starts and passes tsc is in test/bin. */
describe('express-authorization-server init', () => {
  let folder: string;
  beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'init-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  test('a file that is there is not overwritten without --force', async () => {
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    await writeFile(join(folder, 'oauth.js'), 'precious');
    expect(await runCli(['init'], { cwd: folder })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('--force'),
    });
    expect(await readFile(join(folder, 'oauth.js'), 'utf8')).toBe('precious');
    expect((await runCli(['init', '--force'], { cwd: folder })).code).toBe(0);
    expect(await readFile(join(folder, 'oauth.js'), 'utf8')).toContain('mountOAuth');
  });

  test('no package.json, and a login path that is none: nothing is written', async () => {
    expect(await runCli(['init'], { cwd: folder })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('npm init'),
    });
    await writeFile(join(folder, 'package.json'), '{}');
    expect(await runCli(['init', '--login', "//evil.example'"], { cwd: folder })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--login /login'),
    });
    expect(await readdir(folder)).toEqual(['package.json']);
  });
});
