import { describe, expect, test } from '@jest/globals';

import { en } from '../../lib/messages/en.js';
import { createTranslator } from '../../lib/pages/rendering/translator.js';

const KEY = 'applications.title';
/** English, with one text of the test. */
const translatorOf = (text: string, locale = 'en') => createTranslator(locale, { ...en, [KEY]: text });

describe('texts of a translator', () => {
  test.each<[string, Record<string, string | number>, string]>([
    ['Hello', {}, 'Hello'],
    ['Hello {name}', { name: 'Ada' }, 'Hello Ada'],
    ['{name} and {name}', { name: 'Ada' }, 'Ada and Ada'],
    ['{count} apps', { count: 3 }, '3 apps'],
    ['Hello {name}', { name: "$& $1 $'" }, "Hello $& $1 $'"],
    ['Hello {name}', { name: '{other}', other: 'x' }, 'Hello {other}'],
    ['Hello {name}', {}, 'Hello {name}'],
    ['Hello {toString}', {}, 'Hello {toString}'],
  ])('the text %j with %j becomes %j', (text, values, filled) => {
    expect(translatorOf(text).text(KEY as never, values)).toBe(filled);
  });

  test('a text as HTML is escaped, and each value has an element', () => {
    const translator = translatorOf('{name} <asks>');
    const values = { name: '<b>"Ada"</b>' };
    expect(translator.markup(KEY as never, values)).toBe(
      '<bdi>&lt;b&gt;&#34;Ada&#34;&lt;/b&gt;</bdi> &lt;asks&gt;',
    );
    expect(translator.markup(KEY as never, { name: 'Ada' }, 'strong')).toBe(
      '<strong><bdi>Ada</bdi></strong> &lt;asks&gt;',
    );
    expect(translator.markup(KEY as never, { name: 'a' }, 'code')).toBe('<code>a</code> &lt;asks&gt;');
  });

  test('a text with times has them for people and for programs', () => {
    const translator = translatorOf('since {time}');
    const time = translator.day(new Date('2026-03-01T12:00:00Z'));
    expect(translator.times(KEY as never, { time })).toBe(
      'since <time datetime="2026-03-01T12:00:00.000Z">1 March 2026</time>',
    );
    expect(translator.moment(new Date('2026-03-01T12:00:00Z')).text).toBe('1 March 2026 at 12:00 UTC');
  });
});

describe('texts with a plural', () => {
  const said = (locale: string, text: string, values: Record<string, string | number>) =>
    translatorOf(text, locale).text(KEY, values);

  test.each([
    ['en', 0, '0 applications'],
    ['en', 1, '1 application'],
    ['en', 1000, '1,000 applications'],
    ['de', 1, '1 application'],
    ['fr', 0, '0 application'],
    ['ja', 1, '1 applications'],
  ])('a plural has the form of the number, in %s: %d is %s', (locale, count, text) => {
    expect(said(locale, '{count, plural, one {# application} other {# applications}}', { count })).toBe(text);
  });

  test.each([
    [0, 'صفر'],
    [1, 'واحد'],
    [2, 'اثنان'],
    [3, 'قليل'],
    [11, 'كثير'],
    [100, 'غير ذلك'],
  ])('a plural has six forms in Arabic: %d', (count, form) => {
    const text = '{count, plural, zero {صفر} one {واحد} two {اثنان} few {قليل} many {كثير} other {غير ذلك}}';
    expect(said('ar', text, { count })).toBe(form);
  });

  test('a plural does not interpret other values', () => {
    const text = '{name} has {count, plural, one {one key of {max}} other {# keys of {max}}}';
    expect(said('en', text, { name: '<b>{max} #', count: 2, max: 3 })).toBe('<b>{max} # has 2 keys of 3');
  });
});

test.each([
  ['en', 'ltr'],
  ['de', 'ltr'],
  ['ar', 'rtl'],
  ['he', 'rtl'],
  ['fa-AF', 'rtl'],
  ['ja', 'ltr'],
])('the language %s is written %s', (locale, direction) => {
  expect(translatorOf('', locale).direction).toBe(direction);
});

test.each([
  [1, '1 second'],
  [90, '90 seconds'],
  [120, '2 minutes'],
  [121, '3 minutes'],
  [3600, '60 minutes'],
  [7200, '2 hours'],
  [86_400, '24 hours'],
  [172_800, '2 days'],
])('%d seconds are displayed as %s', (seconds, text) => {
  expect(translatorOf('').span(seconds)).toBe(text);
});

test('a number is written by the rules of the language', () => {
  expect([translatorOf('').number(1234.5), translatorOf('', 'de').number(1234.5)]).toEqual([
    '1,234.5',
    '1.234,5',
  ]);
});
