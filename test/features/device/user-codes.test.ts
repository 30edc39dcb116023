import { expect, test } from '@jest/globals';

import { createUserCode, parseUserCode } from '../../../lib/features/device/user-codes.js';

test('a user code has two groups of four letters without vowels', () => {
  for (const { text } of Array.from({ length: 200 }, createUserCode))
    expect(text).toMatch(/^[BCDFGHJ-NP-TV-XZ]{4}-[BCDFGHJ-NP-TV-XZ]{4}$/);
});

test('a user code is recognized in any case and with any separator', () => {
  const { text, hash } = createUserCode();
  for (const typed of [text, text.toLowerCase(), text.replace('-', ''), text.replace('-', ' '), ` ${text}\n`])
    expect(parseUserCode(typed)).toEqual({ text, hash });
});

test.each([
  ['wdjb-mjht', 'WDJB-MJHT'],
  ['W D J B . M J H T', 'WDJB-MJHT'],
  ['ＷＤＪＢ－ＭＪＨＴ', 'WDJB-MJHT'],
  ['0OQB-1I|L', 'QQQB-LLLL'],
  ['2568-UVZS', 'ZSGB-VVZS'],
])('the typed user code %s is read as %s', (typed, text) => {
  expect(parseUserCode(typed)?.text).toBe(text);
});

test.each(['', 'WDJB', 'WDJB-MJH', 'WDJB-MJHTW', 'AAAA-EEEE', `${' '.repeat(60)}WDJBMJHT`])(
  '%j is not a user code',
  (typed) => {
    expect(parseUserCode(typed)).toBeNull();
  },
);
