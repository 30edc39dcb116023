import { describe, expect, test } from '@jest/globals';
import mongoose from 'mongoose';
import { Passport } from 'passport';
import { Strategy } from 'passport-local';

import { CLIENT_FIELDS } from '../../lib/core/clients/client-fields.js';
import { BUILT_IN, registryOf } from '../../lib/features.js';
import { bearerGuard } from '../../lib/guard.js';
import { authorizationServer, createUsers, localLogin, OAuthError } from '../../lib/index.js';
import { localLoginOptions } from '../../lib/pages/login/local-login-options.js';
import { createDescribeOpenApi } from '../../lib/server/openapi.js';
import { bearerGuardOptions } from '../../lib/settings/bearer-guard-options.js';
import { routeOptions } from '../../lib/settings/options/guard-options.js';
import { openApiOptions } from '../../lib/settings/options/openapi-options.js';
import { usersOptions } from '../../lib/settings/options/users-options.js';
import { parseSettings, serverOptionsWith } from '../../lib/settings/settings.js';
import type { OptionRows } from '../../lib/settings/table/option.js';
import { type Site } from '../support/site.js';
import { siteFor } from '../support/site-for.js';

const connection = mongoose.createConnection();
const site = { issuer: 'https://photos.example', connection, scopes: {}, login: '/login' };
const describeOpenApi = createDescribeOpenApi({
  settings: parseSettings(site, registryOf(BUILT_IN)),
  grantTypes: [],
});
const people = { verify: () => Promise.resolve(null), findById: () => Promise.resolve(null) };

/** Each public function with options, with valid options. */
const FUNCTIONS: readonly [string, OptionRows, (options: object) => unknown][] = [
  [
    'authorizationServer',
    serverOptionsWith(registryOf(BUILT_IN)),
    (given) => parseSettings({ ...site, ...given }, registryOf(BUILT_IN)),
  ],
  [
    'localLogin',
    localLoginOptions,
    (given) => localLogin({ passport: new Passport() as never, users: { ...people, connection }, ...given }),
  ],
  ['createUsers', usersOptions, (given) => createUsers(connection, given)],
  ['bearerGuard', bearerGuardOptions, (given) => bearerGuard({ issuer: 'https://photos.example', ...given })],
  ['openapi', openApiOptions, describeOpenApi],
  ['guard', routeOptions, (given) => bearerGuard({ issuer: 'https://photos.example' })(given)],
];

/** Values that may be wrong; some are valid for some options. */
const VALUES: readonly unknown[] = [
  null,
  true,
  'x',
  '',
  -1,
  0.5,
  Number.NaN,
  [],
  [1],
  ['cookie'],
  [{}],
  {},
  { x: 1 },
  // holes
  Array(2),
  { 'photos:read': 1 },
  { 'https://api.photos.example': { accessTokenFormat: 'JWT' } },
  { path: 5 },
  { colors: { accent: 'red' } },
  { colors: { accent: { light: 'red' } } },
  { sources: { style: 'https://a.example' } },
  { messages: { en: { 'login.title': 1 } } },
  { messages: { en: 1 } },
  { locale: 'de' },
  { algorithm: 'none' },
  { keys: ['x'] },
  { audience: 'all' },
  { ttl: '1d' },
  { open: 'yes' },
  { tracer: {} },
  { token: 0 },
  () => undefined,
  Symbol('x'),
  1n,
  new Date(0),
];

