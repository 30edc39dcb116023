import { gzipSync } from 'node:zlib';

import { describe, expect, test } from '@jest/globals';

import { outcomeOf } from '../support/outcomes.js';
import { encodeFields, type Field, FORM, sendAndFollow, toRaw } from '../support/right-requests.js';
import {
  addField,
  appendBytes,
  asking,
  type Change,
  each,
  endpoints,
  expectRefusals,
  posting,
  replaceName,
  replaceValue,
  requiredFields,
  singleFields,
  site,
  strictFields,
  wholeRequest,
  withBody,
} from './wrong-requests.js';

describe('RFC 6749 §3.1, §3.2 a repeated parameter', () => {
  test('a repeated parameter is refused, with the same value or another one', () =>
    expectRefusals({
      changes: {
        same: (right, field) =>
          toRaw({ ...right, fields: [...right.fields, ...right.fields.filter(([name]) => name === field)] }),
        other: (right, field) => addField(right, field, 'other'),
      },
    }));

  test('a parameter fifty thousand times in a body is refused', () =>
    expectRefusals({
      endpoints: posting(endpoints),
      fieldsOf: (endpoint, right) => singleFields(endpoint, right).slice(0, 1),
      changes: {
        repeated: (right, field) => withBody(right, FORM, `a&`.repeat(45_000) + `${field}=&${field}=`),
      },
    }));

  test('a parameter seven thousand times in a URL is refused', () =>
    expectRefusals({
      endpoints: asking(),
      fieldsOf: wholeRequest,
      changes: { repeated: (right) => toRaw(right, `${encodeFields(right.fields)}${'&a'.repeat(7000)}`) },
    }));
});

// attacks/unfolded-fields has the results of a host's parsers
describe('a nested field', () => {
  const nests: Readonly<Record<string, (name: string) => string>> = {
    'an operator of MongoDB': (name) => `${name}[$ne]`,
    'an operator by a dot': (name) => `${name}.$ne`,
    'a list': (name) => `${name}[]`,
    'a list by number': (name) => `${name}[0]`,
    'a deep one': (name) => `${name}${'[a]'.repeat(30)}`,
    'a method': (name) => `${name}[toString]`,
    'the prototype': (name) => `__proto__[${name}]`,
    'the prototype of the constructor': (name) => `constructor[prototype][${name}]`,
  };
  const changes = Object.fromEntries(
    Object.entries(nests).map(([what, nest]): [string, Change] => [
      what,
      (right, field) => replaceName(right, field, nest(field)),
    ]),
  );

  test('a nested required field is refused', () => expectRefusals({ fieldsOf: requiredFields, changes }));

  test('nested unknown fields are ignored', async () => {
    const names = [
      'a[b]',
      'c[toString]',
      'd[e][toString]',
      'f[]',
      'g[][h]',
      '__proto__',
      '__proto__[admin]',
      'constructor',
      'constructor[prototype][admin]',
      'toString',
      'hasOwnProperty',
      '$where',
    ];
    for (const endpoint of endpoints) {
      const right = await endpoint.create();
      const response = await sendAndFollow(
        site.server,
        toRaw({ ...right, fields: [...right.fields, ...names.map((name): Field => [name, 'yes'])] }),
      );
      expect([endpoint.name, outcomeOf(endpoint, response)]).toEqual([endpoint.name, endpoint.outcome]);
    }
    expect((Object.prototype as { admin?: unknown }).admin).toBeUndefined();
  });

  test('names of members of every object are refused as values', () =>
    expectRefusals({
      fieldsOf: (endpoint, right) => requiredFields(endpoint, right).filter((field) => field !== 'name'),
      changes: each(
        [
          '__proto__',
          'constructor',
          'toString',
          'hasOwnProperty',
          '$ne',
          '[object Object]',
          'undefined',
          'null',
        ],
        (value) => (right, field) => replaceValue(right, field, () => value),
      ),
    }));
});

describe('a malformed text', () => {
  test('NUL, broken UTF-8 and broken percent-encoding are refused', () =>
    expectRefusals({
      fieldsOf: strictFields,
      changes: each(
        ['%00', '%ff', '%c3', '%ed%a0%80', '%c0%80', '%', '%4', '%zz', '%u0000'],
        (bytes) => (right, field) => appendBytes(right, field, bytes),
      ),
    }));

  test('a raw NUL, and a raw byte that UTF-8 never has, are refused', () => {
    const raw =
      (byte: number): Change =>
      (right, field) =>
        withBody(
          right,
          FORM,
          Buffer.concat(
            right.fields.flatMap(([name, value], index) => [
              Buffer.from(`${index > 0 ? '&' : ''}${encodeFields([[name, value]])}`),
              Buffer.from(name === field ? [byte] : []),
            ]),
          ),
        );
    return expectRefusals({
      endpoints: posting(endpoints),
      fieldsOf: strictFields,
      changes: { nul: raw(0x00), byte: raw(0xff) },
    });
  });

  test('line breaks are refused, as they must not get into headers', () =>
    expectRefusals({
      fieldsOf: (endpoint, right) =>
        strictFields(endpoint, right).filter((field) => !['state', 'redirect_uris', 'name'].includes(field)),
      changes: each(
        ['\r\nSet-Cookie: a=b', '\n', '\r\n\r\n<script>alert(1)</script>'],
        (text) => (right, field) => replaceValue(right, field, (value) => `${value}${text}`),
      ),
    }));
});

describe('an overlong field or body', () => {
  test('64 KB in one field are refused', () =>
    expectRefusals({
      fieldsOf: strictFields,
      changes: {
        long: (right, field) => replaceValue(right, field, (value) => `${value}${'x'.repeat(65_536)}`),
      },
    }));

  test('8 KB in one field are refused', () =>
    expectRefusals({
      fieldsOf: (endpoint, right) =>
        strictFields(endpoint, right).filter((field) => field !== 'redirect_uris'),
      changes: {
        long: (right, field) => replaceValue(right, field, (value) => `${value}${'x'.repeat(8192)}`),
      },
    }));

  test('a body of 1 MB is refused', () =>
    expectRefusals({
      endpoints: posting(endpoints),
      fieldsOf: wholeRequest,
      changes: {
        'of a field': (right) =>
          withBody(right, FORM, `${encodeFields(right.fields)}&a=${'x'.repeat(1_048_576)}`),
        'of fields': (right) =>
          withBody(right, FORM, `${encodeFields(right.fields)}${'&a=1'.repeat(262_144)}`),
        'that comes packed in 1 KB': (right) =>
          withBody(right, FORM, gzipSync(`${encodeFields(right.fields)}&a=${'x'.repeat(1_048_576)}`), [
            ['Content-Encoding', 'gzip'],
          ]),
      },
    }));
});
