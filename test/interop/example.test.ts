import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';

import { loggedOutPath, shopAccounts } from '../../example-app/demo.js';
import { readSettings } from '../../example-app/settings.js';
import { describeStart } from '../../example-app/summary.js';
import { hasLinks, terminalLink } from '../../example-app/terminal-links.js';
import { databaseUri, openDatabase } from '../support/database.js';
import { findPorts, type RunningExample, spawnExample, startExample } from './support/example.js';
import { openLoggedInBrowser } from './support/flows.js';

type SpawnedExample = ReturnType<typeof spawnExample>;

const running: Pick<RunningExample, 'close'>[] = [];
afterEach(async () => {
  for (const example of running.splice(0)) await example.close();
});

const hasShell = ['curl', 'grep', 'bash'].every(
  (program) => spawnSync(program, ['--version']).error === undefined,
);

describe('npm run example', () => {
  let example: RunningExample;
  beforeAll(async () => void (example = await startExample({ parameters: ['--all'] })));
  afterAll(() => example.close());

  test('the example with --all prints all addresses, logins, clients and commands', () => {
    for (const text of [
      example.issuer,
      example.shopUrl,
      example.albumUrl,
      `npm run example:mcp -- ${example.issuer}/mcp`,
      'ada / correct-horse-battery',
      'grace / ',
      'printing-shop-demo-secret',
      'client_credentials',
      'password, refresh_token (old)',
      'implicit (old)',
    ]) {
      expect(example.output()).toContain(text);
    }
  });

  test("the example's curl line gives a token", async () => {
    const [, userInfo = '', body = '', url = ''] =
      /curl -u (\S+) -d (grant_type=client_credentials) (\S+)/.exec(example.output()) ?? [];
    const response = await fetch(url, {
      method: 'POST',
      body: new URLSearchParams(body),
      headers: { authorization: `Basic ${btoa(userInfo)}` },
    });
    expect(await response.json()).toMatchObject({ access_token: expect.any(String), token_type: 'Bearer' });
  });

  (hasShell ? test : test.skip)('every command that it prints works when it is copied', async () => {
    const commands = [...example.output().matchAll(/^ {6}((?:curl|\w+=).*)$/gm)].map(([, command = '']) =>
      command.replace(/^curl/, 'curl -sS'),
    );
    const { stdout } = await promisify(execFile)('bash', ['-euc', commands.join('; echo\n')]);
    const answers = stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown);
    const token = expect.objectContaining({ access_token: expect.any(String), token_type: 'Bearer' });
    const refused = expect.objectContaining({ error: 'invalid_token' });
    const order = expect.objectContaining({ album: 'Mountains, mostly from below' });
    expect(answers).toEqual([
      token,
      [],
      expect.objectContaining({ scope: 'photos:read' }),
      token,
      expect.objectContaining({ for: 'album-viewer', albums: expect.any(Array) }),
      refused,
      order,
      expect.objectContaining({ active: true, client_id: 'album-viewer' }),
      {},
      refused,
      expect.objectContaining({ client_id: expect.any(String), client_name: 'My app' }),
    ]);
  });

  test('data of the example survive a restart, and so does a login', async () => {
    const token = await passwordToken(example);
    const added = await fetch(`${example.issuer}/api/photos`, {
      method: 'POST',
      body: '{"title":"Before the restart"}',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    });
    expect(added.status).toBe(201);
    const cookie = (await openLoggedInBrowser(example.issuer)).cookie('photos.sid');
    await example.close();

    example = await startExample({ database: example.database, parameters: ['--all'] });
    const photos = await fetch(`${example.issuer}/api/photos`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(((await photos.json()) as { title: string }[]).map(({ title }) => title)).toEqual([
      'Before the restart',
      'Fog, then more fog',
      'October',
      'Waiting for the comet',
      'Last light over the ridge',
      'The valley at noon',
      'Before breakfast',
    ]);
    const page = await fetch(`${example.issuer}/photos`, {
      headers: { cookie: `photos.sid=${cookie}` },
      redirect: 'manual',
    });
    expect(await page.text()).toContain('Before the restart');
  });

  test('the example that is started at other ports moves the redirect URIs of its clients', async () => {
    const before = [example.issuer, example.shopUrl];
    await example.close();
    example = await startExample({ database: example.database });
    expect(before).not.toContain(example.shopUrl);
    const { connection } = await openDatabase(example.database);
    const clients = await connection.collection('oauth_clients').find().toArray();
    await connection.close();
    const { clientId } = shopAccounts;
    expect(clients.find(({ _id }) => String(_id) === clientId)).toMatchObject({
      postLogoutRedirectUris: [`${example.shopUrl}/`],
      backchannelLogoutUri: `${example.shopUrl}${loggedOutPath}`,
    });
    for (const url of before) expect(JSON.stringify(clients)).not.toContain(url);
  });

  test('Ctrl-C stops all processes of the example', async () => {
    expect(example.isAlive()).toBe(true);
    expect(await example.interrupt()).toBe(0);
    expect(example.isAlive()).toBe(false);
    await expect(fetch(example.issuer)).rejects.toThrow();
    await expect(fetch(example.shopUrl)).rejects.toThrow();
    await expect(fetch(example.albumUrl)).rejects.toThrow();
  });
});

