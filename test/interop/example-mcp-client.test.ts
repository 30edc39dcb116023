import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { afterEach, describe, expect, test } from '@jest/globals';

import { programOf } from '../support/programs.js';
import { fixture } from '../support/site-for.js';
import { until } from '../support/until.js';
import { findFreePorts, startExample } from './support/example.js';
import { openLoggedInBrowser } from './support/flows.js';
import type { BrowserPage } from './support/http-browser.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGE = /^ {2}(http\S+\/oauth\/authorize\?\S+)$/gm;

const running: { stop(): void }[] = [];
const example = fixture(() => startExample());
const browser = fixture(() => openLoggedInBrowser(example.issuer));
afterEach(() => running.splice(0).forEach((program) => program.stop()));

/** The program as a newcomer runs it. */
function run(url: string, ...payment: readonly string[]) {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [programOf('example-app/mcp-client/main.ts'), url, ...payment], {
    cwd: ROOT,
    env: { PATH, HOME },
  });
  running.push({ stop: () => void child.kill('SIGKILL') });
  const ended = once(child, 'close') as Promise<[number | null, string | null]>;
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk));
  return {
    ended,
    output: () => printed,
    interrupt: () => child.kill('SIGINT'),
    /** The address that it asks a user to open, for the first time or later. */
    async page(place = 0): Promise<URL> {
      const find = () => [...printed.matchAll(PAGE)][place]?.[1];
      await until(() => find() !== undefined || child.exitCode !== null);
      const found = find();
      if (found === undefined) throw new Error(`it shows no page but:\n${printed}`);
      return new URL(found);
    },
  };
}

async function decide(
  url: URL,
  button: 'consent-allow' | 'consent-deny',
  fields: Readonly<Record<string, string>> = {},
): Promise<BrowserPage> {
  const page = await browser.open(url);
  // it identifies itself with a document, whose name nobody has checked, so the page shows the host
  expect(page.text).toMatch(/<bdi>127\.0\.0\.1[^<]*<\/bdi> wants to access your account/);
  return browser.submit(page, 'consent-form', { button, fields });
}

describe('the Model Context Protocol client of the example', () => {
  test("the example's MCP client needs only a URL to list the photos of a consenting user", async () => {
    const program = run(`${example.issuer}/mcp`);
    const back = await decide(await program.page(), 'consent-allow');
    expect(back.text).toContain('<h1>Connected</h1>');
    expect(await program.ended).toEqual([0, null]);
    for (const text of [
      `✓ Found out who gives tokens for it: ${example.issuer}`,
      '✓ Says there who it is by a document: http://127.0.0.1:',
      '✓ Got an access token for: photos:read photos:write',
      'list_photos',
      'add_photo',
      'Waiting for the comet',
    ]) {
      expect(program.output()).toContain(text);
    }
  });

  test("the example's MCP client asks a user who denied photos only once for them", async () => {
    const program = run(`${example.issuer}/mcp`);
    await decide(await program.page(), 'consent-allow', { granted_scope: 'photos:write' });
    expect(await program.ended).toEqual([0, null]);
    expect(program.output()).toContain('add_photo');
    expect(program.output()).not.toContain('list_photos');
  });

  test("the example's MCP client sees the selected album, which the user can change later", async () => {
    const program = run(`${example.issuer}/mcp`);
    const url = await program.page();
    const displayed = await browser.open(url);
    expect(displayed.text).toContain('Which of your albums may it see?');
    await decide(url, 'consent-allow', { 'choice-album': 'Skies' });
    expect(await program.ended).toEqual([0, null]);
    expect(program.output()).toContain('Waiting for the comet');
    expect(program.output()).not.toContain('The valley at noon');
    const clientId = url.searchParams.get('client_id') ?? '';
    const address = new URL(`/oauth/authorizations/${encodeURIComponent(clientId)}`, example.issuer);
    const page = await browser.open(address);
    expect(page.text).toMatch(/value="Skies" checked/);
    const changed = await browser.submit(page, 'rebind-album', { fields: { 'choice-album': 'Mountains' } });
    expect(changed.text).toMatch(/value="Mountains" checked/);
  });

  test("the example's MCP client copies a challenge, and the user allows exactly one payment", async () => {
    const program = run(`${example.issuer}/mcp`, '20.00', 'Print');
    await decide(await program.page(), 'consent-allow');
    const requested = await program.page(1);
    expect(JSON.parse(requested.searchParams.get('authorization_details') ?? '')).toEqual([
      { type: 'print_payment', amount: '20.00', currency: 'EUR', to: 'Print' },
    ]);
    const page = await browser.open(requested);
    expect(page.text).toContain('Pay 20.00 EUR to Print');
    await decide(requested, 'consent-allow');
    expect(await program.ended).toEqual([0, null]);
    expect(program.output()).toContain('Paid 20.00 EUR to Print');
    expect(program.output()).toContain('✓ Refused: you would have to allow another payment');
  });

  test("the example's MCP client reports a denial", async () => {
    const program = run(`${example.issuer}/mcp`);
    const back = await decide(await program.page(), 'consent-deny');
    expect(back.text).toContain('<h1>Not connected</h1>');
    expect(await program.ended).toEqual([1, null]);
    expect(program.output()).toContain('You did not allow it (access_denied), so nothing was connected.');
  });

  test("the example's MCP client ignores a callback that does not answer its request", async () => {
    const program = run(`${example.issuer}/mcp`);
    const page = await program.page();
    const callback = page.searchParams.get('redirect_uri')!;
    for (const foreign of [
      `${callback}?code=stolen&state=another`,
      `${callback}?code=stolen`,
      `${callback}?error=access_denied`,
      callback.replace('/callback', '/'),
    ]) {
      expect((await fetch(foreign)).status).toBe(404);
    }
    await decide(page, 'consent-allow');
    expect(await program.ended).toEqual([0, null]);
  });

  test("Ctrl-C ends the example's MCP client while it waits", async () => {
    const program = run(`${example.issuer}/mcp`);
    await program.page();
    program.interrupt();
    expect(await program.ended).toEqual([null, 'SIGINT']);
  });

  test("the example's MCP client says what to do without a server, and for a malformed URL", async () => {
    const [port] = await findFreePorts(1);
    const nobody = run(`http://localhost:${port}/mcp`);
    expect(await nobody.ended).toEqual([1, null]);
    expect(nobody.output()).toContain('Start the example first');
    // the answer is a page for users, which the SDK's message contains
    for (const [path, answer] of [
      ['/nothing', '404 (not found)'],
      ['/playground/nothing', '404 (not found)'],
    ] as const) {
      const wrong = run(`${example.issuer}${path}`);
      expect(await wrong.ended).toEqual([1, null]);
      const [, ...said] = wrong.output().trim().split('\n');
      expect(said).toEqual([expect.stringContaining(`${path} answers ${answer}: that is no MCP server.`)]);
      expect(wrong.output()).not.toMatch(/<|doctype/i);
    }
    const noUrl = run('nonsense');
    expect(await noUrl.ended).toEqual([1, null]);
    expect(noUrl.output()).toContain('no URL');
  });
});
