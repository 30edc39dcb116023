import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { afterAll, describe, expect, test } from '@jest/globals';

import { invite } from '../../example-app/device-invitation.js';
import { programOf } from '../support/programs.js';
import { fixture } from '../support/site-for.js';
import { until } from '../support/until.js';
import { findFreePorts, startExample } from './support/example.js';
import { openLoggedInBrowser } from './support/flows.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const started: ChildProcess[] = [];
const example = fixture(() => startExample());
afterAll(() => {
  for (const child of started) child.kill();
});

/** The example's command-line client, and its output. */
function startCommandLine(...parameters: readonly string[]) {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [programOf('example-app/device.ts'), ...parameters], {
    cwd: ROOT,
    env: { PATH, HOME },
  });
  started.push(child);
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk));
  return {
    output: () => printed,
    exitCode: once(child, 'close').then(([code]) => code as number),
    async address(): Promise<{ page: string; code: string }> {
      const find = () => /Open +(\S+)\n +and type ([A-Z]{4}-[A-Z]{4})\n/.exec(printed);
      await until(() => find() !== null || child.exitCode !== null);
      const [, page, code] = find() ?? [];
      if (page === undefined || code === undefined) throw new Error(`no code in:\n${printed}`);
      return { page, code };
    },
  };
}

async function decide(
  { page, code }: { page: string; code: string },
  button: 'allow' | 'deny',
): Promise<string> {
  const browser = await openLoggedInBrowser(example.issuer);
  const consent = await browser.submit(await browser.open(page), 'device-form', {
    fields: { user_code: code.toLowerCase() },
  });
  expect(consent.text).toContain('Lantern Command Line');
  return (await browser.submit(consent, 'consent-form', { button: `consent-${button}` })).text;
}

describe('npm run example:device', () => {
  test("example:device shows the code and the address, waits, and shows the user's photos", async () => {
    const device = startCommandLine(example.issuer);
    const address = await device.address();
    expect(address.page).toBe(`${example.issuer}/oauth/device`);
    // a phone that opened localhost would reach itself
    expect(device.output()).toContain('There is no QR code');
    expect(device.output()).not.toContain('█');
    expect(await decide(address, 'allow')).toContain('Your device is connected');
    expect(await device.exitCode).toBe(0);
    expect(device.output()).toContain('Connected. There are 6 photos');
    expect(device.output()).toContain('Waiting for the comet');
    const connected = await (
      await openLoggedInBrowser(example.issuer)
    ).open(`${example.issuer}/oauth/authorizations`);
    expect(connected.text).toContain('Lantern Command Line');
  });

  test.each([
    ['https://photos.example', true],
    ['http://192.168.1.20:3000', true],
    ['http://[fd00::20]:3000', true],
    ['http://localhost.example', true],
    ['http://localhost:3000', false],
    ['http://photos.localhost:3000', false],
    ['http://127.0.0.1:3000', false],
    ['http://127.8.9.1', false],
    ['http://[::1]:3000', false],
  ])(
    'example:device shows a QR code if a phone can reach the address: %s, %s [RFC 8628 §3.3.1]',
    async (origin, displayed) => {
      const page = `${origin}/oauth/device`;
      const device = {
        verification_uri: page,
        verification_uri_complete: `${page}?user_code=WDJB-MJHT`,
        user_code: 'WDJB-MJHT',
      };
      for (const isTerminal of [false, true]) {
        const text = await invite(device, isTerminal);
        expect(text).toContain(page);
        expect(text).toContain('WDJB-MJHT');
        expect([/[█▀▄]{3}/.test(text), text.includes('There is no QR code')]).toEqual([
          displayed,
          !displayed,
        ]);
        expect(text.split('\n').filter((line) => line.length > 80 && !/[█▀▄]/.test(line))).toEqual([]);
      }
    },
  );

  test('example:device ends with a sentence after a denial', async () => {
    const device = startCommandLine(example.issuer);
    expect(await decide(await device.address(), 'deny')).toContain('Nothing was connected');
    expect(await device.exitCode).toBe(1);
    expect(device.output()).toContain('You denied it, so nothing was connected.');
  });

  test('example:device says what to do without a server, and for a malformed URL', async () => {
    const [port] = await findFreePorts(1);
    const mistakes = [
      [`http://localhost:${port}`, 'Start the example first'],
      ['photos', "'photos' is no URL"],
    ] as const;
    for (const [parameter, terms] of mistakes) {
      const device = startCommandLine(parameter);
      expect(await device.exitCode).toBe(1);
      expect(device.output()).toContain(terms);
    }
  });
});
