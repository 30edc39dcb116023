import { expect, test } from '@jest/globals';

import {
  findImpliedProblem,
  resolveImplied,
  withImplied,
  withImpliers,
} from '../../../lib/shared/protocol/implied-scopes.js';

const TABLE = { admin: ['write'], write: ['read'], read: [], all: ['write', 'read'] };
const implied = resolveImplied(TABLE);

test('a scope includes its listed scopes, transitively, each once', () => {
  expect(Object.fromEntries(implied)).toEqual({
    admin: ['write', 'read'],
    write: ['read'],
    all: ['write', 'read'],
  });
});

test.each([
  [['read'], ['read']],
  [['write'], ['write', 'read']],
  [
    ['read', 'admin'],
    ['read', 'admin', 'write'],
  ],
  [['other'], ['other']],
  [['constructor'], ['constructor']],
  [[], []],
])('%j with its included scopes is %j', (scopes, all) => {
  expect(withImplied(scopes, implied)).toEqual(all);
});

test.each([
  [['read'], ['read', 'admin', 'write', 'all']],
  [['write'], ['write', 'admin', 'all']],
  [['admin'], ['admin']],
  [[], []],
])('%j with the scopes that include it is %j', (scopes, all) => {
  expect(withImpliers(scopes, implied)).toEqual(all);
});

test.each([
  [{ a: ['a'] }, 'a scope cannot include itself: a → a'],
  [{ a: ['b'], b: ['c'], c: ['a'] }, 'a scope cannot include itself: a → b → c → a'],
  [{ z: ['a'], a: ['b'], b: ['a'] }, 'a scope cannot include itself: a → b → a'],
])('scopes that include each other in a circle are refused: %j', (table, problem) => {
  expect(findImpliedProblem(table, undefined)?.problem).toBe(problem);
});

test('an included scope has to be among the scopes, if these are known', () => {
  expect(findImpliedProblem(TABLE, undefined)).toBeUndefined();
  expect(findImpliedProblem(TABLE, Object.keys(TABLE))).toBeUndefined();
  expect(findImpliedProblem({ a: ['b'] }, ['a'])).toEqual({
    scope: 'a',
    problem: "'b' is not among the scopes",
  });
});
