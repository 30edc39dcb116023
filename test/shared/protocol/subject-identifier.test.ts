import { describe, expect, test } from '@jest/globals';

import { isSubject, matchesIdentifier } from '../../../lib/shared/protocol/subject-identifier.js';

describe('a subject (Shared Signals Framework §3)', () => {
  test.each<[string, unknown]>([
    [
      'an identifier with all that its format needs',
      { format: 'iss_sub', iss: 'https://a.example', sub: '1' },
    ],
    ['addresses', { format: 'ip-addresses', 'ip-addresses': ['10.29.37.75', '2001:db8::1'] }],
    ['a format by agreement of two parties', { format: 'employee', number: '7' }],
    [
      'several identifiers of one principal',
      { format: 'complex', user: { format: 'opaque', id: '1' }, device: { format: 'opaque', id: '2' } },
    ],
  ])('%s is a subject', (_name, value) => {
    expect(isSubject(value)).toBe(true);
  });

  test.each<[string, unknown]>([
    ['an identifier without a member that its format needs', { format: 'iss_sub', iss: 'https://a.example' }],
    ['a malformed address', { format: 'ip-addresses', 'ip-addresses': [] }],
    ['addresses outside a list', { format: 'ip-addresses', 'ip-addresses': '10.29.37.75' }],
    ['a number as an address', { format: 'ip-addresses', 'ip-addresses': [10] }],
    ['a number as a format', { format: 1 }],
    ['malformed aliases', { format: 'complex' }],
    ['aliases within aliases', { format: 'complex', user: { format: 'complex' } }],
    ['a text', 'ada'],
    ['a list', [{ format: 'opaque', id: '1' }]],
    ['undefined', null],
  ])('%s is no subject', (_name, value) => {
    expect(isSubject(value)).toBe(false);
  });

  test('subjects with the same members in another order are the same', () => {
    const one = { format: 'iss_sub', iss: 'https://a.example', sub: '1' };
    expect(matchesIdentifier(one, { sub: '1', iss: 'https://a.example', format: 'iss_sub' })).toBe(true);
    expect(matchesIdentifier(one, { ...one, sub: '2' })).toBe(false);
  });
});
