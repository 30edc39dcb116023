import { describe, expect, test } from '@jest/globals';

import { detailsAt, parseAuthorizationDetails } from '../../../lib/shared/protocol/authorization-details.js';
import { isSameJson } from '../../../lib/shared/protocol/json.js';
import { refusalOf } from '../../support/refusal.js';

const nested = (depth: number): string => (depth === 0 ? '1' : `{"a":${nested(depth - 1)}}`);

describe('the parameter authorization_details', () => {
  test.each([
    ['[{"type":"payment"}]', [{ type: 'payment' }]],
    ['[{"type":"a","x":[1,{"y":null}]},{"type":"a"}]', [{ type: 'a', x: [1, { y: null }] }, { type: 'a' }]],
    ['[{"type":""}]', [{ type: '' }]],
  ])('the authorization_details %s are read', (text, details) => {
    expect(parseAuthorizationDetails(text)).toEqual(details);
  });

  test.each([
    '',
    '"[]"',
    '[null]',
    '[{"type":1}]',
    // Mongoose takes it for a class
    '[{"type":"a","constructor":1}]',
    '[{"type":"a","x":{"__proto__":{}}}]',
    '[{"type":"a","x\\u0000":1}]',
    `[{"type":"a","x":${nested(10)}}]`,
    `[${Array.from({ length: 21 }, () => '{"type":"a"}').join()}]`,
    `[{"type":"a","x":"${'x'.repeat(16_400)}"}]`,
  ])('the authorization_details %.60s are refused', (text) => {
    expect(refusalOf(() => parseAuthorizationDetails(text))).toBe('invalid_authorization_details');
  });

  test('an error about authorization_details does not repeat their text', () => {
    for (const text of ['[{"type":"a","$secret":1}]', '[secret', '["secret"]'])
      expect(() => parseAuthorizationDetails(text)).not.toThrow(/secret/);
  });
});

describe('authorization details at a resource', () => {
  const here = 'https://api.example/photos';
  const at = (locations?: unknown) => ({ type: 'a', ...(locations !== undefined && { locations }) });
  test.each([
    [undefined, true],
    [[here], true],
    [['https://other.example/', `${here}/albums`], true],
    [['https://API.example/photos'], true],
    [['https://api.example/photosets'], false],
    [['https://api.example'], false],
    [['https://other.example/'], false],
    [[], false],
    [[5, null], false],
    // the type's schema decides about values other than lists
    ['https://other.example/', true],
  ])('a detail with the locations %j is there: %s', (locations, isThere) => {
    expect(detailsAt([at(locations)], here)).toHaveLength(isThere ? 1 : 0);
    expect(detailsAt([at(locations)], undefined)).toHaveLength(1);
  });
});

test.each([
  [{ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 }, true],
  [{ a: 1 }, { a: 1, b: undefined }, false],
  [{ a: undefined }, { b: undefined }, false],
  [[1, 2], [2, 1], false],
  [[], {}, false],
  [{ 0: 1 }, [1], false],
  [null, {}, false],
  [null, null, true],
  ['\u00e9', 'e\u0301', false],
  [1, '1', false],
])('%j and %j are the same JSON: %s', (one, other, isSame) => {
  expect(isSameJson(one, other)).toBe(isSame);
  expect(isSameJson(other, one)).toBe(isSame);
});
