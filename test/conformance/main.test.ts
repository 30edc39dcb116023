import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';

import { expect, test } from '@jest/globals';

import { findFreePorts } from '../interop/support/example.js';
import { mongoUri } from '../support/database.js';
import { createFetchByTls } from '../support/fetch-by-tls.js';
import { programOf } from '../support/programs.js';
import { HELP, readCommand } from './command.js';
import type { SuiteConfiguration } from './profile.js';
import { PROFILES } from './profiles.js';

test('conformance without a profile lists the profiles and their parameters', () => {
  expect(readCommand([])).toBeUndefined();
  expect(readCommand(['basic', '--help'])).toBeUndefined();
  for (const name of Object.keys(PROFILES)) expect(HELP).toContain(`  ${name} `);
  expect(HELP).toContain('client_auth_type = private_key_jwt | mtls');
});

test.each([
  [['oidc'], "no profile 'oidc'. There are: config, basic"],
  [['__proto__'], "no profile '__proto__'"],
  [['basic', 'openid'], "'openid' is no NAME=VALUE"],
  [['fapi2-security-profile', 'sender_constrain=none'], 'there is: dpop, mtls'],
  [['basic', 'sender_constrain=dpop'], 'there is: nothing'],
  [['basic', '--cert', 'cert.pem'], '--cert and --key go together'],
  [['basic', '--tls'], "Unknown option '--tls'"],
  [['basic', '--port', 'abc'], "--port: 'abc' is no port"],
])('conformance refuses %j with the valid choices', (parameters, message) => {
  expect(() => readCommand(parameters)).toThrow(message);
});

test('conformance sets each parameter to its default or chosen value', () => {
  expect(readCommand(['fapi2-security-profile', 'sender_constrain=mtls'])?.variant).toEqual({
    client_auth_type: 'private_key_jwt',
    sender_constrain: 'mtls',
    openid: 'plain_oauth',
  });
});

/** `npm run conformance -- …`, until it listens. */
async function start(...parameters: string[]) {
  const child: ChildProcess = spawn(
    process.execPath,
    [programOf('test/conformance/main.ts'), ...parameters],
    { env: { ...process.env, MONGODB_URI: mongoUri(), NODE_OPTIONS: '' } },
  );
  const printed = text(child.stdout!);
  let said = '';
  for await (const chunk of child.stderr!.setEncoding('utf8')) {
    said += String(chunk);
    if (said.includes('Ctrl-C stops')) break;
  }
  return {
    said,
    async stop(): Promise<SuiteConfiguration> {
      const ended = once(child, 'exit');
      child.kill('SIGINT');
      expect(await ended).toEqual([0, null]);
      return JSON.parse(await printed) as SuiteConfiguration;
    },
  };
}

test('conformance prints the configuration alone, and the same one after the next start', async () => {
  const [port = 0] = await findFreePorts(1);
  const parameters = [
    'basic',
    '--port',
    String(port),
    '--suite',
    'https://suite.example/',
    '--alias',
    'mine',
  ];
  const first = await start(...parameters);
  expect(first.said).toContain('oidcc-basic-certification-test-plan[server_metadata=discovery]');
  const authority = programOf('.conformance-data/localhost/tls/authority.pem');
  const trusting = createFetchByTls({ ca: await readFile(authority, 'utf8') });
  const answer = await trusting(`https://localhost:${port}/.well-known/openid-configuration`);
  expect(await answer.json()).toMatchObject({ issuer: `https://localhost:${port}` });
  const configuration = await first.stop();
  expect(configuration).toMatchObject({
    alias: 'mine',
    server: { discoveryUrl: `https://localhost:${port}/.well-known/openid-configuration` },
    client: { client_id: 'client' },
  });
  const second = await start(...parameters);
  expect(await second.stop()).toEqual(configuration);
});

test('conformance with an invalid issuer ends with the reason, and leaves nothing running', async () => {
  const [port = 0] = await findFreePorts(1);
  const child = spawn(
    process.execPath,
    [
      programOf('test/conformance/main.ts'),
      'basic',
      '--port',
      `${port}`,
      '--issuer',
      'https://op.example:443',
    ],
    { env: { ...process.env, MONGODB_URI: mongoUri(), NODE_OPTIONS: '' } },
  );
  const said = text(child.stderr);
  expect(await once(child, 'exit')).toEqual([1, null]);
  expect(await said).toMatch(/option issuer: write 'https:\/\/op\.example'/);
});
