import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import type { Page } from 'playwright-core';

import { executablePath, launchChromium } from '../support/launch-chromium.js';
import { expectEqual } from './flow.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

/** The lines that the guide may add to a site with a layout of its engine; blank lines are free. */
const MAX_LINES = 26;
/** Files that the guide must not change: the login, and the tests. */
const UNTOUCHED = /^b\/(config|models|test)\/|^b\/routes\/account\.js/;
/** Not the person of the site's tests, who is already in its database. */
const GRACE = { name: 'Grace', email: 'grace@example.com', password: 'nanoseconds of wire' };

export interface Given {
  /** An empty folder for the site. */
  readonly folder: string;
  readonly tarball: string;
  readonly uri: string;
  readonly npm: (cwd: string, ...parameters: readonly string[]) => Promise<string>;
}

/** A site without OAuth, with docs/recipes/existing-site.diff unchanged: its tests pass, and people get through. */
export async function checkExistingSite({ folder, tarball, uri, npm }: Given): Promise<void> {
  await cp(join(root, 'example-app/existing-site'), folder, { recursive: true });
  await applyGuide(folder);
  await npm(folder, 'install', '--no-package-lock', tarball);
  // the diff has no fallback for the issuer
  const environment = { ...process.env, MONGODB_URI: uri, CI: 'true', ISSUER: 'http://localhost:4000' };
  await run('npm', ['test'], { cwd: folder, env: environment });
  if (executablePath === undefined)
    return console.log('  no Chromium: the existing site is not walked through');
  const port = await findFreePort();
  const issuer = `http://localhost:${port}`;
  const child = spawn(process.execPath, ['server.js'], {
    cwd: folder,
    env: { ...environment, ISSUER: issuer, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await Promise.race([
      once(createInterface(child.stdout), 'line'),
      once(child, 'exit').then(() => Promise.reject(new Error('the site has ended'))),
    ]);
    await walkThrough({ folder, issuer, environment });
  } finally {
    child.kill('SIGKILL');
  }
}

async function applyGuide(folder: string): Promise<void> {
  const [guide, needed, choice] = await Promise.all(
    ['your-site.md', 'recipes/existing-site.diff', 'recipes/existing-site-mail.diff'].map((name) =>
      readFile(join(root, 'docs', name), 'utf8'),
    ),
  );
  const patch = `${needed}${choice}`;
  const files = [...patch.matchAll(/^\+\+\+ (.*)$/gm)].map(([, file = '']) => file);
  expectEqual(
    files.filter((file) => UNTOUCHED.test(file)),
    [],
  );
  const lines = (needed?.match(/^\+(?!\+\+ ).*\S/gm) ?? []).length;
  if (lines > MAX_LINES) throw new Error(`the diff has ${lines} lines, not ${MAX_LINES}`);
  if (guide?.includes(`in ${lines} lines`) !== true)
    throw new Error(`docs/your-site.md does not say that the diff has ${lines} lines`);
  await writeFile(join(folder, 'guide.patch'), patch);
  await run('git', ['apply', 'guide.patch'], { cwd: folder, env: { ...process.env, GIT_DIR: '/dev/null' } });
}

interface Site {
  readonly folder: string;
  readonly issuer: string;
  readonly environment: NodeJS.ProcessEnv;
}

async function walkThrough({ folder, issuer, environment }: Site): Promise<void> {
  const client = createServer((socket) => {
    socket.end(
      'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<p id="back">back</p>',
    );
  }).listen(0, '127.0.0.1');
  await once(client, 'listening');
  const redirectUri = `http://127.0.0.1:${(client.address() as AddressInfo).port}/callback`;
  const { stdout } = await run(
    join(folder, 'node_modules/.bin/express-authorization-server'),
    [
      'clients',
      'create',
      '--name',
      'Shopping list',
      '--redirect-uri',
      redirectUri,
      '--scopes',
      'recipes:read',
      '--json',
    ],
    { cwd: folder, env: environment },
  );
  const { clientId, clientSecret } = JSON.parse(stdout) as { clientId: string; clientSecret: string };
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
  });
  const request = `${issuer}/oauth/authorize?${query.toString()}`;

  const browser = await launchChromium();
  try {
    const context = await browser.newContext();
    const page = await context.newPage();
    await register(page, issuer);
    await context.clearCookies();

    await page.goto(request);
    await Promise.all([page.waitForEvent('load'), logIn(page, 'wrong')]);
    // express-session redirects before its store has the flash message, which is on the next page at the latest
    if (!(await page.getByRole('alert').isVisible())) await page.reload();
    expectEqual(await page.getByRole('alert').innerText(), 'Wrong e-mail address or password.');
    await logIn(page, GRACE.password);
    // the consent page, in the layout of the site
    expectEqual(await page.locator('header #who').innerText(), GRACE.name);
    expectEqual(await isStyled(page), true);
    await page.click('#consent-allow');
    const token = await redeem({ issuer, clientId, clientSecret, redirectUri }, await codeAt(page));
    const api = (headers: Record<string, string>) => fetch(`${issuer}/api/recipes`, { headers });
    const answer = await api({ Authorization: `Bearer ${token}` });
    expectEqual([answer.status, await answer.json()], [200, { of: GRACE.name, recipes: [] }]);
    expectEqual((await api({})).status, 401);
    expectEqual((await page.request.get(`${issuer}/api/recipes`)).status(), 200);

    await untilMailed(folder, 'Shopping list can now use your account');

    // people who have allowed the client get from the login form straight to the client
    await context.clearCookies();
    await page.goto(request);
    await logIn(page, GRACE.password);
    await codeAt(page);
  } finally {
    await browser.close();
    client.close();
  }
}

