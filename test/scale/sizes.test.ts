import { afterAll, beforeAll, expect, test } from '@jest/globals';

import type { Site } from '../support/site.js';
import { type MeasuredDocument, measureDocuments, openDefaultSite, REFRESHES } from './sizes.js';

let site: Site;
let measured: MeasuredDocument[];

beforeAll(async () => {
  site = await openDefaultSite();
  measured = await measureDocuments(site);
});
afterAll(() => site.close());

const bytesOf = (what: string) => measured.find((document) => document.what === what)?.bytes ?? 0;

test('a grant grows with its first refreshes, and then no further', () => {
  const [one = 0, ten = 0, hundred = 0] = REFRESHES.map((count) =>
    bytesOf(`a grant after ${count} ${count === 1 ? 'refresh' : 'refreshes'}`),
  );
  const growing = [bytesOf('a grant, just authorized'), bytesOf('a grant with tokens'), one, ten];
  expect(growing).toEqual([...growing].sort((a, b) => a - b));
  expect(hundred).toBe(ten);
});

test('what is bounded: ten access tokens; of used refresh tokens nothing is kept', async () => {
  const grant = await site.database.connection
    .collection('oauth_grants')
    .findOne({ grantType: 'authorization_code', refreshToken: { $exists: true } });
  expect(grant?.accessTokens).toHaveLength(10);
  expect(grant).not.toHaveProperty('usedRefreshTokens');
});

test('documents are as small as docs/reference/database.md has them: a grant with tokens under 1 KB, after any number of refreshes under 3 KB', () => {
  expect(bytesOf('a grant with tokens')).toBeGreaterThan(300);
  expect(bytesOf('a grant with tokens')).toBeLessThan(1024);
  expect(bytesOf('a grant after 100 refreshes')).toBeLessThan(3072);
});
