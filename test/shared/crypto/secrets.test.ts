import { describe, expect, test } from '@jest/globals';

import {
  createGrantId,
  createRefreshToken,
  createSecret,
  createToken,
  equalText,
  hashSecret,
  parseRefreshToken,
  parseToken,
  type SecretKind,
} from '../../../lib/shared/crypto/secrets.js';

const KINDS: readonly [Exclude<SecretKind, 'refreshToken'>, string][] = [
  ['authorizationCode', 'eas_ac_'],
  ['accessToken', 'eas_at_'],
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
  test(`a token of kind ${kind} names its kind and its grant`, () => {
    const grantId = createGrantId();
    const { value, hash } = createToken(kind, grantId);
    expect(value.startsWith(`${prefix}${grantId}`)).toBe(true);
    expect(value).toHaveLength(prefix.length + 65);
    expect(parseToken(kind, value)).toEqual({ grantId, hash });
    expect(value).not.toContain(hash);
  });

  test(`a token of kind ${kind} is parsed as no other kind`, () => {
    const { value } = createToken(kind, createGrantId());
    for (const [other] of KINDS.filter(([candidate]) => candidate !== kind))
      expect(parseToken(other, value)).toBeNull();
    for (const wrong of ['', prefix, value.slice(0, -1), `${value}A`, ` ${value}`, `${value}\n`])
      expect(parseToken(kind, wrong)).toBeNull();
    expect(parseToken(kind, `${value.slice(0, -1)}.`)).toBeNull();
  });
});

describe('a refresh token', () => {
  test('a refresh token has the family of its predecessor, and 256 new random bits', () => {
    const grantId = createGrantId();
    const first = createRefreshToken(grantId);
    const { family, ...presented } = parseRefreshToken(first.value)!;
    expect(presented).toEqual({ grantId, hash: first.hash, familyHash: hashSecret(family!) });
    expect(first.familyHash).toBe(presented.familyHash);
    const next = createRefreshToken(grantId, family);
    expect(next.value).toMatch(/^eas_rt_[\w-]{87}$/);
    expect(next.familyHash).toBe(first.familyHash);
    expect(next.value.slice(0, 51)).toBe(first.value.slice(0, 51));
    expect(next.value.slice(51)).not.toBe(first.value.slice(51));
    expect(createRefreshToken(grantId).familyHash).not.toBe(first.familyHash);
  });

  test('a refresh token is parsed as no other kind', () => {
    const { value } = createRefreshToken(createGrantId());
    for (const [kind, prefix] of KINDS) {
      expect(parseToken(kind, value)).toBeNull();
      expect(parseToken(kind, value.replace('eas_rt_', prefix))).toBeNull();
      expect(parseRefreshToken(createToken(kind, createGrantId()).value)).toBeNull();
    }
    for (const wrong of ['', 'eas_rt_', value.slice(0, -1), `${value}A`, ` ${value}`, `${value}\n`])
      expect(parseRefreshToken(wrong)).toBeNull();
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
