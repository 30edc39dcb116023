import { describe, expect, test } from '@jest/globals';

import {
  hasSomethingToRead,
  hasStackedMarks,
  hasUnseenCharacters,
} from '../../../lib/shared/protocol/display-name.js';

const FINE = [
  'Lantern Photos',
  'Zażółć gęślą jaźń',
  'e\u0301\u0323 of two marks',
  'Tiếng Việt',
  'ภาพที่น่าอยู่',
  'हिन्दी क्षेत्र',
  'בְּרֵאשִׁית',
  '写真',
  'صوري',
  '📷 Photos',
  '❤\ufe0f',
  '3',
];

describe('readable names', () => {
  test.each(FINE)('the name %s is readable', (name) => {
    expect(hasUnseenCharacters(name)).toBe(false);
    expect(hasStackedMarks(name)).toBe(false);
    expect(hasSomethingToRead(name)).toBe(true);
  });
});

test.each([
  ['the filler of Hangul', '\u3164'],
  ['its half-width form', '\uffa0'],
  ['the filler of a first consonant', '\u115f'],
  ['the empty pattern of Braille', '\u2800'],
  ['a high surrogate alone', 'Shop\ud83d'],
  ['a low surrogate alone', '\udcf7Shop'],
  ['an invisible joiner', 'Sh\u034fop'],
  ['a soft hyphen', 'Sh\u00adop'],
  ['a variation of a letter', 'Shop\ufe0f'],
  ['a tag', 'Shop\u{e0041}'],
  ['a space of no width', 'Sh\u200bop'],
  ['a change of direction', 'Sh\u202eop'],
  ['a line break', 'Sh\nop'],
])('a name with %s has unseen characters', (_what, name) => {
  expect(hasUnseenCharacters(name)).toBe(true);
});

test.each([
  ['five of one kind', `a${'\u0336'.repeat(5)}`],
  ['five of several kinds', 'a\u0336\u0321\u0322\u0334\u0335'],
  ['a mark in front of everything', '\u0336Shop'],
])('a name with stacked marks: %s', (_what, name) => {
  expect(hasStackedMarks(name)).toBe(true);
});

test.each(['...', '-', '()', '\u3000'])('a name without readable characters: %j', (name) => {
  expect(hasSomethingToRead(name)).toBe(false);
});