describe.each(FUNCTIONS)('%s', (name, rows, call) => {
  test(`${name} accepts its required options alone, and undefined for the others`, () => {
    expect(() => call({})).not.toThrow();
    expect(() =>
      call(
        Object.fromEntries(
          Object.keys(rows)
            .filter((option) => rows[option]!.kind !== 'required')
            .map((option) => [option, undefined]),
        ),
      ),
    ).not.toThrow();
  });

  test.each(Object.keys(rows))(`${name} refuses wrong values of %s in words of the package`, (option) => {
    const messages = VALUES.flatMap((value) => {
      try {
        call({ [option]: value });
        return [];
      } catch (error) {
        expect(error).toBeInstanceOf(TypeError);
        return [(error as TypeError).message];
      }
    });
    expect(messages.length).toBeGreaterThan(10);
    for (const message of messages) {
      expect(message).toMatch(
        new RegExp(
          `^${name}: ((the option (${option}|clientId)[\\w.:/@-]*( must be |: | is missing| has an unknown member))|any needs|.* is not among the )`,
        ),
      );
      expect(message).not.toMatch(/invalid|expected|received|undefined/i);
    }
  });

  test(`${name} refuses an unknown name with a suggestion`, () => {
    const [first = ''] = Object.keys(rows);
    expect(() => call({ [`${first}s_`]: 1 })).toThrow(
      `${name}: unknown option '${first}s_'; did you mean '${first}'?`,
    );
  });

  test.each([null, 5, 'text', [], () => undefined])(`${name} refuses %p in place of its options`, (given) => {
    const functions: Record<string, (options: never) => unknown> = {
      authorizationServer,
      localLogin,
      bearerGuard,
      createUsers: (options) => createUsers(connection, options),
      openapi: describeOpenApi,
      guard: (options) => bearerGuard({ issuer: 'https://photos.example' })(options),
    };
    // guard('text') is the guard of a scope
    if (name === 'guard' && typeof given === 'string') return;
    expect(() => functions[name]!(given as never)).toThrow(
      new RegExp(`^${name}: (the options must be an object|the option scopes.0 must be a scope)`),
    );
  });
});

