import { expect, test } from '@jest/globals';

import {
  claimsOfScopes,
  SCOPE_CLAIMS,
  withoutLanguage,
} from '../../../lib/shared/protocol/standard-claims.js';

test.each([
  [['email'], ['email', 'email_verified']],
  [
    ['openid', 'phone', 'photos:read', 'phone'],
    ['phone_number', 'phone_number_verified'],
  ],
  [['constructor', '__proto__'], []],
  [[], []],
])('the scopes %j name the claims %j (§5.4)', (scopes, claims) => {
  expect([...claimsOfScopes(scopes, SCOPE_CLAIMS)]).toEqual(claims);
});

test.each([
  ['name', 'name'],
  ['name#ja-Kana-JP', 'name'],
  ['name#', 'name'],
  ['name#de#fr', 'name'],
])('%s is the claim %s (§5.2)', (claim, name) => {
  expect(withoutLanguage(claim)).toBe(name);
});
