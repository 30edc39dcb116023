import { afterAll, beforeAll, expect, test } from '@jest/globals';

import type { Site } from '../support/site.js';
import { type MeasuredDocument, measureDocuments, openUsualSite } from './sizes.js';

let site: Site;
let measured: MeasuredDocument[];

beforeAll(async () => {
  site = await openUsualSite();
  measured = await measureDocuments(site);
}, 120_000);
afterAll(() => site.close());

const bytesOf = (what: string) => measured.find((document) => document.what === what)?.bytes ?? 0;

test('a grant grows with its refreshes, and then no further', () => {
  const bytes = [1, 10, 50, 60, 100].map((count) =>
    bytesOf(`a grant after ${count} ${count === 1 ? 'refresh' : 'refreshes'}`),
  );
  const [one = 0, ten = 0, fifty = 0, sixty = 0, hundred = 0] = bytes;
  expect([bytesOf('a grant, just authorized'), bytesOf('a grant with tokens'), one, ten, fifty]).toEqual(
    [bytesOf('a grant, just authorized'), bytesOf('a grant with tokens'), one, ten, fifty].sort(
      (a, b) => a - b,
    ),
  );
  expect(sixty).toBe(fifty);
  expect(hundred).toBe(fifty);
});

test('what is bounded: ten access tokens, fifty used refresh tokens', async () => {
  const grant = await site.database.connection
    .collection('oauth_grants')
    .findOne({ grantType: 'authorization_code', refreshToken: { $exists: true } });
  expect(grant?.accessTokens).toHaveLength(10);
  expect(grant?.usedRefreshTokens).toHaveLength(50);
});

test('documents are as small as docs/scale.md has them: a grant with tokens under 1 KB, after any number of refreshes under 8 KB', () => {
  expect(bytesOf('a grant with tokens')).toBeGreaterThan(300);
  expect(bytesOf('a grant with tokens')).toBeLessThan(1024);
  expect(bytesOf('a grant after 100 refreshes')).toBeLessThan(8192);
});
