import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { demoUser } from '../../example-app/demo.js';
import { findFreePorts } from '../interop/support/example.js';
import { runChecks } from './checks.js';
import { expectEqual } from './flow.js';
import { createVisitor } from './visitor.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Ends what hangs, not a first start that fetches its MongoDB on a busy machine. */
const TIMEOUT = 600_000;

const [port, shopPort, albumPort] = (await findFreePorts(3)) as [number, number, number];
const shopUrl = `http://localhost:${shopPort}`;
let example: ChildProcess | undefined;
let output = '';

async function startExample(): Promise<void> {
  // a new process group: Ctrl-C in a terminal reaches npm and everything below it, like the signal here
  const environment = {
    ...process.env,
    PORT: String(port),
    SHOP_PORT: String(shopPort),
    ALBUM_PORT: String(albumPort),
  };
  // with --all, because the check runs one of the printed commands
  example = spawn('npm', ['run', 'example', '--', '--all'], {
    cwd: root,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const started = new Promise<void>((resolve, reject) => {
    for (const stream of [example?.stdout, example?.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (output.includes('Ctrl-C stops everything')) resolve();
      });
    }
    example?.once('exit', (code) => reject(new Error(`it has ended with ${String(code)}:\n${output}`)));
    setTimeout(() => reject(new Error(`no word of it in ${TIMEOUT / 1000} s:\n${output}`)), TIMEOUT).unref();
  });
  await started;
  for (const expected of [`http://localhost:${port}`, shopUrl, demoUser.username, demoUser.password]) {
    if (!output.includes(expected)) throw new Error(`it does not print ${expected}:\n${output}`);
  }
}

async function printPhotos(): Promise<void> {
  const visitor = createVisitor();
  const shop = await visitor.open(`${shopUrl}/`);
  const login = await visitor.submit(shop, {}, 'print-form');
  expectEqual([login.url.port, login.url.pathname], [String(port), '/login']);
  const next = await visitor.submit(
    login,
    { username: demoUser.username, password: demoUser.password },
    'login-form',
  );
  // data stay between runs, so people who ran the example before consent no more
  const prints =
    next.url.origin === shopUrl ? next : await visitor.submit(next, { decision: 'allow' }, 'consent-form');
  expectEqual([prints.url.href, prints.status], [`${shopUrl}/prints`, 200]);
  const pictures = prints.text.match(/src="data:image\/svg\+xml;base64,[A-Za-z0-9+/]{100,}/g) ?? [];
  if (pictures.length < 6 || !prints.text.includes(demoUser.name))
    throw new Error(`${pictures.length} prints: ${prints.text}`);
}

async function runPrintedCommand(): Promise<void> {
  const [, credentials = '', body = '', tokenUrl = ''] =
    /curl -u (\S+) -d (grant_type=client_credentials) (\S+)/.exec(output) ?? [];
  const response = await fetch(tokenUrl, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(credentials)}` },
    body: new URLSearchParams(body),
  });
  const { access_token: token } = (await response.json()) as { access_token?: string };
  const photos = await fetch(`http://localhost:${port}/api/photos`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  expectEqual([response.status, photos.status], [200, 200]);
}

/** The photo site, the printing shop, the album API and their MongoDB have all ended. */
async function stopExample(): Promise<void> {
  if (example?.pid === undefined) throw new Error('it does not run');
  const [, mongoPort] = /MongoDB: .* at 127\.0\.0\.1:(\d+)/.exec(output) ?? [];
  process.kill(-example.pid, 'SIGINT');
  const deadline = Date.now() + TIMEOUT;
  for (const listening of [
    port,
    shopPort,
    albumPort,
    ...(mongoPort === undefined ? [] : [Number(mongoPort)]),
  ]) {
    while (await isListening(listening)) {
      if (Date.now() > deadline) throw new Error(`port ${listening} still answers:\n${output}`);
      await delay(100);
    }
  }
}

async function isListening(listening: number): Promise<boolean> {
  const socket = connect(listening, '127.0.0.1');
  return once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
}

try {
  await runChecks({
    'npm run example starts and says where, and who can log in': startExample,
    'a person logs in at the photo site, allows the printing shop, and sees the prints': printPhotos,
    'the first command that it prints gets a token for the API': runPrintedCommand,
    'Ctrl-C ends all of it': stopExample,
  });
} finally {
  try {
    if (example?.pid !== undefined) process.kill(-example.pid, 'SIGKILL');
  } catch {
    // nothing of the example is left
  }
}
