import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';

import { createUsers } from '../../lib/index.js';
import { findFreePorts } from '../interop/support/example.js';
import { createVisitor } from '../package/visitor.js';
import { openDatabase } from '../support/database.js';
import { fixture } from '../support/site-for.js';
import { fileText, register, root, shellBlock } from './blocks.js';

const hasBash = spawnSync('bash', ['-c', 'openssl version']).status === 0;
const testWithBash = hasBash ? test : test.skip;
const password = 'correct horse battery';
/** The packages that the commands of README.md install. */
const INSTALLED = [
  'express',
  'express-session',
  'connect-mongo',
  'mongoose',
  'passport',
  'openid-client',
  'typescript',
  '@types',
];
/** `npx express-authorization-server` is the command line of this tree, and the password comes by standard input. */
const NPX = `npx() { shift; [ "$1" = users ] && set -- "$@" --password-stdin; echo '${password}' | node ${join(root, 'dist/cli/main.cjs')} "$@"; }`;

describe('the first screen of README.md', () => {
  let folder: string;
  const running: ChildProcess[] = [];

  const database = fixture(() => openDatabase());
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'readme-'));
    await mkdir(join(folder, 'node_modules'));
    for (const name of INSTALLED)
      await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));
    await symlink(root, join(folder, 'node_modules', 'express-authorization-server'));
  });
  afterEach(async () => {
    for (const child of running.splice(0)) {
      const ended = once(child, 'exit');
      if (child.kill()) await ended;
    }
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  const environment = () => {
    const { NODE_OPTIONS: _jest, ...inherited } = process.env;
    return { ...inherited, MONGODB_URI: database.uri, SESSION_SECRET: 'of the test' };
  };
  async function shell(script: string): Promise<string> {
    const { stdout } = await promisify(execFile)('bash', ['-euc', `${NPX}\n${script}`], {
      cwd: folder,
      env: environment(),
    });
    return stdout;
  }
  /** Starts a program, and returns its first output. */
  async function start(
    args: readonly string[],
    more: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const child = spawn(process.execPath, args, {
      cwd: folder,
      env: { ...environment(), ...more },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    running.push(child);
    const [chunk] = (await Promise.race([
      once(child.stdout, 'data'),
      once(child, 'exit').then(() => Promise.reject(new Error(`${args.join(' ')} has ended`))),
    ])) as [Buffer];
    return chunk.toString();
  }

  testWithBash(
    'the commands and the program of README.md, unchanged, end with a token and a response of the API',
    async () => {
      const [port, clientPort] = (await findFreePorts(2)).map(String) as [string, string];
      const here = (text: string) => text.replaceAll('3000', port).replaceAll('4000', clientPort);
      const [create, install] = shellBlock('npm init -y').split('\n');
      expect([create, install]).toEqual([
        'npm init -y',
        expect.stringMatching(/^npm install express-authoriz/),
      ]);
      // npm 11 writes "type": "commonjs"
      await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'commonjs', dependencies: {} }));
      await shell('npx express-authorization-server init');
      expect(await readdir(folder)).toEqual(expect.arrayContaining(['oauth.js', 'app.js']));
      const [environmentLine = '', ...commands] = shellBlock('users create --username ada\n')
        .trim()
        .split('\n');
      expect(environmentLine).toMatch(/^export ISSUER=http:\/\/localhost:3000 MONGODB_URI=/);
      expect(commands.pop()).toBe('node app.js');
      await shell(here(commands.join('\n')));
      const printed = await start(['app.js'], { PORT: port, ISSUER: `http://localhost:${port}` });
      expect(printed).toContain(`Your API:                http://localhost:${port}/api/me`);
      await writeFile(join(folder, 'client.mjs'), here(fileText('client.mjs')));
      const [, link = ''] = /^Open (\S+)/.exec(await start(['client.mjs'])) ?? [];

      const visitor = createVisitor();
      const login = await visitor.open(link);
      const consent = await visitor.submit(login, { username: 'ada', password }, 'login-form');
      const back = await visitor.submit(consent, { decision: 'allow' }, 'consent-form');
      const ada = await createUsers(database.connection).verify('ada', password);
      expect(JSON.parse(back.text)).toEqual({ userId: ada?.id });
    },
  );

  test('the site of README.md in TypeScript passes tsc --strict, starts, and accepts a token', async () => {
    const [port] = (await findFreePorts(1)) as [number];
    const site = await mkdtemp(join(folder, 'site-'));
    await writeFile(join(site, 'package.json'), JSON.stringify({ type: 'module' }));
    await writeFile(join(site, 'site.ts'), fileText('site.ts').replaceAll('3000', String(port)));
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const options =
      '--strict --verbatimModuleSyntax --skipLibCheck --module nodenext --target es2023 --noEmit';
    const compiled = spawnSync(
      process.execPath,
      [compiler, ...options.split(' '), '--types', 'node', 'site.ts'],
      { cwd: site, encoding: 'utf8' },
    );
    expect([compiled.status, compiled.stdout]).toEqual([0, '']);

    const users = createUsers(database.connection);
    const grace = await users.create({ username: 'grace', password });
    const loader = pathToFileURL(join(root, 'node_modules/tsx/dist/esm/index.mjs')).href;
    const child = spawn(process.execPath, ['--import', loader, join(site, 'site.ts')], {
      cwd: site,
      env: environment(),
      stdio: 'inherit',
    });
    running.push(child);
    const url = `http://localhost:${port}`;
    await untilAnswers(url, child);
    const callback = 'http://localhost:9/callback';
    const visitor = createVisitor({ stopAt: callback });
    const login = await visitor.open(`${url}/oauth/applications/new`);
    const form = await visitor.submit(login, { username: 'grace', password }, 'login-form');
    const { clientId, clientSecret } = await register(visitor, form, callback);
    const request = `${url}/oauth/authorize?response_type=code&client_id=${clientId}`;
    const back = await visitor.submit(await visitor.open(request), { decision: 'allow' }, 'consent-form');
    const answer = await fetch(`${url}/oauth/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: back.url.searchParams.get('code') ?? '',
      }),
    });
    const { access_token: token } = (await answer.json()) as { access_token: string };
    const api = await fetch(`${url}/api/photos`, { headers: { Authorization: `Bearer ${token}` } });
    expect(await api.json()).toEqual({ photosOf: grace.id });
  });
});

async function untilAnswers(url: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const isThere = await fetch(url).then(
      () => true,
      () => false,
    );
    if (isThere) return;
  }
  throw new Error(`the site has ended with ${child.exitCode}`);
}
