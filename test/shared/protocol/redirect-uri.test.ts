import { describe, expect, test } from '@jest/globals';

import {
  findRedirectUriProblem,
  findRegisteredRedirectUri,
  isLoopbackHost,
  isRedirectUriProven,
} from '../../../lib/shared/protocol/redirect-uri.js';

describe('redirect URIs for registration', () => {
  test.each([
    'https://app.example/callback',
    'https://app.example',
    'https://app.example:8443/cb?tenant=1',
    'https://App.Example:443/cb',
    'HTTPS://app.example/cb',
    'https://app.example/%C3%A4',
    'http://127.0.0.1/cb',
    'http://127.0.0.1:3000/cb',
    'http://[::1]:3000/cb',
    'http://localhost:3000/cb',
    'http://app.localhost:3000/cb',
    'http://127.1.2.3/cb',
    'com.example.app:/callback',
    'com.example.app://callback',
  ])('the redirect URI %s can be registered', (uri) => {
    expect(findRedirectUriProblem(uri)).toBeUndefined();
  });

  test.each([
    ['', 'uriCharacters'],
    ['/callback', 'uriNoScheme'],
    ['//app.example/callback', 'uriNoScheme'],
    ['app.example/callback', 'uriNoScheme'],
    ['://app.example/callback', 'uriNoScheme'],
    ['localhost:3000/cb', 'uriNoScheme'],
    ['app.example:3000/cb', 'uriNoScheme'],
    ['com.example.my_app:/cb', 'uriSchemeCharacter'],
    ['1app:/cb', 'uriSchemeCharacter'],
    ['com.example~app:/cb', 'uriSchemeCharacter'],
    ['http://app.localhost.evil.example/cb', 'uriHttp'],
    ['http://128.0.0.1/cb', 'uriHttp'],
    ['mailto:a@b.example', 'uriScheme'],
    ['intent://app', 'uriScheme'],
    ['https:', 'uriNotAbsolute'],
    ['https://', 'uriNotAbsolute'],
    ['https:good.example/cb', 'uriNotAbsolute'],
    ['https:/good.example/cb', 'uriNotAbsolute'],
    ['https:///good.example/cb', 'uriNotAbsolute'],
    ['https:../../account', 'uriNotAbsolute'],
    ['HTTPS:good.example/cb', 'uriNotAbsolute'],
    ['http:localhost/cb', 'uriNotAbsolute'],
    ['http:/127.0.0.1/cb', 'uriNotAbsolute'],
    ['http://2130706433/cb', 'uriNotAbsolute'],
    ['https://%65vil.example/cb', 'uriNotAbsolute'],
    ['https:\\\\good.example/cb', 'uriCharacters'],
    ['https:/\\good.example/cb', 'uriCharacters'],
    ['https://\\good.example/cb', 'uriCharacters'],
    [`https://app.example/${'a'.repeat(2048)}`, 'uriTooLong'],
    ['https://app.example/a b', 'uriCharacters'],
    ['https://app.example/ä', 'uriCharacters'],
    ['https://app.example/\n', 'uriCharacters'],
    ['https://app.example\\@evil.example', 'uriCharacters'],
    ['https://app.example/<script>', 'uriCharacters'],
    ['https://*.app.example/cb', 'uriWildcard'],
    ['https://app.example/*', 'uriWildcard'],
    ['https://app.example/cb#', 'uriFragment'],
    ['https://app.example/cb#a', 'uriFragment'],
    ['com.example.app:/cb#a', 'uriFragment'],
    ['https://user@app.example/cb', 'uriUserinfo'],
    ['https://:word@app.example/cb', 'uriUserinfo'],
    ['http://app.example/cb', 'uriHttp'],
    ['http://127.0.0.1.evil.example/cb', 'uriHttp'],
    ['http://localhost.evil.example/cb', 'uriHttp'],
    ['http://192.168.0.1/cb', 'uriHttp'],
    ['javascript:alert(1)', 'uriScheme'],
    ['JavaScript:alert(1)', 'uriScheme'],
    ['data:text/html,a', 'uriScheme'],
    ['file:///etc/passwd', 'uriScheme'],
    ['ws://app.example/cb', 'uriScheme'],
    ['urn:ietf:wg:oauth:2.0:oob', 'uriScheme'],
    ['myapp:/callback', 'uriPrivateScheme'],
    ['cursors://a/callback', 'uriPrivateScheme'],
    ['xcursor://a/callback', 'uriPrivateScheme'],
    ['cursor-x:/callback', 'uriPrivateScheme'],
    ['https://app.example/cb?code=1', 'uriQuery'],
    ['https://app.example/cb?error=1', 'uriQuery'],
    ['https://app.example/cb?error_description=1', 'uriQuery'],
    ['https://app.example/cb?a=1&state=', 'uriQuery'],
    ['https://app.example/cb?%69ss=x', 'uriQuery'],
  ])('the redirect URI %j cannot be registered: %s', (uri, reason) => {
    expect(findRedirectUriProblem(uri)?.reason).toBe(reason);
  });
});

describe('the registered redirect URI for a requested one', () => {
  const registered = [
    'https://app.example/cb',
    'http://127.0.0.1/cb',
    'http://[::1]:1/cb',
    'com.example:/cb',
    'http://app.localhost/cb',
    'http://127.1.2.3/cb',
    'http://wiki.intra.example/cb',
  ];
  test.each([
    ['https://app.example/cb', 'https://app.example/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1/cb'],
    ['http://127.0.0.1:51004/cb', 'http://127.0.0.1/cb'],
    ['http://[::1]:65535/cb', 'http://[::1]:1/cb'],
    ['com.example:/cb', 'com.example:/cb'],
    ['http://localhost:1/cb', undefined],
    ['http://app.localhost:3000/cb', 'http://app.localhost/cb'],
    ['http://127.1.2.3:3000/cb', 'http://127.1.2.3/cb'],
    ['http://evil.localhost:3000/cb', undefined],
    ['http://127.1.2.4/cb', undefined],
    ['http://wiki.intra.example:3000/cb', undefined],
    ['', undefined],
  ])('the requested redirect URI %j stands for %s', (requested, found) => {
    expect(findRegisteredRedirectUri(requested, registered)).toBe(found);
  });
});

test.each([
  ['127.0.0.1', true],
  ['[::1]', true],
  ['localhost', true],
  ['::1', false],
  ['127.0.0.2', true],
  ['127.1.2.3', true],
  ['app.localhost', true],
  ['a.b.localhost', true],
  ['127.0.0.1.evil.example', false],
  ['127.evil.example', false],
  ['localhost.evil.example', false],
  ['evillocalhost', false],
  ['.localhost', false],
  ['0.0.0.0', false],
  ['localhost.', false],
])('%s is a loopback host: %s', (host, isLoopback) => {
  expect(isLoopbackHost(host)).toBe(isLoopback);
});

test.each([
  ['https://app.example/cb', true],
  ['http://127.0.0.1/cb', false],
  ['com.example.app:/cb', false],
])('the owner of the redirect URI %s is proven: %s', (uri, isProven) => {
  expect(isRedirectUriProven(uri)).toBe(isProven);
});