describe('the first screen', () => {
  test("the example's first screen has four addresses, two logins and a pointer to more", async () => {
    const example = await startExample();
    running.push(example);
    const screen = example.output().slice(example.output().indexOf('  Photo site'));
    expect(screen.trimEnd().split('\n').length).toBeLessThan(15);
    expect(screen.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(screen.match(/http:\S+/g)).toEqual([
      example.issuer,
      example.shopUrl,
      `${example.issuer}/playground`,
      `${example.issuer}/docs`,
    ]);
    for (const text of [
      'ada / correct-horse-battery',
      'grace / nanoseconds-of-wire',
      'npm run example -- --all',
    ])
      expect(screen).toContain(text);
    // no terminal: no links, no colours
    expect(screen).not.toContain('\u001b');
  });

  test('an unknown flag of the example is refused before anything starts', async () => {
    const example = spawnExample({ ...(await findPorts()), MONGODB_URI: databaseUri('example_unknown') }, [
      '--al',
    ]);
    running.push(example);
    expect(await example.ended()).toBe(1);
    expect(example.output()).toContain("'--al' is not known here: there is --all");
  });

  test.each([
    ['a pipe', {}, { TERM_PROGRAM: 'iTerm.app' }, false],
    ['an unknown terminal', { isTTY: true }, { TERM: 'xterm-256color' }, false],
    ['a dumb terminal', { isTTY: true }, { TERM: 'dumb', TERM_PROGRAM: 'WezTerm' }, false],
    ['CI', { isTTY: true }, { CI: 'true', TERM_PROGRAM: 'WezTerm' }, false],
    ['tmux, which may swallow them', { isTTY: true }, { TMUX: '/tmp/x', VTE_VERSION: '7600' }, false],
    ['an old VTE', { isTTY: true }, { VTE_VERSION: '4205' }, false],
    ['GNOME Terminal', { isTTY: true }, { VTE_VERSION: '7600' }, true],
    ['iTerm', { isTTY: true }, { TERM_PROGRAM: 'iTerm.app' }, true],
    ['kitty', { isTTY: true }, { TERM: 'xterm-kitty' }, true],
    ['Windows Terminal', { isTTY: true }, { WT_SESSION: 'x' }, true],
  ])('the example prints links where terminals show them: %s', (_where, stream, environment, expected) => {
    expect(hasLinks(stream, environment)).toBe(expected);
  });

  test('a link of the example reads as its address', () => {
    const settings = readSettings({});
    const plain = describeStart(settings, 'data');
    const linked = describeStart(settings, 'data', terminalLink);
    const mark = '\u001b]8;;';
    expect(linked.split(mark)).toHaveLength(9);
    // as a terminal shows it: without the marks, but with the addresses in them
    const displayed = linked
      .split(mark)
      .map((part, index) => (index === 0 ? part : part.slice(part.indexOf('\\') + 1)));
    expect(displayed.join('')).toBe(plain);
  });
});

describe('npm run example that ends early', () => {
  test.each([
    ['it has found its database', (example: SpawnedExample) => example.untilPrinted('MONGODB_URI')],
    [
      'one of its sites answers',
      (example: SpawnedExample) => untilAnswers([example.issuer, example.shopUrl, example.albumUrl]),
    ],
  ])('Ctrl-C stops a starting example: when %s', async (_when, waitFor) => {
    // the first start on a machine: everything has yet to be compiled
    const folder = await mkdtemp(join(tmpdir(), 'example-'));
    const example = spawnExample({
      ...(await findPorts()),
      MONGODB_URI: databaseUri('example_early'),
      TMPDIR: folder,
    });
    running.push(example, { close: () => rm(folder, { recursive: true }) });
    await waitFor(example);
    expect(await example.interrupt()).toBe(0);
    expect(example.isAlive()).toBe(false);
    expect(example.output()).not.toContain('could not start');
    for (const url of [example.issuer, example.shopUrl, example.albumUrl])
      await expect(fetch(url)).rejects.toThrow();
  });

  test('Ctrl-C that ends a site before its parent hears of it is no failure', async () => {
    const example = spawnExample({ ...(await findPorts()), MONGODB_URI: databaseUri('example_early') });
    running.push(example);
    await example.interruptAlone('printing-shop/main.js');
    expect(await example.ended()).toBe(0);
    expect(example.output()).not.toContain('could not start');
  });

  test.each([
    ['PORT', 'Choose another one: PORT='],
    ['SHOP_PORT', 'or SHOP_PORT=5000 for this one alone'],
    ['ALBUM_PORT', 'or ALBUM_PORT=5000 for this one alone'],
  ])('a port in use is reported by the example with a cure: %s', async (variable, cure) => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const example = spawnExample({
      ...(await findPorts()),
      [variable]: String(port),
      MONGODB_URI: databaseUri('example_taken'),
    });
    running.push(example);
    expect(await example.ended()).toBe(1);
    expect(example.output()).toContain(`Port ${port} is taken by another program. `);
    expect(example.output()).toContain(cure);
    other.close();
  });

  test('one port for two sites of the example is refused', async () => {
    const ports = await findPorts();
    const example = spawnExample({
      ...ports,
      ALBUM_PORT: ports.SHOP_PORT,
      MONGODB_URI: databaseUri('example_twice'),
    });
    running.push(example);
    expect(await example.ended()).toBe(1);
    expect(example.output()).toContain(`SHOP_PORT and ALBUM_PORT are both ${ports.SHOP_PORT}`);
  });
});

async function untilAnswers(urls: readonly string[]): Promise<void> {
  while (
    !(
      await Promise.all(
        urls.map((url) =>
          fetch(url).then(
            () => true,
            () => false,
          ),
        ),
      )
    ).includes(true)
  )
    await delay(5);
}

async function passwordToken({ issuer }: RunningExample): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'password',
    username: 'ada',
    password: 'correct-horse-battery',
    scope: 'photos:read photos:write',
  });
  const response = await fetch(`${issuer}/oauth/token`, {
    method: 'POST',
    body,
    headers: { authorization: `Basic ${btoa('old-desktop-app:old-desktop-app-demo-secret')}` },
  });
  return ((await response.json()) as { access_token: string }).access_token;
}