describe('several wrong options are reported in one error, a line for each', () => {
  const linesOf = (call: () => unknown): readonly string[] => {
    try {
      call();
    } catch (error) {
      expect(error).toBeInstanceOf(TypeError);
      return (error as TypeError).message.split('\n');
    }
    return [];
  };
  const withStrategy = () => new Passport().use('local', new Strategy(() => undefined));

  test.each<[string, (options: object) => unknown, object, readonly string[]]>([
    [
      'authorizationServer',
      authorizationServer as never,
      {
        ...site,
        issuer: 'https://photos.example/',
        scopes: { 'photos:read': 'See your photos' },
        basePaths: '/auth',
        zzz: true,
        siteName: 5,
        lifetimes: { accessToken: '1h', refreshToken: 0.5, acessToken: 5 },
        dpop: { requird: true, nonces: 'yes' },
        defaultScopes: ['photos:write'],
        resources: { 'https://api.photos.example': { scopes: ['photos:delete'] } },
        openid: { claims: () => ({}), scopeClaims: { team: ['team'] } },
        spiffe: {},
        agents: true,
        grantTypes: ['refresh_token'],
        pages: {
          colors: { accent: { light: '#ffffff', dark: '#000000' } },
          messages: { de: { 'no.text': '' } },
        },
      },
      [
        "the option grantTypes: with agents, agents ask people by codes; name 'authorization_code', and 'refresh_token'",
        "unknown option 'basePaths'; did you mean 'basePath'?",
        "unknown option 'zzz'; there are ",
        'the option siteName must be ',
        "the option lifetimes has an unknown member 'acessToken'; did you mean 'accessToken'?",
        "the option lifetimes.accessToken must be a number of seconds, such as 3600, not '1h'",
        'the option lifetimes.refreshToken must be whole seconds, such as ',
        "the option dpop has an unknown member 'requird'; did you mean 'required'?",
        "the option dpop.nonces must be a boolean: true or false, not 'yes'",
        "the option pages.messages.de: there is no text 'no.text'",
        'the option pages.colors.accent: ',
        "the option issuer: write 'https://photos.example': ",
        "the option defaultScopes: 'photos:write' is not among scopes",
        "the option resources: 'https://api.photos.example' its scope 'photos:delete' is not among scopes",
        'the option openid: needs signingKeys.encryptionSecret: ',
        "the option openid.scopeClaims.team: 'team' is not among scopes",
        'the option spiffe: must have a trust domain',
      ],
    ],
    [
      'authorizationServer',
      authorizationServer as never,
      {
        ...site,
        profile: 'fapi2',
        security: { pkce: 'public', clockTolerance: 0 },
        grantTypes: ['authorization_code', 'implicit'],
        lifetimes: { authorizationCode: 600 },
      },
      [
        "the option grantTypes: the profile 'fapi2' asks for no response type but code",
        'the option lifetimes.authorizationCode: ',
        'the option security.clockTolerance: ',
        'the option security.pkce: ',
      ],
    ],
    [
      'bearerGuard',
      bearerGuard as never,
      {
        issuer: 'http://photos.example',
        scope: ['photos:read'],
        timeout: 'soon',
        cacheMaxAge: 'soon',
        cachemaxage: 3,
        senderConstrained: true,
        clientId: 'api',
        scopes: { 'photos:write': ['photos:write'] },
      },
      [
        "unknown option 'scope'; did you mean 'scopes'?",
        "unknown option 'cachemaxage'; did you mean 'cacheMaxAge'?",
        'the option cacheMaxAge must be ',
        'the option timeout must be a number of milliseconds',
        'the option senderConstrained: lets in tokens that are bound',
        'the option clientId: write both',
        "the option issuer: 'http://photos.example' is asked for its keys without TLS",
      ],
    ],
    [
      'localLogin',
      localLogin as never,
      {
        passport: withStrategy(),
        users: {},
        path: 'login',
        links: { forgot: 'mailto:x', signup: '/join' },
        loginPath: '/login',
      },
      [
        "unknown option 'loginPath'; ",
        'the option users must be an object with verify and findById',
        "the option path must be a path on this site, such as '/login', not 'login'",
        "the option links has an unknown member 'signup'; did you mean 'signUp'?",
        'the option links.forgot must be ',
        "passport has a strategy 'local' already",
      ],
    ],
  ])('%s reports several wrong options in one error, a line for each', (name, call, options, expected) => {
    const lines = linesOf(() => call(options));
    for (const line of lines) expect(line).toMatch(new RegExp(`^${name}: `));
    const found = lines.map((line) => line.slice(name.length + 2));
    expect(found.map((line) => expected.find((begin) => line.startsWith(begin)) ?? line).sort()).toEqual(
      [...expected].sort(),
    );
  });

  test('a consequence of another wrong option is not reported', () => {
    const secretless = { ...site, tokens: { accessTokenFormat: 'jwt' } };
    // signingKeys is there, under another name: the lack of an encryption secret is no second mistake
    expect(
      linesOf(() => authorizationServer({ ...secretless, signingKey: { encryptionSecret: 'x' } } as never)),
    ).toEqual(["authorizationServer: unknown option 'signingKey'; did you mean 'signingKeys'?"]);
    expect(
      linesOf(() =>
        authorizationServer({ ...site, scopes: 'photos:read', defaultScopes: ['photos:read'] } as never),
      ),
    ).toEqual([expect.stringContaining('the option scopes must be an object')]);
    expect(linesOf(() => bearerGuard({ isuer: 'https://photos.example', clientId: 'a' } as never))).toEqual([
      "bearerGuard: unknown option 'isuer'; did you mean 'issuer'?",
      'bearerGuard: the option clientId: write both clientId and clientSecret (or clientKey), or neither',
    ]);
  });
});

