import { describe, expect, test } from '@jest/globals';
import mongoose from 'mongoose';

import { authorizationServer } from '../../lib/index.js';
import { connectionFor, openDatabase } from '../support/database.js';
import { SCOPES } from '../support/site.js';
import { fixture } from '../support/site-for.js';

const database = fixture(() => openDatabase());

const RIGHT = { issuer: 'https://photos.example', scopes: SCOPES, login: '/login' };

/** `unknown`: a host without TypeScript may write anything. */
function start(options: Readonly<Record<string, unknown>> = {}) {
  const issuer = typeof options.issuer === 'string' ? options.issuer : RIGHT.issuer;
  const connection = connectionFor(issuer, database.connection);
  return authorizationServer({ ...RIGHT, connection, ...options });
}

/** The message of the TypeError that stops the site from starting. */
function errorOf(create: () => unknown): string {
  try {
    create();
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    return (error as TypeError).message;
  }
  throw new Error('it started');
}

const handle = () => ({});

describe('valid options', () => {
  test('the four required options are enough', () => {
    expect(() => start()).not.toThrow();
  });

  test('an undefined member means the default, as if it were left out', () => {
    const members = {
      lifetimes: { accessToken: undefined },
      security: { pkce: undefined, rateLimits: undefined },
    };
    expect(() => start(members)).not.toThrow();
  });

  test('a connection that is not open yet is accepted', () => {
    expect(() => start({ connection: mongoose.createConnection() })).not.toThrow();
  });

  test.each<[string, Record<string, unknown>]>([
    ['an issuer with a path', { issuer: 'https://photos.example/auth' }],
    ['an issuer with a port', { issuer: 'https://photos.example:8443' }],
    ['http on this machine', { issuer: 'http://127.0.0.1:3000' }],
    [
      'http elsewhere with dangerouslyAllowInsecureHttp',
      { issuer: 'http://photos.example', security: { dangerouslyAllowInsecureHttp: true } },
    ],
    ['a login on another origin', { login: 'https://account.example/login' }],
    ['a login on another port of this machine', { login: 'http://localhost:3001/login?app=a' }],
    ['a login by a function', { login: () => '/login' }],
    ['a base path of several parts', { basePath: '/a/b-c.d' }],
    [
      'an extension grant by URI',
      { grantTypes: [{ grantType: 'urn:example:gift-card', parameters: ['card'], handle }] },
    ],
    [
      'an extension grant by a name',
      { grantTypes: ['authorization_code', { grantType: 'gift-card', parameters: [], handle }] },
    ],
    ['no limits', { security: { rateLimits: false } }],
    ['one limit', { security: { rateLimits: { token: 5 } } }],
    [
      'password with people.authenticate',
      { grantTypes: ['password'], people: { authenticate: () => Promise.resolve(null) } },
    ],
    ['a folder of views', { pages: { views: 'views' } }],
  ])('valid options start the site: %s', (_what, options) => {
    expect(() => start(options)).not.toThrow();
  });
});

