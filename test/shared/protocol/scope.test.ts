import { describe, expect, test } from '@jest/globals';

import {
  formatScope,
  isScopeToken,
  isSubset,
  parseScope,
  resolveScopes,
} from '../../../lib/shared/protocol/scope.js';
import { refusalOf } from '../../support/refusal.js';

describe('a scope', () => {
  test.each(['a', 'photos:read', 'https://photos.example/read', '!', '#', '[', ']', '~', "'"])(
    '%j is a token of one',
    (token) => {
      expect(isScopeToken(token)).toBe(true);
    },
  );
  test.each(['', ' ', 'a b', '"', '\\', 'ä', '\u007f', '\n', 'a\t'])('%j is none', (token) => {
    expect(isScopeToken(token)).toBe(false);
  });

  test.each<[string, string[]]>([
    ['a', ['a']],
    ['a b', ['a', 'b']],
    ['b a', ['b', 'a']],
    ['a b a', ['a', 'b']],
    ['  a   b ', ['a', 'b']],
    ['a A', ['a', 'A']],
  ])('%j is the list %j', (scope, scopes) => {
    expect(parseScope(scope)).toEqual(scopes);
  });
  test.each(['', ' ', 'a\tb', 'a "b"', 'a\\', 'ä'])('%j is malformed', (scope) => {
    expect(refusalOf(() => parseScope(scope))).toBe('invalid_scope');
  });

  test('is written with spaces between', () => {
    expect(formatScope(['a', 'b'])).toBe('a b');
  });

  test.each<[string[], string[], boolean]>([
    [[], [], true],
    [[], ['a'], true],
    [['a'], ['b', 'a'], true],
    [['a', 'b'], ['a'], false],
    [['a'], [], false],
  ])('%j is within %j: %s', (scopes, of, isWithin) => {
    expect(isSubset(scopes, of)).toBe(isWithin);
  });
});

describe('what a request asks for', () => {
  const allowed = ['a', 'b'];
  const defaults = ['b', 'c'];
  test.each<[string | undefined, string[] | 'invalid_scope']>([
    [undefined, ['b']],
    ['a', ['a']],
    ['b a', ['b', 'a']],
    ['c', 'invalid_scope'],
    ['a c', 'invalid_scope'],
    ['', 'invalid_scope'],
  ])('%j, where a and b are allowed and b and c are meant by nothing: %j', (scope, expected) => {
    const resolve = () => resolveScopes({ scope, allowed, defaults });
    if (typeof expected === 'string') expect(refusalOf(resolve)).toBe(expected);
    else expect(resolve()).toEqual(expected);
  });
});
