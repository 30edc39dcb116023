import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from '@jest/globals';
import mongoose from 'mongoose';

import { BUILT_IN, registryOf } from '../../lib/features.js';
import { bearerGuard } from '../../lib/guard.js';
import { parseSettings } from '../../lib/settings/settings.js';
import { blocks } from '../docs/blocks.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const connection = mongoose.createConnection();
const site = { issuer: 'https://photos.example', connection, scopes: {}, login: '/login' };
const start = (given: object) => parseSettings({ ...site, ...given }, registryOf(BUILT_IN));
const claims = () => ({});
const GOOD = 'a secret of the test, of 32 characters';
const WEBHOOK = { url: 'https://hooks.example', events: ['*'] };

type Given = (secret: unknown) => unknown;
/** Each secret option, with a value in its place. */
const SECRETS: Readonly<Record<string, Given>> = {
  'signingKeys.encryptionSecret': (secret) => start({ signingKeys: { encryptionSecret: secret } }),
  'signingKeys.keys': (secret) => start({ signingKeys: { keys: [secret] } }),
  'signedRequests.encryption.keys': (secret) =>
    start({ signedRequests: { encryption: { keys: [secret] } }, signingKeys: { encryptionSecret: GOOD } }),
  'clientAuthentication.secretKey': (secret) => start({ clientAuthentication: { secretKey: secret } }),
  'clientAuthentication.secretKey in a list': (secret) =>
    start({ clientAuthentication: { secretKey: [GOOD, secret] } }),
  'openid.pairwiseSalt': (secret) =>
    start({ openid: { claims, pairwiseSalt: secret }, signingKeys: { encryptionSecret: GOOD } }),
  'webhooks.secret': (secret) => start({ webhooks: [{ ...WEBHOOK, secret }] }),
  'webhooks.secret in a list': (secret) => start({ webhooks: [{ ...WEBHOOK, secret: [secret] }] }),
  connection: (secret) => start({ connection: secret }),
  'bearerGuard: clientKey': (secret) => bearerGuard({ issuer: site.issuer, clientKey: secret as never }),
  'bearerGuard: dpop.nonceSecret': (secret) =>
    bearerGuard({ issuer: site.issuer, dpop: { nonceSecret: secret as never } }),
};

describe('a secret option', () => {
  test.each(Object.entries(SECRETS))('%s: no message contains its value', (_name, give) => {
    for (const secret of ['hunter2-my-real-secret', 4711_4711]) {
      let message = '';
      try {
        give(secret);
      } catch (error) {
        message = String((error as Error).message);
      }
      expect(message).toContain('must be');
      expect(message).not.toContain(String(secret));
    }
  });

  test.each<[string, Given]>([
    ['signingKeys', (secret) => start({ signingKeys: secret })],
    ['dpop', (secret) => start({ dpop: secret })],
    ['clientAuthentication', (secret) => start({ clientAuthentication: secret })],
    ['webhooks', (secret) => start({ webhooks: secret })],
    ['webhooks.0', (secret) => start({ webhooks: [secret] })],
    ['login', (secret) => start({ login: `https://ada:${String(secret)}@photos.example/login` })],
    ['the options', (secret) => parseSettings(secret as never, registryOf(BUILT_IN))],
  ])('a secret one level too high, as %s, is in no message', (_name, give) => {
    expect(() => give('hunter2-my-real-secret')).toThrow(/must be (?!.*hunter2)/);
  });

  test('each secret option is marked as secret in its row', () => {
    const files = readdirSync(join(root, 'lib'), { recursive: true, encoding: 'utf8' });
    const rows = files
      .filter((file) => /^(settings|features)\b.*\boptions\.ts$/.test(file))
      .flatMap((file) => [
        ...readFileSync(join(root, 'lib', file), 'utf8').matchAll(
          /^( *)(\w+): (?:option|required)\(\{((?:.+\}\)|\n[^]*?^\1\}\))),?$/gm,
        ),
      ])
      // the way to fetch keys is no secret
      .filter(([, , , body = '']) => !body.includes('objectOf('))
      .map(([, , name = '', body = '']) => ({ name, isMarked: body.includes('secret: true') }));
    const named = rows.filter(({ name }) =>
      /^(secret|secretKey|salt|keys|connection|password)$|(?<!Options)Secret(Key)?$|^clientKey$/.test(name),
    );
    expect(named.length).toBeGreaterThanOrEqual(9);
    expect(named.filter(({ isMarked }) => !isMarked)).toEqual([]);
  });
});

describe('a guessable secret', () => {
  const GUESSABLE = [
    'openssl rand -base64 32 prints one, 32 characters at least',
    'at least 32 characters, the same everywhere',
    'a'.repeat(32),
    'secret'.repeat(6),
    '0101010101010101010101010101010101',
    'your-secret-here-at-least-32-characters',
    'CHANGE ME: openssl rand -base64 32 says',
    'replace_this_with_32_random_characters',
    'put your own secret key in this place!!',
    'a long long password goes here, please.',
    'your-256-bit-secret-your-256-bit-secret',
    '<the output of openssl rand -base64 32>',
    'abcdefghijklmnopqrstuvwxyz0123456789',
    'qwertyuiopasdfghjklzxcvbnm123456',
  ];
  const texts = [
    'signingKeys.encryptionSecret',
    'clientAuthentication.secretKey',
    'openid.pairwiseSalt',
  ].flatMap((name) => GUESSABLE.map((secret) => [name, secret] as const));

  test.each(texts)('%s: the guessable secret %s is refused', (name, secret) => {
    const terms = /must be random: this one can be guessed; `openssl rand -base64 32` prints/;
    expect(() => SECRETS[name]!(secret)).toThrow(terms);
  });

  test.each([
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    `whsec_${Buffer.alloc(32).toString('base64')}`,
    `whsec_${Buffer.from('at least 32 characters, the same everywhere').toString('base64')}`,
  ])('a webhook secret that is an example of documents or no random bytes is refused: %s', (secret) => {
    expect(() => SECRETS['webhooks.secret']!(secret)).toThrow('can be guessed');
  });

  test('random secrets are accepted', () => {
    for (let times = 0; times < 500; times += 1) {
      const bytes = randomBytes(24 + (times % 40));
      const [text, hex] = [bytes.toString('base64'), bytes.toString('hex')];
      expect(() => SECRETS['webhooks.secret']!(`whsec_${text}`)).not.toThrow();
      for (const secret of [text, hex]) expect(() => SECRETS['openid.pairwiseSalt']!(secret)).not.toThrow();
    }
  });

  test.each(['signingKeys.encryptionSecret', 'clientAuthentication.secretKey', 'openid.pairwiseSalt'])(
    '%s: a long sentence and the output of openssl are accepted',
    (name) => {
      for (const secret of [GOOD, 'kHc3wYyq0Vv1y7JwH0v3m3H0o2l4b1Qw7b8Zk0m5x9E='])
        expect(() => SECRETS[name]!(secret)).not.toThrow();
    },
  );

  test('no document contains a secret in clear', () => {
    const written = blocks.filter(({ text }) =>
      /\b(encryptionSecret|secretKey|salt|nonceSecret|secret): *['"`]/.test(text),
    );
    expect(written.map(({ document, text }) => [document, text])).toEqual([]);
  });
});
