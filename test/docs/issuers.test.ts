import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from '@jest/globals';

import { root } from './blocks.js';

/** A loopback issuer needs no TLS: a fallback would disable that check wherever somebody forgets the real issuer. */
const FALLBACK =
  /issuer\s*[:=][^\n]*(\|\||\?\?|\?)[^\n]*(localhost|127\.0\.0\.1)|ISSUER\s*(\|\||\?\?|=)\s*(`|'|")http:\/\/(localhost|127)/;

const files = ['README.md', 'docs', 'lib/cli/init'].flatMap((place) =>
  place.endsWith('.md')
    ? [place]
    : readdirSync(join(root, place), { recursive: true })
        .map((file) => `${place}/${String(file)}`)
        .filter((file) => /\.(md|ts)$/.test(file)),
);

test.each(files)('no issuer of %s falls back to loopback', (file) => {
  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  expect(lines.filter((line) => FALLBACK.test(line))).toEqual([]);
});

test.each([
  "issuer: process.env.ISSUER || 'http://localhost:4000',",
  "const { ISSUER = 'http://127.0.0.1:3000' } = process.env;",
  "issuer: process.env.NODE_ENV === 'production' ? undefined : 'http://localhost:4000',",
])('the test recognizes a fallback: %s', (line) => {
  expect(line).toMatch(FALLBACK);
});