describe('wrong options', () => {
  test.each<[string, Record<string, unknown>, readonly (string | RegExp)[]]>([
    ['an issuer that is no URL', { issuer: 'photos.example' }, ['issuer', "'photos.example'", 'https://']],
    ['an empty issuer', { issuer: '' }, ['issuer', 'https://']],
    [
      'an http issuer without TLS',
      { issuer: 'http://photos.example' },
      ['issuer', 'TLS', 'https:', 'dangerouslyAllowInsecureHttp'],
    ],
    [
      'an http issuer that begins like loopback',
      { issuer: 'http://localhost.photos.example' },
      ['issuer', 'TLS'],
    ],
    ['an issuer of another scheme', { issuer: 'ftp://photos.example' }, ['issuer', 'https:']],
    [
      'a slash after the issuer',
      { issuer: 'https://photos.example/' },
      ['issuer', "write 'https://photos.example'"],
    ],
    [
      'a slash after its path',
      { issuer: 'https://photos.example/auth/' },
      ['issuer', "write 'https://photos.example/auth'"],
    ],
    ['an issuer with a query', { issuer: 'https://photos.example?a=1' }, ['issuer', 'query']],
    ['an issuer with a fragment', { issuer: 'https://photos.example#a' }, ['issuer', 'fragment']],
    ['an issuer with a user name', { issuer: 'https://ada@photos.example' }, ['issuer', 'user name']],
    ['an issuer with a password', { issuer: 'https://:secret@photos.example' }, ['issuer', 'user name']],
    ['an issuer with spaces', { issuer: ' https://photos.example' }, ['issuer', 'https://photos.example']],
    [
      'an issuer with a path of dots',
      { issuer: 'https://photos.example/a/../b' },
      ['issuer', 'https://photos.example/b'],
    ],
    ['an issuer in upper case', { issuer: 'https://Photos.example' }, ['issuer', 'https://photos.example']],
    ['a default port', { issuer: 'https://photos.example:443' }, ['issuer', 'https://photos.example']],

    ['no connection', { connection: undefined }, ['connection', 'mongoose.connection']],
    ['mongoose itself', { connection: mongoose }, ['connection', 'mongoose.connection']],

    ['no scopes', { scopes: undefined }, ['scopes', 'description']],
    ['a list of scopes', { scopes: ['photos:read'] }, ['scopes', 'description']],
    ['a scope with a space', { scopes: { 'photos read': 'See' } }, ['scopes', "'photos read'", '§3.3']],
    ['a scope outside ASCII', { scopes: { fötos: 'See' } }, ['scopes', "'fötos'"]],
    ['a scope without words', { scopes: { 'photos:read': '' } }, ['scopes.photos:read', 'description']],
    ['an unknown default scope', { defaultScopes: ['photo:read'] }, ['defaultScopes', "'photo:read'"]],
    ['a default scope of every object', { defaultScopes: ['toString'] }, ['defaultScopes', "'toString'"]],

    ['no login', { login: undefined }, ['login', "'/login'"]],
    ['a login without TLS', { login: 'http://account.example/login' }, ['login', 'an https: URL']],
    ['a login URL with a user', { login: 'https://a@account.example/' }, ['login', 'a path on this site']],
    ['a login URL with a fragment', { login: 'https://account.example/#a' }, ['login', 'a path on']],
    ['a malformed login URL', { login: 'https://%/login' }, ['login', 'no URL to log in at']],
    [
      'a login that browsers take for another site',
      { login: '//evil.example/login' },
      ['login', 'a path on this site'],
    ],
    ['a login with a query', { login: '/login?a=1' }, ['login', 'a path on this site']],
    ['a login without slash', { login: 'login' }, ['login', 'a path on this site']],
    ['a login option that does not exist', { login: { path: '/login', returnTo: 'next' } }, ['login']],

    ['a base path without slash', { basePath: 'oauth' }, ['basePath', '/oauth']],
    ['a base path with a slash at the end', { basePath: '/oauth/' }, ['basePath', '/oauth']],
    ['a base path that is a pattern', { basePath: '/:any' }, ['basePath', '/oauth']],

    [
      'an unknown grant type',
      { grantTypes: ['authorisation_code'] },
      ['grantTypes', "'authorisation_code'", 'authorization_code', 'client_credentials'],
    ],
    [
      'a duplicate grant type',
      { grantTypes: ['password', 'password'], people: { authenticate: handle } },
      ['grantTypes', "'password'", 'twice'],
    ],
    ['a negative number', { lifetimes: { refreshToken: -1 } }, ['lifetimes.refreshToken', 'more than 0']],
    ['not a number', { lifetimes: { accessToken: Number.NaN } }, ['lifetimes.accessToken', 'number']],
    ['an infinite lifetime', { lifetimes: { accessToken: Infinity } }, ['lifetimes.accessToken', 'number']],
    ['a negative lifetime', { clientAuthentication: { assertions: { maxTtl: -1 } } }, ['maxTtl']],
    ['a timeout of text', { advanced: { databaseTimeout: '5s' } }, ['databaseTimeout', 'milliseconds']],

    [
      'an unknown mode of PKCE',
      { security: { pkce: true } },
      ['security.pkce', "'public', 'all' or 'optional'"],
    ],
    ['an empty list of bearer methods', { guard: { bearerMethods: [] } }, ['bearerMethods']],
    ['registration of no client', { registration: { maxClients: 0 } }, ['registration.maxClients']],
    ['registration that ends at once', { registration: { unusedTtl: -1 } }, ['registration.unusedTtl']],
    [
      'registration for a grant type that the server lacks',
      { registration: { grantTypes: ['implicit'] } },
      ["registration.grantTypes: 'implicit' is not among grantTypes of the server: authorization_code"],
    ],
    [
      'registration for a scope that the server lacks',
      { registration: { scopes: ['admin'] } },
      ["registration.scopes: 'admin' is not among scopes of the server"],
    ],
    [
      'software statements without a verifier',
      { registration: { verifySoftwareStatement: 'jwt' } },
      ['registration.verifySoftwareStatement'],
    ],
    ['views that do not exist', { pages: { views: '/does/not/exist' } }, ['pages.views', 'folder']],
    ['limits set to true', { security: { rateLimits: true } }, ['rateLimits']],
  ])('a wrong option stops the site from starting, with its name and cure: %s', (_what, options, texts) => {
    const message = errorOf(() => start(options));
    expect(message).toMatch(/^authorizationServer: /);
    for (const text of texts) expect(message).toContain(text);
  });

  test.each([
    ['isuer', 'issuer'],
    ['scope', 'scopes'],
    ['Issuer', 'issuer'],
    ['require_resource', 'security.requireResource'],
    ['grantType', 'grantTypes'],
    ['PKCE', 'security.pkce'],
    ['colors', 'pages.colors'],
    ['signInTtl', 'openid.signInTtl'],
    ['token', 'tokens'],
    ['loginPath', 'login'],
    ['allowInsecureHttp', 'security.dangerouslyAllowInsecureHttp'],
  ])('the unknown option %s: did you mean %s?', (name, meant) => {
    const message = errorOf(() => start({ [name]: 'x' }));
    expect(message).toBe(`authorizationServer: unknown option '${name}'; did you mean '${meant}'?`);
  });

  test('an unknown option without similar names is answered with all names', () => {
    const message = errorOf(() => start({ jwks: {} }));
    expect(message).toContain("unknown option 'jwks'");
    expect(message).toContain('issuer, connection, scopes, login');
  });
});

describe('a mistake at a guard', () => {
  test('a guard refuses a misspelt scope, which would lock everybody out', () => {
    const { guard } = start();
    for (const create of [
      () => guard('photo:read'),
      () => guard('photos:read', 'photo:write'),
      () => guard.any('photo:read'),
      () => guard({ scopes: ['photo:read'] }),
    ]) {
      const message = errorOf(create);
      expect(message).toMatch(/^guard: 'photo:\w+' is not among the scopes/);
      expect(message).toMatch(/did you mean 'photos:(read|write)'\?$/);
    }
  });

  test('a guard refuses two scopes in one text', () => {
    expect(errorOf(() => start().guard('photos:read photos:write'))).toContain("'photos:read photos:write'");
  });

  test('a guard refuses any without scopes, which would be always open or always shut', () => {
    expect(errorOf(() => start().guard.any())).toMatch(/^guard: .*scope/);
    expect(errorOf(() => start().guard({ any: true }))).toMatch(/^guard: .*scope/);
  });
});