describe('the exact messages', () => {
  test.each<[object, string]>([
    [
      { lifetimes: { refreshToken: '1d' } },
      "the option lifetimes.refreshToken must be a number of seconds, such as 2592000, not '1d'",
    ],
    [
      { lifetimes: { accessToken: 0.5 } },
      'the option lifetimes.accessToken must be whole seconds, such as 3600, not 0.5',
    ],
    [
      { security: { rateLimits: { token: 'a' } } },
      "the option security.rateLimits.token must be a number, such as 60, not 'a'",
    ],
    [
      { guard: { bearerMethods: ['cookie'] } },
      "the option guard.bearerMethods.0 must be 'header', 'body' or 'query', not 'cookie'",
    ],
    [{ isuer: 'https://photos.example' }, "unknown option 'isuer'; did you mean 'issuer'?"],
    [
      { security: { rateLimits: { tokens: 5 } } },
      "the option security.rateLimits has an unknown member 'tokens'; did you mean 'token'?",
    ],
    [
      { openid: { clams: () => null } },
      "the option openid has an unknown member 'clams'; did you mean 'claims'?",
    ],
    [
      { webhooks: [{ url: 'https://hooks.example/', secrt: 'whsec_x', events: ['*'] }] },
      "the option webhooks.0 has an unknown member 'secrt'; did you mean 'secret'?",
    ],
    [
      { scopes: { a: { descripton: 'See your photos' } } },
      "the option scopes.a has an unknown member 'descripton'; did you mean 'description'?",
    ],
    [
      { pages: { colors: { accent: { ligh: '#2f54c8', dark: '#2f54c8' } } } },
      "the option pages.colors.accent has an unknown member 'ligh'; did you mean 'light'?",
    ],
    [
      { advanced: { paths: { tokn: '/t' } } },
      "the option advanced.paths: there is no endpoint 'tokn'; did you mean 'token'?",
    ],
    [
      { grantTypes: [{ grantType: 'gift', parameters: [], handel: () => ({}) }] },
      "the option grantTypes.0 has an unknown member 'handel'; did you mean 'handle'?",
    ],
    [
      { grantTypes: [{ name: 'gift', handel: () => ({}) }] },
      [
        "the option grantTypes.0 has an unknown member 'name'; there are grantType, parameters, handle",
        "the option grantTypes.0 has an unknown member 'handel'; did you mean 'handle'?",
        "the option grantTypes.0.grantType is missing: it must be the name of the grant type, such as 'urn:example:grant-type:gift-card'",
        "the option grantTypes.0.parameters is missing: it must be a list of parameters, such as ['gift_card']",
      ].join('\nauthorizationServer: '),
    ],
    [
      { grantTypes: [{ grantType: 'gift', parameters: [] }] },
      'the option grantTypes.0.handle is missing: it must be a function, such as async ({ client, parameters, scopes }) => ({ userId })',
    ],
    [
      { issuer: undefined },
      'the option issuer is missing: it must be the public URL of this site, such as https://photos.example',
    ],
    [
      { connection: 'mongodb://ada:secret@127.0.0.1' },
      'the option connection must be a Mongoose connection; write mongoose.connection, or what mongoose.createConnection() gives',
    ],
    [
      { clientAuthentication: { secretKey: 'too short' } },
      'the option clientAuthentication.secretKey must be at least 32 random characters, or a list of such texts of which the first encrypts; `openssl rand -base64 32` prints some',
    ],
  ])('the exact message for wrong options: %p', (options, message) => {
    expect(() => authorizationServer({ ...site, ...options })).toThrow(
      new TypeError(`authorizationServer: ${message}`),
    );
  });
});

test('a grant type of an instance has its methods, and may have more', () => {
  class GiftCards {
    readonly grantType = 'gift';
    readonly parameters = ['card'];
    readonly used = new Set<string>();
    handle() {
      return {};
    }
  }
  const giftCards = new GiftCards();
  const settings = parseSettings({ ...site, grantTypes: [giftCards] }, registryOf(BUILT_IN));
  expect(settings.extensionGrantTypes[0]).toBe(giftCards);
});

test.each<[unknown, string]>([
  [undefined, 'is missing: it must be a Mongoose connection: write mongoose.connection'],
  [{}, 'must be a Mongoose connection; write mongoose.connection'],
  [{ connection, rounds: 4 }, 'must be a Mongoose connection; write mongoose.connection'],
])('createUsers(%p) says that it needs a connection', (given, terms) => {
  expect(() => createUsers(given as never)).toThrow(`createUsers: the option connection ${terms}`);
});

