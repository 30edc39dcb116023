import { expect, test } from '@jest/globals';

import { isSameTarget } from '../../../lib/shared/protocol/same-target.js';

const TARGET = 'https://photos.example/api/a~b';

test.each([
  TARGET,
  'HTTPS://PHOTOS.example/api/a~b',
  'https://photos.example:443/api/a~b',
  'https://photos.example/api/a%7Eb',
  'https://photos.example/api/a%7eb',
  'https://photos.example/x/../api/./a~b',
  'https://photos.example/api/a~b?a=b',
  'https://photos.example/api/a~b#c',
])('%s is the target of the proof (RFC 3986 §6.2)', (given) => {
  expect(isSameTarget(given, TARGET)).toBe(true);
});

test.each([
  'http://photos.example/api/a~b',
  'https://photos.example:8443/api/a~b',
  'https://photos.example./api/a~b',
  'https://other.example/api/a~b',
  'https://photos.example/API/a~b',
  'https://photos.example/api/a~b/',
  'https://photos.example/api//a~b',
  'https://photos.example/api%2Fa~b',
  'https://ada@photos.example/api/a~b',
  'https://:secret@photos.example/api/a~b',
  '/api/a~b',
  'photos.example/api/a~b',
  'urn:photos:a',
  '',
])('%s is another target', (given) => {
  expect(isSameTarget(given, TARGET)).toBe(false);
});

test('an encoded slash is not a slash, and its spelling does not count', () => {
  expect(isSameTarget('https://photos.example/a%2fb', 'https://photos.example/a%2Fb')).toBe(true);
  expect(isSameTarget('https://photos.example/a%2fb', 'https://photos.example/a/b')).toBe(false);
});

test('empty texts and URNs are never the same target', () => {
  expect(isSameTarget('', '')).toBe(false);
  expect(isSameTarget('urn:a', 'urn:a')).toBe(false);
});
