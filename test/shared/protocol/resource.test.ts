import { describe, expect, test } from '@jest/globals';

import {
  fromConsent,
  isSameResource,
  parseResources,
  type Resources,
  scopesAt,
  selectResource,
  toConsent,
} from '../../../lib/shared/protocol/resource.js';
import { refusalOf } from '../../support/refusal.js';

const ALBUMS = 'https://albums.example';
const PRINT = 'https://print.example/api';
const resources: Resources = new Map([
  [ALBUMS, { scopes: ['albums:read'] }],
  [PRINT, {}],
]);

test.each<[string, string, boolean]>([
  [ALBUMS, ALBUMS, true],
  [ALBUMS, `${ALBUMS}/`, true],
  [ALBUMS, 'HTTPS://ALBUMS.example:443', true],
  [PRINT, `${PRINT}/`, false],
  [ALBUMS, 'http://albums.example', false],
  [ALBUMS, `${ALBUMS}?a`, false],
  ['urn:a', 'urn:a', true],
  ['a', 'b', false],
])('the resources %s and %s are the same: %s', (a, b, isSame) => {
  expect(isSameResource(a, b)).toBe(isSame);
});

describe('the resources of a request', () => {
  test.each<[unknown[], string[] | 'invalid_target']>([
    [[], []],
    [[`${ALBUMS}/`], [ALBUMS]],
    [
      [PRINT, ALBUMS, `${ALBUMS}/`],
      [PRINT, ALBUMS],
    ],
    [['https://other.example'], 'invalid_target'],
    [[ALBUMS, 'x'], 'invalid_target'],
    [[{ a: ALBUMS }], 'invalid_target'],
    [[null], 'invalid_target'],
    [Array(21).fill(ALBUMS), 'invalid_target'],
  ])('the resources of a request with %j: %j', (values, expected) => {
    const parse = () => parseResources(values, resources);
    if (typeof expected === 'string') expect(refusalOf(parse)).toBe(expected);
    else expect(parse()).toEqual(expected);
  });

  test('resources of a request are ignored if the site has none', () => {
    expect(parseResources(['https://other.example'], new Map())).toEqual([]);
  });
});

test.each<[string[], string[], string[] | 'invalid_scope']>([
  [['albums:read', 'profile'], [], ['albums:read', 'profile']],
  [['albums:read', 'profile'], [ALBUMS], ['albums:read']],
  [['albums:read', 'profile'], [PRINT], ['albums:read', 'profile']],
  [
    ['albums:read', 'profile'],
    [ALBUMS, PRINT],
    ['albums:read', 'profile'],
  ],
  [['profile'], [ALBUMS], 'invalid_scope'],
  [[], [ALBUMS], []],
])('the scopes %j at %j are %j', (scopes, at, expected) => {
  const find = () => scopesAt(scopes, at, resources);
  if (typeof expected === 'string') expect(refusalOf(find)).toBe(expected);
  else expect(find()).toEqual(expected);
});

describe('the stored form of a consent', () => {
  test.each<[string[], string[], string[]]>([
    [['a', 'b'], [], ['a', 'b']],
    [['a', 'b'], [ALBUMS], [`a ${ALBUMS}`, `b ${ALBUMS}`]],
    [['a'], [ALBUMS, PRINT], [`a ${ALBUMS}`, `a ${PRINT}`]],
  ])('a consent to %j at %j is stored and read back', (scopes, at, cached) => {
    expect(toConsent(scopes, at)).toEqual(cached);
    expect(fromConsent(cached, at)).toEqual(scopes);
  });

  test('a consent at one resource is none at another, nor without a resource', () => {
    const cached = [...toConsent(['a', 'b'], [ALBUMS]), ...toConsent(['a'], [PRINT])];
    expect(fromConsent(cached, [ALBUMS, PRINT])).toEqual(['a']);
    expect(fromConsent(cached, [])).toEqual([]);
    expect(fromConsent(['a'], [ALBUMS])).toEqual([]);
  });
});

test.each<[string[], string[] | undefined, string | undefined]>([
  [[], undefined, undefined],
  [[], [], undefined],
  [[], [ALBUMS], ALBUMS],
  [[PRINT], [ALBUMS, PRINT], PRINT],
  [[], [ALBUMS, PRINT], 'invalid_target'],
  [[ALBUMS, PRINT], [ALBUMS, PRINT], 'invalid_target'],
  [[PRINT], [ALBUMS], 'invalid_target'],
  [[PRINT], undefined, 'invalid_target'],
])('a token for %j, of a grant for %j: %s', (requested, granted, expected) => {
  const select = () => selectResource(requested, granted);
  if (expected === 'invalid_target') expect(refusalOf(select)).toBe(expected);
  else expect(select()).toBe(expected);
});
