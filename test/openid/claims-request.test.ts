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
    ['null requests a claim', { email: null }, { email: {} }],
    ['an empty object requests a claim', { email: {} }, { email: {} }],
    ['an essential claim (§5.5.1)', { email: { essential: true } }, { email: { essential: true } }],
    ['not essential is the default', { email: { essential: false } }, { email: {} }],
    ['a claim with a value', { email: { value: 'a' } }, { email: { values: ['a'] } }],
    ['a claim with the value false', { email: { value: false } }, { email: { values: [false] } }],
    ['a claim with the value null', { email: { value: null } }, { email: { values: [null] } }],
    ['a claim with values', { email: { values: ['a', 'b'] } }, { email: { values: ['a', 'b'] } }],
    ['an empty list of values, which none can match', { email: { values: [] } }, { email: { values: [] } }],
    ['unknown members', { email: { max_age: 5 } }, { email: {} }],
    ['a claim with a language (§5.2)', { 'name#ja-Kana-JP': null }, { 'name#ja-Kana-JP': {} }],
  ])('the parameter claims is read: %s', (_what, requested, read) => {
    expect(userinfoOf(requested)).toEqual(read);
  });

  test.each([
    ['{}'],
    ['{"userinfo":null,"id_token":null}'],
    // the parameter has these two members; others are ignored
    ['{"verified_claims":{"email":null}}'],
    ['{"__proto__":{"userinfo":{"email":null}}}'],
  ])('the parameter claims with %s requests nothing', (text) => {
    expect(parseClaimsRequest(text)).toEqual({ userinfo: {}, idToken: {} });
  });

  test('the parameter claims has at most 60 claims of 100 characters', () => {
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_each, n) => [`c${n}`, null]));
    expect(Object.keys(userinfoOf(many(60)))).toHaveLength(60);
    expect(() => userinfoOf(many(61))).toThrow(malformed);
    // with the name of its member before it
    expect(userinfoOf({ ['c'.repeat(91)]: null })).toBeDefined();
    expect(() => userinfoOf({ ['c'.repeat(101)]: null })).toThrow(malformed);
  });

  test('an error about the parameter claims names the claim in allowed characters (RFC 6749 §5.2)', () => {
    expect(() => userinfoOf({ 'a"\\\r\né': 1 })).toThrow(
      /userinfo\.a\?\?\?\?\? is neither null nor an object/,
    );
  });
});

describe('OpenID Connect Core §5.5 the claims with a separate consent', () => {
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

  test('claims outside the requested scopes need a separate consent', () => {
    expect(entriesOf(['email', 'name'], ['openid', 'email'])).toEqual([claimEntryOf('name')]);
  });

  test('a claim in several languages needs one consent', () => {
    expect(entriesOf(['name#ja', 'name', 'name#en'], ['openid'])).toEqual([claimEntryOf('name')]);
  });

  test.each(['department', 'sub', 'constructor', '__proto__', 'toString', ''])(
    '%j, which is in no scope, needs no consent',
    (name) => {
      expect(entriesOf([name], ['openid'])).toEqual([]);
    },
  );

  test('claims of scopes that the client may not request need no consent', () => {
    expect(entriesOf(['email', 'name'], ['openid'], ['email'])).toEqual([claimEntryOf('email')]);
  });
});

describe('the claims of a grant', () => {
  const requested = parseClaimsRequest(
    JSON.stringify({
      userinfo: { email: { essential: true }, 'name#ja': null },
      id_token: { nickname: null },
    }),
  );

  test('a grant has the allowed claims, by a scope or separately, as requested', () => {
    const stored = keepClaims(requested, ['openid', 'email', claimEntryOf('nickname')], SCOPE_CLAIMS);
    expect(stored.claimScopes).toEqual(['email', claimEntryOf('nickname')]);
    expect(storedClaims(stored, SCOPE_CLAIMS)).toEqual({
      userinfo: { email: { essential: true } },
      idToken: { nickname: {} },
    });
  });

  test('a grant has no claims if none was allowed', () => {
    expect(keepClaims(requested, ['openid'], SCOPE_CLAIMS)).toEqual({});
    expect(storedClaims({}, SCOPE_CLAIMS)).toEqual({ userinfo: {}, idToken: {} });
  });

  test('a grant has no claims of a withdrawn scope', () => {
    const { claims = '' } = keepClaims(requested, ['email', 'profile'], SCOPE_CLAIMS);
    expect(storedClaims({ claims, claimScopes: ['profile'] }, SCOPE_CLAIMS)).toEqual({
      userinfo: { 'name#ja': {} },
      idToken: { nickname: {} },
    });
    expect(storedClaims({ claims }, SCOPE_CLAIMS)).toEqual({ userinfo: {}, idToken: {} });
  });

  test('a grant has no separate claim that no scope of the site contains any more', () => {
    const stored = keepClaims(requested, [claimEntryOf('nickname')], SCOPE_CLAIMS);
    expect(storedClaims(stored, { ...SCOPE_CLAIMS, profile: ['name'] }).idToken).toEqual({});
  });
});
