import { describe, expect, test } from '@jest/globals';

import { readAssertion, registeredAlgorithms } from '../../lib/core/client-authentication/assertion.js';
import type { Client } from '../../lib/core/clients/client.js';
import { JWT_BEARER } from '../support/assertions.js';
import { forge } from '../support/jwt.js';

const HEADER = { alg: 'ES256' };
const read = (jwt: string | undefined, type: string | undefined = JWT_BEARER) =>
  readAssertion({
    ...(jwt !== undefined && { client_assertion: jwt }),
    ...(type !== '' && { client_assertion_type: type }),
  });
const malformed = expect.objectContaining({ error: 'invalid_client', reason: 'assertion_malformed' });

describe('RFC 7521 §4.2 the assertion of a request', () => {
  test('an assertion is read for its alg and its sub, which are unverified', () => {
    const jwt = forge(HEADER, { sub: 'shop', iss: 'another' });
    expect(read(jwt)).toEqual({ jwt, algorithm: 'ES256', clientId: 'shop' });
  });

  test('a request without assertion parameters has no assertion', () => {
    expect(readAssertion({ client_id: 'shop' })).toBeNull();
  });

  test.each<[string, string | undefined, string]>([
    ['a type alone', undefined, JWT_BEARER],
    ['an assertion without a type', forge(HEADER, { sub: 'shop' }), ''],
    ['a SAML assertion (RFC 7522)', 'PHNhbWw', JWT_BEARER.replace('jwt', 'saml2')],
    ['the type in capitals', forge(HEADER, { sub: 'shop' }), JWT_BEARER.toUpperCase()],
    [
      'the grant type of RFC 7523 §2.1',
      forge(HEADER, { sub: 'shop' }),
      'urn:ietf:params:oauth:grant-type:jwt-bearer',
    ],
    ['an empty assertion', '', JWT_BEARER],
    ['two parts', 'e30.e30', JWT_BEARER],
    ['a payload that is a list', `${forge(HEADER, {}).split('.')[0]}.W10.`, JWT_BEARER],
    ['no alg', forge({}, { sub: 'shop' }), JWT_BEARER],
    ['an alg that is a list', forge({ alg: ['ES256'] }, { sub: 'shop' }), JWT_BEARER],
    ['no sub', forge(HEADER, { iss: 'shop' }), JWT_BEARER],
    ['an empty sub', forge(HEADER, { sub: '' }), JWT_BEARER],
    ['a sub of 201 characters', forge(HEADER, { sub: 's'.repeat(201) }), JWT_BEARER],
    ['more than 8192 characters', forge(HEADER, { sub: 'shop' }, 's'.repeat(8192)), JWT_BEARER],
  ])('an assertion is invalid_client with %s', (_what, jwt, type) => {
    expect(() => read(jwt, type)).toThrow(malformed);
  });

  test('an assertion has a sub of up to 200 characters, and 8192 in all', () => {
    const sub = 's'.repeat(200);
    const short = forge(HEADER, { sub });
    const jwt = `${short}${'s'.repeat(8192 - short.length)}`;
    expect(read(jwt)).toMatchObject({ clientId: sub });
  });

  test('an error about an assertion does not repeat its text', () => {
    for (const work of [() => read('x', 'secret'), () => read('secret.secret.secret')])
      expect(work).toThrow(expect.objectContaining({ description: expect.not.stringMatching('secret') }));
  });
});

test.each<[string | undefined, readonly string[]]>([
  [undefined, ['ES256', 'PS256']],
  ['PS256', ['PS256']],
  // registration refuses an algorithm that the method does not accept
  ['HS256', []],
])('OpenID Connect Registration §2 a client with the algorithm %s may sign by %j', (registered, may) => {
  const client = { ...(registered !== undefined && { tokenEndpointAuthSigningAlg: registered }) } as Client;
  expect(registeredAlgorithms(client, ['ES256', 'PS256'])).toEqual(may);
});
