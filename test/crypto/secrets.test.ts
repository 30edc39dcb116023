import { describe, expect, test } from '@jest/globals';

import {
  createGrantId,
  createSecret,
  createToken,
  equalText,
  hashSecret,
  parseToken,
  type TokenKind,
} from '../../lib/crypto/secrets.js';

const KINDS: readonly [TokenKind, string][] = [
  ['authorizationCode', 'eas_ac_'],
  ['accessToken', 'eas_at_'],
  ['refreshToken', 'eas_rt_'],
  ['initialAccessToken', 'eas_it_'],
  ['deviceCode', 'eas_dc_'],
];

test('secrets have 256 random bits, ids of grants 128, as base64url', () => {
  expect(createSecret()).toMatch(/^[\w-]{43}$/);
  expect(createGrantId()).toMatch(/^[\w-]{22}$/);
  expect(new Set(Array.from({ length: 100 }, createSecret)).size).toBe(100);
  expect(hashSecret('secret')).toBe('K7gNU3sdo-OL0wNhqoVWhr3g6s1xYv72ol_pe_Unols');
});

describe.each(KINDS)('a token, %s', (kind, prefix) => {
  test('says what it is, and names its grant', () => {
    const grantId = createGrantId();
    const { value, hash } = createToken(kind, grantId);
    expect(value.startsWith(`${prefix}${grantId}`)).toBe(true);
    expect(value).toHaveLength(prefix.length + 65);
    expect(parseToken(kind, value)).toEqual({ grantId, hash });
    expect(value).not.toContain(hash);
  });

  test('is nothing else', () => {
    const { value } = createToken(kind, createGrantId());
    for (const [other] of KINDS.filter(([candidate]) => candidate !== kind))
      expect(parseToken(other, value)).toBeNull();
    for (const wrong of ['', prefix, value.slice(0, -1), `${value}A`, ` ${value}`, `${value}\n`])
      expect(parseToken(kind, wrong)).toBeNull();
    expect(parseToken(kind, `${value.slice(0, -1)}.`)).toBeNull();
  });
});

test.each([
  ['a', 'a', true],
  ['', '', true],
  ['ä', 'ä', true],
  ['a', 'b', false],
  ['a', 'aa', false],
  ['a', '', false],
  // as many characters, more bytes
  ['ä', 'a', false],
])('%j equals %j: %s', (a, b, isEqual) => {
  expect(equalText(a, b)).toBe(isEqual);
});
