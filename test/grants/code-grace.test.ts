import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import type { ClientWithSecret } from '../../lib/index.js';
import { letPass } from '../support/clock.js';
import { openSite, REDIRECT_URI, type Site } from '../support/site.js';
import {
  callApi,
  createPkce,
  obtainCode,
  postToken,
  redeem,
  tokenRequest,
  whoseGrantIs,
} from '../support/tokens.js';

/** The answer to a code was lost, for example because the process was killed; and what that must not allow (§4.1.2). */
let site: Site;
let there: Site;
let strict: Site;
let client: ClientWithSecret;

beforeAll(async () => {
  site = await openSite({ tokens: { reuseGrace: 30 }, security: { rateLimits: false } });
  const shared = { security: { rateLimits: false }, database: site.database, issuer: site.url };
  there = await openSite({ ...shared, tokens: { reuseGrace: 30 } });
  strict = await openSite(shared);
  client = await site.client();
});
afterAll(async () => {
  await strict.close();
  await there.close();
  await site.close();
});

const stored = (code: string) =>
  site.database.connection.collection('oauth_grants').findOne(whoseGrantIs(code));

test('the same request is answered with the same tokens, at whichever process', async () => {
  const code = await obtainCode(site, client);
  const first = await redeem(site, client, code).expect(200);
  for (const process of [there, site]) {
    const { body } = await redeem(process, client, code).expect(200);
    expect({ ...body, expires_in: 0 }).toEqual({ ...first.body, expires_in: 0 });
  }
  expect((await callApi(site, first.body.access_token)).status).toBe(200);
  expect((await stored(code))?.accessTokens).toHaveLength(1);
});

test('of many at once all have the same', async () => {
  const code = await obtainCode(site, client);
  const answers = await Promise.all(
    [site, there, site, there].map((process) => redeem(process, client, code)),
  );
  expect(new Set(answers.map(({ status, body }) => `${status} ${body.access_token}`)).size).toBe(1);
});

test('nothing of the tokens can be read in the database, not even with the hash of the code', async () => {
  const code = await obtainCode(site, client);
  const { body } = await redeem(site, client, code).expect(200);
  const text = JSON.stringify(await stored(code));
  for (const secret of [body.access_token, body.refresh_token, code])
    expect(text).not.toContain(secret.slice(29));
});

describe('a replay, which ends the grant:', () => {
  const expectReplay = async (code: string, second: { status: number; body: { error?: string } }) => {
    expect([second.status, second.body.error]).toEqual([400, 'invalid_grant']);
    expect((await stored(code))?.revokedAt).toBeInstanceOf(Date);
  };

  test('later than that, and than clockTolerance allows', async () => {
    const code = await obtainCode(site, client);
    await redeem(site, client, code).expect(200);
    letPass(61);
    await expectReplay(code, await redeem(site, client, code));
  });

  test('once the refresh token has been used', async () => {
    const code = await obtainCode(site, client);
    const { body } = await redeem(site, client, code).expect(200);
    await tokenRequest(site, client, { grant_type: 'refresh_token', refresh_token: body.refresh_token });
    await expectReplay(code, await redeem(site, client, code));
  });

  test('without the option', async () => {
    const code = await obtainCode(strict, client);
    await redeem(strict, client, code).expect(200);
    await expectReplay(code, await redeem(strict, client, code));
  });

  test('where the option was taken away since', async () => {
    const code = await obtainCode(site, client);
    await redeem(site, client, code).expect(200);
    await expectReplay(code, await redeem(strict, client, code));
  });

  test('of a public client that has nothing but the code to show', async () => {
    const loose = await openSite({
      tokens: { reuseGrace: 30 },
      security: { rateLimits: false, pkce: 'optional' },
      database: site.database,
      issuer: site.url,
    });
    const app = await loose.client({ type: 'public' });
    const code = await obtainCode(loose, app);
    const fields = { client_id: app.clientId, redirect_uri: REDIRECT_URI };
    await postToken(loose, { grant_type: 'authorization_code', code, ...fields }).expect(200);
    await expectReplay(code, await postToken(loose, { grant_type: 'authorization_code', code, ...fields }));
    await loose.close();
  });
});

test('who has the code and not what it is bound to learns nothing, and ends nothing', async () => {
  const { code_verifier, challenge } = createPkce();
  const app = await site.client({ type: 'public' });
  const code = await obtainCode(site, app, { query: challenge });
  const first = await redeem(site, app, code, { code_verifier }).expect(200);
  for (const fields of [
    { code_verifier: createPkce().code_verifier },
    { redirect_uri: 'https://evil.example/' },
  ])
    await redeem(site, app, code, { code_verifier, ...fields }).expect(400);
  await redeem(site, await site.client(), code, { code_verifier }).expect(400);
  const again = await redeem(site, app, code, { code_verifier }).expect(200);
  expect(again.body.access_token).toBe(first.body.access_token);
});

test('not twice in a row: after an answer that was sent again, the refresh token is used once', async () => {
  const code = await obtainCode(site, client);
  const { body } = await redeem(site, client, code).expect(200);
  await redeem(site, client, code).expect(200);
  const refresh = () =>
    tokenRequest(site, client, { grant_type: 'refresh_token', refresh_token: body.refresh_token });
  await refresh().expect(200);
  await refresh().expect(400);
});