test.each([-1, 0, 1, 3, 21, 31, 50, 4.5, Infinity, '12'])(
  'createUsers refuses %p rounds of bcrypt, and says the range',
  (rounds) => {
    expect(() => createUsers(connection, { rounds: rounds as never })).toThrow(
      'createUsers: the option rounds must be a whole number from 4 to 20, such as 12',
    );
  },
);

describe('the options of calls to a running server', () => {
  const running = siteFor();

  test.each<[string, (oauth: Site['oauth']) => Promise<unknown>]>([
    [
      "grants.revoke: unknown option 'user'; did you mean 'userId'?",
      (oauth) => oauth.grants.revoke({ user: 'ada' } as never),
    ],
    [
      'grants.revoke: the option userId must be the id of a user, as text, not 5',
      (oauth) => oauth.grants.revoke({ userId: 5, clientId: 'x' } as never),
    ],
    [
      'grants.revoke: the option userId must have a value or be left out, not be undefined',
      (oauth) => oauth.grants.revoke({ userId: undefined, clientId: 'x' }),
    ],
    [
      'grants.revoke: name a userId, a clientId, a scope, a kind, issuedBefore, or all: true',
      (oauth) => oauth.grants.revoke({ dryRun: true } as never),
    ],
    [
      'grants.revoke: all ends everything; leave out userId',
      (oauth) => oauth.grants.revoke({ all: true, userId: 'ada' }),
    ],
    [
      "grants.revoke: the option issuedBefore must be a Date in the past, not '2026-01-31'",
      (oauth) => oauth.grants.revoke({ issuedBefore: '2026-01-31' } as never),
    ],
    [
      'grants.revoke: the option issuedBefore must be a Date in the past, not 9999-01-31T00:00:00.000Z',
      (oauth) => oauth.grants.revoke({ issuedBefore: new Date('9999-01-31') }),
    ],
    [
      "registration.createInitialAccessToken: the option expiresIn must be a number of seconds, such as 3600, not '1h'",
      (oauth) => oauth.registration.createInitialAccessToken({ expiresIn: '1h' } as never),
    ],
    [
      "registration.createInitialAccessToken: unknown option 'use'; did you mean 'uses'?",
      (oauth) => oauth.registration.createInitialAccessToken({ expiresIn: 60, use: 2 } as never),
    ],
    [
      "clients.create: unknown option 'redirectUri'; did you mean 'redirectUris'?",
      (oauth) => oauth.clients.create({ name: 'Shop', redirectUri: 'https://a.example' } as never),
    ],
    [
      "clients.update: unknown option 'scope'; did you mean 'scopes'?",
      (oauth) => oauth.clients.update('x', { scope: ['photos:read'] } as never),
    ],
    [
      'clients.create: the options must be an object, such as { name: … }, not undefined',
      (oauth) => oauth.clients.create(undefined as never),
    ],
  ])('a wrong option of a call throws: %s', async (message, call) => {
    await expect(call(running.oauth)).rejects.toThrow(new TypeError(message));
  });

  test.each(CLIENT_FIELDS.map(({ name }) => name))(
    'clients.create refuses wrong values of %s in words of the package',
    async (name) => {
      const { clients } = running.oauth;
      const right = { name: 'Shop', redirectUris: ['https://shop.example/callback'] };
      for (const value of VALUES) {
        const refusal = await clients.create({ ...right, [name]: value }).then(
          () => undefined,
          (error: unknown) => error as Error,
        );
        if (refusal === undefined) continue;
        expect([value, refusal]).toEqual([value, expect.any(OAuthError)]);
        expect(refusal.message).not.toMatch(
          /invalid input|invalid option|expected|received|is not (a function|iterable)/i,
        );
      }
    },
  );
});
