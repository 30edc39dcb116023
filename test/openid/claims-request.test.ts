import { describe, expect, test } from '@jest/globals';

import {
  claimEntriesOf,
  keepClaims,
  parseClaimsRequest,
  type RequestedClaims,
  storedClaims,
} from '../../lib/features/openid/claims-request.js';
import { claimEntryOf } from '../../lib/shared/protocol/standard-claims.js';

const SCOPE_CLAIMS = { email: ['email', 'email_verified'], profile: ['name', 'nickname'] };
const userinfoOf = (claims: object) => parseClaimsRequest(JSON.stringify({ userinfo: claims })).userinfo;
const malformed = expect.objectContaining({ error: 'invalid_request', reason: 'parameter_malformed' });

describe('OpenID Connect Core §5.5 the parameter claims', () => {
  test.each<[string, object, RequestedClaims]>([
    ['null asks for it as it is', { email: null }, { email: {} }],
    ['so does an empty object', { email: {} }, { email: {} }],
    ['essential (§5.5.1)', { email: { essential: true } }, { email: { essential: true } }],
    ['not essential is the default', { email: { essential: false } }, { email: {} }],
    ['a value', { email: { value: 'a' } }, { email: { values: ['a'] } }],
    ['a value that is false', { email: { value: false } }, { email: { values: [false] } }],
    ['a value that is null', { email: { value: null } }, { email: { values: [null] } }],
    ['values', { email: { values: ['a', 'b'] } }, { email: { values: ['a', 'b'] } }],
    ['no values, of which none can be right', { email: { values: [] } }, { email: { values: [] } }],
    ['members that nobody knows', { email: { max_age: 5 } }, { email: {} }],
    ['a language (§5.2)', { 'name#ja-Kana-JP': null }, { 'name#ja-Kana-JP': {} }],
  ])('%s', (_what, requested, read) => {
    expect(userinfoOf(requested)).toEqual(read);
  });

  test.each([
    ['{}'],
    ['{"userinfo":null,"id_token":null}'],
    // the parameter is for these two members; others are ignored
    ['{"verified_claims":{"email":null}}'],
    ['{"__proto__":{"userinfo":{"email":null}}}'],
  ])('%s asks for nothing', (text) => {
    expect(parseClaimsRequest(text)).toEqual({ userinfo: {}, idToken: {} });
  });

  test('60 claims of 100 characters are the most', () => {
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_each, n) => [`c${n}`, null]));
    expect(Object.keys(userinfoOf(many(60)))).toHaveLength(60);
    expect(() => userinfoOf(many(61))).toThrow(malformed);
    // with the name of its member before it
    expect(userinfoOf({ ['c'.repeat(91)]: null })).toBeDefined();
    expect(() => userinfoOf({ ['c'.repeat(101)]: null })).toThrow(malformed);
  });

  test('an error says which claim, in characters that an error may have (RFC 6749 §5.2)', () => {
    expect(() => userinfoOf({ 'a"\\\r\né': 1 })).toThrow(
      /userinfo\.a\?\?\?\?\? is neither null nor an object/,
    );
  });
});

describe('OpenID Connect Core §5.5 the claims that have to be allowed each by itself', () => {
  const entriesOf = (
    names: readonly string[],
    scopes: readonly string[],
    mayAsk = Object.keys(SCOPE_CLAIMS),
  ) =>
    claimEntriesOf(
      parseClaimsRequest(JSON.stringify({ id_token: Object.fromEntries(names.map((name) => [name, null])) })),
      { scopes, mayAsk },
      SCOPE_CLAIMS,
    );

  test('are those that no requested scope names', () => {
    expect(entriesOf(['email', 'name'], ['openid', 'email'])).toEqual([claimEntryOf('name')]);
  });

  test('are one for all the languages of a claim', () => {
    expect(entriesOf(['name#ja', 'name', 'name#en'], ['openid'])).toEqual([claimEntryOf('name')]);
  });

  test.each(['department', 'sub', 'constructor', '__proto__', 'toString', ''])(
    'are none for %j, which no scope names',
    (name) => {
      expect(entriesOf([name], ['openid'])).toEqual([]);
    },
  );

  test('are none of scopes that the client may not ask for', () => {
    expect(entriesOf(['email', 'name'], ['openid'], ['email'])).toEqual([claimEntryOf('email')]);
  });
});

describe('what a grant keeps of them', () => {
  const requested = parseClaimsRequest(
    JSON.stringify({
      userinfo: { email: { essential: true }, 'name#ja': null },
      id_token: { nickname: null },
    }),
  );

  test('is what was allowed, by a scope or by itself, and comes back as it was asked for', () => {
    const stored = keepClaims(requested, ['openid', 'email', claimEntryOf('nickname')], SCOPE_CLAIMS);
    expect(stored.claimScopes).toEqual(['email', claimEntryOf('nickname')]);
    expect(storedClaims(stored, SCOPE_CLAIMS)).toEqual({
      userinfo: { email: { essential: true } },
      idToken: { nickname: {} },
    });
  });

  test('is nothing if nothing of it was allowed', () => {
    expect(keepClaims(requested, ['openid'], SCOPE_CLAIMS)).toEqual({});
    expect(storedClaims({}, SCOPE_CLAIMS)).toEqual({ userinfo: {}, idToken: {} });
  });

  test('is told no more once the scope was taken back', () => {
    const { claims = '' } = keepClaims(requested, ['email', 'profile'], SCOPE_CLAIMS);
    expect(storedClaims({ claims, claimScopes: ['profile'] }, SCOPE_CLAIMS)).toEqual({
      userinfo: { 'name#ja': {} },
      idToken: { nickname: {} },
    });
    expect(storedClaims({ claims }, SCOPE_CLAIMS)).toEqual({ userinfo: {}, idToken: {} });
  });

  test('is told no more once no scope of the site names it, though it was allowed by itself', () => {
    const stored = keepClaims(requested, [claimEntryOf('nickname')], SCOPE_CLAIMS);
    expect(storedClaims(stored, { ...SCOPE_CLAIMS, profile: ['name'] }).idToken).toEqual({});
  });
});
