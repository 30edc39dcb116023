import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import type { RequestHandler } from 'express';

import { createUsers, type NewClient } from '../../lib/index.js';
import { findFreePorts } from '../interop/support/example.js';
import { createVisitor } from '../package/visitor.js';
import { describeInChromium, launchChromium } from '../support/chromium.js';
import { INSIDE, openFolder } from '../support/folder.js';
import { openPagesSite, type PagesSite, PERSON } from '../support/pages-site.js';
import { fixture } from '../support/site-for.js';
import { fileText, root, textOf } from './blocks.js';

const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code';
const running: ChildProcess[] = [];

const folder = fixture(() => openFolder({}, INSIDE));
const site: PagesSite = fixture(() =>
  openPagesSite({
    grantTypes: ['authorization_code', 'refresh_token', 'client_credentials', DEVICE_CODE],
    before: (app) => app.get('/api/photos', (req, res, next) => guardPhotos(req, res, next)),
  }),
);
afterAll(() => running.forEach((child) => child.kill()));

/** The API of the site, which exists before the server. */
const guardPhotos: RequestHandler = (req, res) =>
  site.oauth.guard('photos:read')(req, res, (error?: unknown) =>
    error === undefined ? res.json({ photosOf: req.auth?.userId ?? null }) : res.sendStatus(401),
  );

