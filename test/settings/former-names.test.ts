import { Server } from 'node:http';

import { afterAll, describe, expect, test } from '@jest/globals';
import mongoose from 'mongoose';
import { Passport } from 'passport';

import { bearerGuard } from '../../lib/guard.js';
import { authorizationServer, localLogin } from '../../lib/index.js';
import { localLoginOptions } from '../../lib/pages/login/local-login-options.js';
import { bearerGuardOptions } from '../../lib/settings/bearer-guard-options.js';
import { mcpOptions } from '../../lib/settings/features/mcp-options.js';
import { authorizationServerOptions } from '../../lib/settings/options.js';
import { routeOptions, upgradeOptions, verifyOptions } from '../../lib/settings/options/guard-options.js';
import { FORMER_NAMES } from '../../lib/settings/table/former-names.js';
import type { OptionRows } from '../../lib/settings/table/option.js';

const connection = mongoose.createConnection();
afterAll(() => connection.close());

const issuer = 'https://photos.example';
const users = { verify: () => Promise.resolve(null), findById: () => Promise.resolve(null) };
const oauth = authorizationServer({ issuer, connection, scopes: {}, login: '/login' });
const FUNCTIONS: Readonly<Record<string, readonly [OptionRows, (options: object) => unknown]>> = {
  authorizationServer: [
    authorizationServerOptions,
    (options) => authorizationServer({ issuer, connection, scopes: {}, login: '/login', ...options }),
  ],
  bearerGuard: [bearerGuardOptions, (options) => bearerGuard({ issuer, ...options })],
  guard: [routeOptions, (options) => oauth.guard(options)],
  upgrade: [upgradeOptions, (options) => oauth.guard.upgrade(new Server(), options, () => undefined)],
  verify: [verifyOptions, (options) => oauth.verify('token', options)],
  mcp: [mcpOptions, (options) => oauth.mcp(options)],
  localLogin: [
    localLoginOptions,
    (options) => localLogin({ passport: new Passport() as never, users, ...options }),
  ],
};

/** Options with this value at a path; `*` is a resource. */
const at = (path: string, value: unknown): object =>
  path
    .split('.')
    .reduceRight<unknown>(
      (inside, name) => ({ [name === '*' ? 'https://api.photos.example' : name]: inside }),
      value,
    ) as object;

const rowAt = (rows: OptionRows, path: string) =>
  path
    .split('.')
    .reduce<{ readonly members?: OptionRows | undefined } | undefined>((row, name) => row?.members?.[name], {
      members: rows,
    });

const all = Object.entries(FORMER_NAMES).flatMap(([name, former]) =>
  Object.entries(former).map(([old, now]) => [name, old, now] as const),
);

test('each function with former names is tried', () => {
  expect(Object.keys(FORMER_NAMES)).toEqual(Object.keys(FUNCTIONS));
  expect(all.length).toBeGreaterThan(50);
});

describe.each(all)('%s: %s', (name, old, now) => {
  const [rows, call] = FUNCTIONS[name]!;

  const start = (value: unknown): Promise<unknown> =>
    Promise.resolve(at(old, value))
      .then(call)
      .catch((error: unknown) => error);

  test('is refused with the name that it has now, whatever its value', async () => {
    const error = await start(false);
    expect(error).toBeInstanceOf(TypeError);
    const { message } = error as TypeError;
    expect(message).toMatch(
      `${name}: the option ${old.replace('*', 'https://api.photos.example')} is not known by this name; write `,
    );
    for (const part of now.includes(' ') ? [now] : now.split('.')) expect(message).toMatch(part);
  });

  test('left undefined counts as left out', async () => {
    expect(String(await start(undefined))).not.toMatch(/is not known by this name/);
  });

  if (now.includes(' ') || old.includes('.')) return;
  test('the new one is there', () => {
    expect(rowAt(rows, now)).toBeDefined();
    expect(rows[old]).toBeUndefined();
  });
});

describe.each([
  ['in other capitals', 'accessTokenTTL'],
  ['as on the wire', 'access_token_ttl'],
  ['with a letter missing', 'accesTokenTtl'],
])('an old name %s', (_how, name) => {
  const [, call] = FUNCTIONS.authorizationServer!;

  test('is refused with the name that it has now, also where it stands too deep', () => {
    expect(() => call({ [name]: 60 })).toThrow(
      new TypeError(`authorizationServer: unknown option '${name}'; write lifetimes: { accessToken: … }`),
    );
    expect(() => call({ tokens: { [name]: 60 } })).toThrow(
      new TypeError(
        `authorizationServer: the option tokens has an unknown member '${name}'; write lifetimes: { accessToken: … }`,
      ),
    );
  });
});

test('an old name in other capitals goes before a name that is merely near', () => {
  const [, call] = FUNCTIONS.authorizationServer!;
  for (const name of ['authorizationCodeTTL', 'authorization_code_ttl', 'autorizationCodeTtl'])
    expect(() => call({ [name]: 60 })).toThrow(
      new TypeError(
        `authorizationServer: unknown option '${name}'; write lifetimes: { authorizationCode: … }`,
      ),
    );
  expect(() => call({ authorizationDetail: {} })).toThrow("did you mean 'authorizationDetails'?");
});

test.each<[string, object, string]>([
  [
    'a member at the top',
    { colors: {} },
    "authorizationServer: unknown option 'colors'; did you mean 'pages.colors'?",
  ],
  [
    'a member of a feature at the top',
    { signInTtl: 60 },
    "authorizationServer: unknown option 'signInTtl'; did you mean 'openid.signInTtl'?",
  ],
  [
    'a member in another group',
    { security: { reuseGrace: 10 } },
    "authorizationServer: the option security has an unknown member 'reuseGrace'; did you mean 'tokens.reuseGrace'?",
  ],
  [
    'an option in a group',
    { pages: { siteName: 'Photos' } },
    "authorizationServer: the option pages has an unknown member 'siteName'; did you mean 'siteName' at the top level?",
  ],
  [
    'a part of a member of a feature in a group',
    { guard: { tokenFormat: 'jwt' } },
    "authorizationServer: the option guard has an unknown member 'tokenFormat'; did you mean 'tokens.accessTokenFormat'?",
  ],
  [
    'a part of a member at the top',
    { tokenFormat: 'jwt' },
    "authorizationServer: unknown option 'tokenFormat'; did you mean 'tokens.accessTokenFormat'?",
  ],
  [
    'a misspelt member',
    { security: { clockTolerence: 10 } },
    "authorizationServer: the option security has an unknown member 'clockTolerence'; did you mean 'clockTolerance'?",
  ],
])('%s: the error says where it belongs', (_what, options, message) => {
  const [, call] = FUNCTIONS.authorizationServer!;
  expect(() => call(options)).toThrow(new TypeError(message));
});
