import { readFileSync } from 'node:fs';

import { expect, test } from '@jest/globals';
import mongoose from 'mongoose';

import { createPerson } from '../support/person.js';
import { REDIRECT_URI } from '../support/site.js';
import { siteFor } from '../support/site-for.js';
import { createPkce, redeem, tokenRequest } from '../support/tokens.js';

/** A typical site, with an id of the usual length. */
const site = siteFor({
  people: { id: () => '64b7f0c2a1d3e4f5a6b7c8d9' },
  security: { rateLimits: false },
});

test('a grant has its documented size, and grows only with its first refreshes', async () => {
  const client = await site.client({ scopes: ['photos:read', 'photos:write'] });
  const stored = async () => {
    const grant = await site.database.collection('oauth_grants').findOne({ clientId: client.clientId });
    return { grant, bytes: mongoose.mongo.BSON.calculateObjectSize(grant!) };
  };
  const person = createPerson(site);
  await person.logIn();
  const { challenge, code_verifier } = createPkce();
  const location = await person.authorize({
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: REDIRECT_URI,
    state: 'x',
    ...challenge,
  });
  const { bytes: authorized } = await stored();
  const code = location.searchParams.get('code') ?? '';
  let { body: tokens } = await redeem(site, client, code, { code_verifier }).expect(200);
  const { bytes: withTokens } = await stored();
  const after: number[] = [];
  for (let count = 1; count <= 100; count += 1) {
    ({ body: tokens } = await tokenRequest(site, client, {
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
    }).expect(200));
    if ([1, 10, 100].includes(count)) after.push((await stored()).bytes);
  }
  const [one = 0, ten = 0, hundred = 0] = after;
  const growing = [authorized, withTokens, one, ten];
  expect(growing).toEqual([...growing].sort((a, b) => a - b));
  expect(hundred).toBe(ten);
  const text = readFileSync(new URL('../../docs/reference/database.md', import.meta.url), 'utf8');
  const [, ...written] = /has ([\d,]+) bytes of BSON, and ([\d,]+) bytes after ten/.exec(text) ?? [];
  const sizes = written.map((size) => Number(size.replace(',', '')));
  expect(sizes.map((size, at) => Math.abs([withTokens, ten][at]! - size) < 40)).toEqual([true, true]);
  // the bounds: ten access tokens, and nothing of used refresh tokens
  const { grant } = await stored();
  expect(grant?.accessTokens).toHaveLength(10);
  expect(grant).not.toHaveProperty('usedRefreshTokens');
});
