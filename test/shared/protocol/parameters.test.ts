import { describe, expect, test } from '@jest/globals';

import {
  formatForm,
  parseForm,
  parseParameters,
  requireParameter,
} from '../../../lib/shared/protocol/parameters.js';
import { refusalOf } from '../../support/refusal.js';

const KNOWN = { single: new Set(['client_id', 'state']), repeatable: new Set(['resource', 'audience']) };

describe('a form', () => {
  test.each<[string, Record<string, string | string[]>]>([
    ['', {}],
    ['a=1&b=2', { a: '1', b: '2' }],
    ['a=', { a: '' }],
    ['a', { a: '' }],
    ['a=1&a=2&a=3', { a: ['1', '2', '3'] }],
    ['a=b+c', { a: 'b c' }],
    ['a=b%20c%2B', { a: 'b c+' }],
    // RFC 6749 Appendix B
    ['a=+%25%26%2B%C2%A3%E2%82%AC', { a: ' %&+£€' }],
    ['a=%FF', { a: '\ufffd' }],
    ['a=1=2', { a: '1=2' }],
  ])('the form %j is parsed to %j', (text, fields) => {
    expect({ ...parseForm(text) }).toEqual(fields);
  });

  test.each(['a=%', 'a=%4', 'a=%zz', '%=1', 'a=1&b=%e'])('the form %j has a broken escape', (text) => {
    expect(refusalOf(() => parseForm(text))).toBe('invalid_request');
  });

  test.each(['a=1&b=2', 'a=1&a=2', 'a=b+c%2B%26', 'state=%E2%82%AC', ''])(
    'the form %j is formatted unchanged',
    (text) => {
      expect(formatForm(parseForm(text))).toBe(text);
    },
  );

  test("a formatted form leaves out nested values of a host's parser", () => {
    expect(formatForm({ a: { b: '1' }, c: '2', d: ['3', { e: '4' }], f: undefined })).toBe('c=2&d=3');
  });
});

describe('the parameters of a form', () => {
  test.each<[unknown, Record<string, string>]>([
    [{ client_id: 'shop', other: 'ignored' }, { client_id: 'shop' }],
    [{ client_id: '' }, {}],
    [{ other: ['1', '2'] }, {}],
    [{ other: 'a\0' }, {}],
    [null, {}],
    [undefined, {}],
    ['client_id=shop', {}],
    [[], {}],
  ])('the parameters of %j are %j', (form, parameters) => {
    expect({ ...parseParameters(form, KNOWN).parameters }).toEqual(parameters);
  });

  test.each<[string, unknown]>([
    ['repeated and empty', ['', '']],
    ['nested', { a: 'b' }],
    ['a number', 1],
    ['null', null],
    ['with NUL', 'a\0b'],
    ['no UTF-8', 'a\ufffd'],
  ])('a parameter that is %s is refused', (_how, state) => {
    expect(refusalOf(() => parseParameters({ state }, KNOWN))).toBe('invalid_request');
  });

  test.each<[unknown, Record<string, unknown[]>]>([
    [{ resource: 'a', client_id: 'shop' }, { resource: ['a'] }],
    [
      { resource: ['a', '', 'a'], audience: 'b' },
      { resource: ['a', 'a'], audience: ['b'] },
    ],
    [{ resource: { a: 'b' } }, { resource: [{ a: 'b' }] }],
    [
      { resource: '', audience: null },
      { resource: [], audience: [] },
    ],
    [Object.create({ resource: 'a' }), {}],
    [null, {}],
  ])('the repeatable parameters of %j are %j', (form, repeated) => {
    expect({ ...parseParameters(form, KNOWN).repeated }).toEqual(repeated);
  });

  test('a parameter that is single for one reader and repeatable for another is allowed once', () => {
    const known = { single: new Set(['audience']), repeatable: new Set(['audience']) };
    expect(parseParameters({ audience: 'a' }, known)).toEqual({
      parameters: { audience: 'a' },
      repeated: { audience: ['a'] },
    });
    expect(refusalOf(() => parseParameters({ audience: ['a', 'b'] }, known))).toBe('invalid_request');
  });

  test('a missing required parameter is invalid_request', () => {
    expect(requireParameter({ code: 'x' }, 'code')).toBe('x');
    expect(refusalOf(() => requireParameter({}, 'code'))).toBe('invalid_request');
  });
});
