import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { afterAll, afterEach, describe, expect, test } from '@jest/globals';

import { createHttpBrowser } from '../interop/support/http-browser.js';
import { runCli } from '../support/cli.js';
import { openDatabase } from '../support/database.js';
import { fixture } from '../support/site-for.js';

const ROOT = resolve(import.meta.dirname, '../..');
const PORT = 'server.address().port';

describe('the files of init', () => {
  const folders: string[] = [];
  let running: ChildProcess | undefined;

  const database = fixture(() => openDatabase());
  afterEach(() => void running?.kill());
  afterAll(async () => {
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
  });

  /** A project with all packages, including this one as npm would install it. */
  async function makeProject(manifest: object, files: Record<string, string> = {}): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'init-'));
    folders.push(folder);
    await mkdir(join(folder, 'node_modules'));
    for (const name of [
      'express',
      'mongoose',
      'passport',
      'express-session',
      'connect-mongo',
      '@types',
      'typescript',
    ])
      await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
    await symlink(ROOT, join(folder, 'node_modules', 'express-authorization-server'));
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    return folder;
  }

  /** Starts the app, and returns the address in its output. */
  async function start(folder: string, args: string[]): Promise<string> {
    const { NODE_OPTIONS: _jest, ...inherited } = process.env;
    const child = spawn(process.execPath, args, {
      cwd: folder,
      env: {
        ...inherited,
        MONGODB_URI: database.uri,
        SESSION_SECRET: 'of the test',
        ISSUER: 'http://localhost:3000',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running = child;
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    const [chunk] = (await Promise.race([
      once(child.stdout, 'data'),
      once(child, 'exit').then(() => Promise.reject(new Error(errors))),
    ])) as [Buffer];
    return chunk.toString().trim();
  }

  async function expectServer(url: string): Promise<void> {
    const metadata = await (await fetch(`${url}/.well-known/oauth-authorization-server`)).json();
    expect(metadata).toMatchObject({ issuer: 'http://localhost:3000', scopes_supported: ['profile'] });
  }

  const APP = `const app = express();
mountOAuth(app);
const server = app.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + ${PORT}));`;

  test('init in an ES module project writes a file that starts, with a login page', async () => {
    const folder = await makeProject(
      { type: 'module', dependencies: { express: '5' } },
      { 'app.js': `import express from 'express';\nimport { mountOAuth } from './oauth.js';\n${APP}` },
    );
    const { code, stdout } = await runCli(['init'], { cwd: folder });
    expect(code).toBe(0);
    expect(stdout).toContain('Wrote oauth.js');
    expect(stdout).toContain(
      'npm install express-authorization-server mongoose passport express-session connect-mongo',
    );
    expect(stdout).toContain('import { mountOAuth, oauth }');
    const url = await start(folder, ['app.js']);
    await expectServer(url);
    const login = await fetch(`${url}/login`);
    expect(login.status).toBe(200);
    expect(login.headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Lax/);
    // the printed steps end at a login that somebody can use
    expect(stdout).toContain('npx express-authorization-server users create --username you');
    expect(stdout).toContain('app.use(oauth.errorHandler)');
    const made = await runCli(['users', 'create', '--username', 'you', '--password-stdin'], {
      uri: database.uri,
      input: 'correct-horse-battery',
    });
    expect(made.code).toBe(0);
    const browser = createHttpBrowser();
    const form = await browser.open(`${url}/login?return_to=/after`);
    const fields = { username: 'you', password: 'correct-horse-battery' };
    expect((await browser.submit(form, 'login-form', { fields })).url.pathname).toBe('/after');
  });

  test('init in a CommonJS project writes a file that starts', async () => {
    const folder = await makeProject(
      { dependencies: { express: '5' } },
      {
        'app.js': `const express = require('express');\nconst { mountOAuth } = require('./oauth.js');\n${APP}`,
      },
    );
    const { stdout } = await runCli(['init', '--json'], { cwd: folder });
    expect(JSON.parse(stdout)).toMatchObject({
      file: 'oauth.js',
      module: 'commonjs',
      language: 'javascript',
      missing: expect.arrayContaining(['mongoose']),
    });
    await expectServer(await start(folder, ['--disable-warning=ExperimentalWarning', 'app.js']));
  });

  test('init in a TypeScript project writes a file that passes tsc --strict and starts', async () => {
    const folder = await makeProject(
      { type: 'module', dependencies: {} },
      {
        'tsconfig.json': JSON.stringify({
          compilerOptions: {
            strict: true,
            verbatimModuleSyntax: true, // as tsc --init writes it
            module: 'nodenext',
            target: 'es2023',
            lib: ['es2023'],
            skipLibCheck: true,
            noEmit: true,
            types: ['node'],
          },
          include: ['src'],
        }),
      },
    );
    await mkdir(join(folder, 'src'));
    await writeFile(
      join(folder, 'src/app.ts'),
      `import express from 'express';\nimport { mountOAuth } from './oauth.js';\n${APP.replace(PORT, '(server.address() as { port: number }).port')}`,
    );
    expect((await runCli(['init'], { cwd: folder })).stdout).toContain(join('src', 'oauth.ts'));
    const tsc = spawn(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    tsc.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const [code] = (await once(tsc, 'close')) as [number];
    expect({ code, output }).toEqual({ code: 0, output: '' });
    await expectServer(
      await start(folder, [
        '--import',
        pathToFileURL(join(ROOT, 'node_modules/tsx/dist/esm/index.mjs')).href,
        'src/app.ts',
      ]),
    );
  });

  test('init --login leaves the login page of a project and sets up no session', async () => {
    const folder = await makeProject(
      { type: 'module', dependencies: {} },
      {
        'app.js': `import express from 'express';\nimport { oauth } from './oauth.js';\n${APP.replace('mountOAuth(app)', 'app.use(oauth.router)')}`,
      },
    );
    expect((await runCli(['init', '--login', '/signin'], { cwd: folder })).code).toBe(0);
    const text = await readFile(join(folder, 'oauth.js'), 'utf8');
    expect(text).toContain("login: '/signin'");
    expect(text).not.toMatch(/session|passport/i);
    await expectServer(await start(folder, ['app.js']));
  });
});