/** Runs a program of the document as a client. `lines` are its output. */
async function run(name: string, metadata: Partial<NewClient>, more: Readonly<Record<string, string>> = {}) {
  const client = await site.oauth.clients.create({
    name: 'Print shop',
    scopes: ['photos:read'],
    ...metadata,
  });
  await folder.write(name, fileText(name));
  const child = spawn(process.execPath, [name], {
    cwd: folder.path,
    env: {
      ...process.env,
      ISSUER: site.url,
      CLIENT_ID: client.clientId,
      CLIENT_SECRET: client.clientSecret ?? '',
      ...more,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.push(child);
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const print = async (pattern: RegExp): Promise<string> => {
    while (!pattern.test(printed)) await once(child.stdout, 'data');
    return pattern.exec(printed)![1]!;
  };
  const end = async () => (child.exitCode ?? (await once(child, 'close')), printed);
  return { child, print, end };
}

async function ada(): Promise<string> {
  const user = await createUsers(site.database.connection).verify(PERSON.username, PERSON.password);
  return user?.id ?? '';
}

async function allow(address: string) {
  const visitor = createVisitor();
  const login = await visitor.open(address);
  const consent = await visitor.submit(login, PERSON, 'login-form');
  return { visitor, page: await visitor.submit(consent, { decision: 'allow' }, 'consent-form') };
}

describe('the quick starts', () => {
  test('the quick start of a web app with a server gets a token and calls the API', async () => {
    const [port] = (await findFreePorts(1)) as [number];
    const app = `http://localhost:${port}`;
    const metadata = { redirectUris: [`${app}/callback`] };
    await run('web-app.mjs', metadata, { APP: app, PORT: String(port), SESSION_SECRET: 'of the test' });
    while (
      !(await fetch(app).then(
        () => true,
        () => false,
      ))
    );
    const { page } = await allow(`${app}/connect`);
    expect(JSON.parse(page.text)).toEqual({ photosOf: await ada() });
  });

  test('the quick start of a desktop app or command line gets a token and calls the API', async () => {
    const client = await run('command-line.mjs', {
      type: 'public',
      redirectUris: ['http://127.0.0.1/callback'],
    });
    const { page } = await allow(await client.print(/^Open (\S+)/));
    expect(page.text).toBe('You can close this window.');
    expect(await client.end()).toContain(await ada());
  });

  test('the quick start of a service calls the API for itself', async () => {
    const metadata = { grantTypes: ['client_credentials'], redirectUris: [] };
    expect(await (await run('service.mjs', metadata)).end()).toBe('{"photosOf":null}\n');
  });

  test('the quick start of a device gets a token and calls the API', async () => {
    const client = await run('device.mjs', {
      type: 'public',
      redirectUris: [],
      grantTypes: [DEVICE_CODE, 'refresh_token'],
    });
    const printed = await client.print(/^(Open \S+ and type \S+)/);
    const [, address = '', code = ''] = /^Open (\S+) and type (\S+)$/.exec(printed)!;
    const visitor = createVisitor();
    const form = await visitor.submit(await visitor.open(address), PERSON, 'login-form');
    const consent = await visitor.submit(form, { user_code: code });
    await visitor.submit(consent, { decision: 'allow' }, 'consent-form');
    expect(await client.end()).toContain(await ada());
  });
});

describe('the quick starts in strict TypeScript', () => {
  /** The text of the document about TypeScript, by its pattern. */
  const said = (pattern: RegExp) => {
    const found = pattern.exec(textOf('docs/quick-starts.md'));
    if (found === null) throw new Error(`docs/quick-starts.md does not say ${pattern.source}`);
    return found[1]!;
  };
  const withDefaults = (name: string) =>
    fileText(name).replace(/^const \{.*\} = process\.env;$/m, (line) =>
      line.replaceAll(/\b([A-Z_]+)(?=,| \})/g, "$1 = ''"),
    );
  const programs = () => ({
    'web-app': `${withDefaults('web-app.mjs')}\n${said(/`(declare module 'express-session' [^`]+)`/)}`,
    'browser-app': fileText('browser-app.js').replace(
      'connect(issuer, clientId)',
      said(/`(connect\(issuer: [^`]+)`/),
    ),
    'command-line': `${said(/`(import type \{ AddressInfo \} [^`]+)`/)}\n${withDefaults(
      'command-line.mjs',
    ).replace('server.address().port', said(/`(\(server\.address\(\) as AddressInfo\)\.port)`/))}`,
    device: withDefaults('device.mjs'),
    service: withDefaults('service.mjs'),
  });

  test('the quick starts compile with exactly the changes that the document lists', async () => {
    const files = await Promise.all(
      Object.entries(programs()).map(([name, text]) => folder.write(`${name}.mts`, text)),
    );
    const options =
      '--strict --verbatimModuleSyntax --declaration --skipLibCheck --module nodenext --target es2023 --lib es2023,dom --noEmit --types node';
    const compiled = spawnSync(
      process.execPath,
      [
        join(root, 'node_modules/typescript/bin/tsc'),
        ...options.split(' '),
        '--typeRoots',
        join(root, 'node_modules/@types'),
        ...files,
      ],
      { cwd: tmpdir(), encoding: 'utf8' },
    );
    expect([compiled.status, compiled.stdout]).toEqual([0, '']);
  });
});

describeInChromium('the quick start of a browser app', () => {
  test('the quick start of a browser app gets a token and removes the code from the URL', async () => {
    const source = await folder.write('browser-app.js', fileText('browser-app.js'));
    const bundle = await build({
      entryPoints: [source],
      bundle: true,
      format: 'iife',
      globalName: 'app',
      write: false,
    });
    const script = bundle.outputFiles[0]!.text;
    const server = createServer((_req, res) =>
      res.setHeader('Content-Type', 'text/html').end(`<title>app</title><script>${script}</script>`),
    );
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const browser = await launchChromium();
    try {
      const { clientId } = await site.oauth.clients.create({
        name: 'Browser app',
        type: 'public',
        redirectUris: [url],
        scopes: ['photos:read'],
      });
      const page = await (await browser.newContext()).newPage();
      const connect = `app.connect(${JSON.stringify(site.url)}, ${JSON.stringify(clientId)})`;
      await page.goto(url);
      await page.evaluate(`void ${connect}`);
      await page.fill('#username', PERSON.username);
      await page.fill('#password', PERSON.password);
      await page.click('#login-submit');
      await page.click('#consent-allow');
      await page.waitForURL(`${url}?**`);
      const tokens = await page.evaluate<string>(`${connect}.then(({ access_token }) => access_token)`);
      expect(page.url()).toBe(url);
      const api = await fetch(`${site.url}/api/photos`, { headers: { Authorization: `Bearer ${tokens}` } });
      expect(await api.json()).toEqual({ photosOf: await ada() });
    } finally {
      await browser.close();
      server.close();
    }
  });
});