/** Whether the package's stylesheet applies: an engine that drops the head of a view drops it, too. */
async function isStyled(page: Page): Promise<boolean> {
  await page.locator('#consent-allow').waitFor();
  const radius = await page.evaluate(
    'getComputedStyle(document.querySelector("#consent-allow")).borderRadius',
  );
  return radius !== '0px';
}

/** Waits until the site has written a mail with these words into its folder. */
async function untilMailed(folder: string, terms: string): Promise<void> {
  const mails = join(folder, 'mail');
  for (const end = Date.now() + 600_000; Date.now() < end; await delay(100)) {
    const texts = await Promise.all(
      (await readdir(mails)).map((name) => readFile(join(mails, name), 'utf8')),
    );
    if (texts.some((text) => text.includes(terms) && text.includes(`To: ${GRACE.email}`))) return;
  }
  throw new Error(`no mail says: ${terms}`);
}

async function register(page: Page, issuer: string): Promise<void> {
  await page.goto(`${issuer}/account/register`);
  for (const [name, value] of Object.entries(GRACE)) await page.fill(`input[name=${name}]`, value);
  await page.getByRole('button', { name: 'Open the account' }).click();
  await page.waitForURL(`${issuer}/recipes`);
}

async function logIn(page: Page, password: string): Promise<void> {
  await page.fill('input[name=email]', GRACE.email);
  await page.fill('input[name=password]', password);
  await page.locator('main form button').click();
}

async function codeAt(page: Page): Promise<string> {
  await page
    .locator('#back')
    .waitFor()
    .catch(async (cause: unknown) => {
      throw new Error(`no code at ${page.url()}: ${await page.locator('body').innerText()}`, { cause });
    });
  return new URL(page.url()).searchParams.get('code') ?? '';
}

interface Client {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
}

async function redeem(
  { issuer, clientId, clientSecret, redirectUri }: Client,
  code: string,
): Promise<string> {
  const response = await fetch(`${issuer}/oauth/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: redirectUri }),
  });
  const body = (await response.json()) as { access_token?: string };
  expectEqual([response.status, response.headers.get('set-cookie')], [200, null]);
  return body.access_token ?? '';
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
