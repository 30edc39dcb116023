import { describe, expect, test } from '@jest/globals';

import { createBarrier } from '../../support/barrier.js';
import { letPass } from '../../support/clock.js';
import { expectInvalidGrant } from '../../support/refusal.js';
import { REDIRECT_URI, startLike } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import {
  basic,
  callApi,
  createPkce,
  type Fields,
  obtainCode,
  postToken,
  redeem,
  refreshTokens,
} from '../../support/tokens.js';

const OTHER_URI = 'https://print.example/other';

let waitForOthers: () => Promise<void>;
const site = siteFor();
/** The same site where a code soon expires. */
const hasty = siteFor(() => ({ database: site.database, lifetimes: { authorizationCode: 1 } }));
/** The same site, but each token request waits for the others. */
const crowded = siteFor(() => ({
  database: site.database,
  tokens: {
    responseParameters: async () => {
      await waitForOthers();
      return {};
    },
  },
}));
const redirectUris = [REDIRECT_URI, OTHER_URI];
const client = fixture(() => site.client({ redirectUris }));
const other = fixture(() => site.client({ redirectUris }));
const publicClient = fixture(() => site.client({ type: 'public', redirectUris }));

/** A code of the public client with its code_verifier. */
async function publicCode(): Promise<Fields & { readonly code: string }> {
  const { code_verifier, challenge } = createPkce();
  return { code: await obtainCode(site, publicClient, { query: challenge }), code_verifier };
}

describe('§4.1.3 the request', () => {
  test('§4.1.3 an authorization code is redeemed for tokens of the person and the allowed scopes [4.1.3-1] [4.1.3-2] [4.1.3-6] [4.1.3-9]', async () => {
    const response = await redeem(
      site,
      client,
      await obtainCode(site, client, { query: { scope: 'photos:read' }, as: 'grace' }),
    );
    expect(response.status).toBe(200);
    expect(response.body.scope).toBe('photos:read');
    const me = await callApi(site, response.body.access_token);
    expect(me.body).toMatchObject({ userId: 'grace', clientId: client.clientId, scopes: ['photos:read'] });
  });
});

describe('§4.1.3 the client', () => {
  test('§4.1.3 wrong client credentials are refused, also of a public client [4.1.3-7] [10.5-4]', async () => {
    const wrong = { ...client, clientSecret: 'wrong' };
    expect((await redeem(site, wrong, await obtainCode(site, client))).body.error).toBe('invalid_client');
    const { code, ...fields } = await publicCode();
    const response = await postToken(site, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT_URI,
      ...fields,
    }).set('Authorization', basic(publicClient.clientId, 'wrong'));
    expect(response.body.error).toBe('invalid_client');
  });

  test('§4.1.3 an authorization code is refused for another client, and stays valid for its client [4.1.3-8] [10.5-4]', async () => {
    const code = await obtainCode(site, client);
    expectInvalidGrant(await redeem(site, other, code));
    expect((await redeem(site, client, code)).status).toBe(200);
  });
});

describe('§4.1.3 the redirect URI', () => {
  test('§4.1.3 redirect_uri is required if the authorization request had a redirect_uri [4.1.3-3] [4.1.3-10] [10.6-1]', async () => {
    expectInvalidGrant(
      await redeem(site, client, await obtainCode(site, client), { redirect_uri: undefined }),
    );
    expectInvalidGrant(await redeem(site, client, await obtainCode(site, client), { redirect_uri: '' }));
  });

  test.each([
    OTHER_URI,
    `${REDIRECT_URI}/`,
    'https://PRINT.example/callback',
    'https://print.example:443/callback',
    'https://evil.example/',
    'https://print.example/%63allback',
  ])(
    '§4.1.3 a redirect_uri that differs from the authorization request is refused: %s [4.1.3-3] [4.1.3-10] [10.6-1]',
    async (redirectUri) => {
      expectInvalidGrant(
        await redeem(site, client, await obtainCode(site, client), { redirect_uri: redirectUri }),
      );
    },
  );

  test('§4.1.3 redirect_uri may be omitted if the authorization request had no redirect_uri', async () => {
    const single = await site.client();
    const code = await obtainCode(site, single, { query: { redirect_uri: undefined } });
    expect((await redeem(site, single, code, { redirect_uri: undefined })).status).toBe(200);
  });

  test('§10.6 redirect_uri may be the only registered URI if the authorization request had no redirect_uri [4.1.3-10] [10.6-1]', async () => {
    const single = await site.client();
    const code = await obtainCode(site, single, { query: { redirect_uri: undefined } });
    expectInvalidGrant(await redeem(site, single, code, { redirect_uri: 'https://evil.example/' }));
    expect((await redeem(site, single, code, { redirect_uri: REDIRECT_URI })).status).toBe(200);
  });

  test('§10.6 redirect_uri on loopback has to have the port of the authorization request (RFC 8252 §7.3) [10.6-1]', async () => {
    const native = await site.client({ redirectUris: ['http://127.0.0.1/callback'] });
    const code = await obtainCode(site, native, {
      query: { redirect_uri: 'http://127.0.0.1:51004/callback' },
    });
    expectInvalidGrant(await redeem(site, native, code, { redirect_uri: 'http://127.0.0.1:51005/callback' }));
    expect(
      (await redeem(site, native, code, { redirect_uri: 'http://127.0.0.1:51004/callback' })).status,
    ).toBe(200);
  });
});

describe('§4.1.3 the code', () => {
  test('§4.1.3 an unknown or changed authorization code is refused [4.1.3-9] [10.10-1]', async () => {
    const code = await obtainCode(site, client);
    const last = code.at(-1) === 'A' ? 'E' : 'A';
    const wrong = [
      'x',
      'SplxlOBeZQQYbYS6WxSbIA',
      code.slice(0, -1),
      `${code}A`,
      `${code.slice(0, -1)}${last}`,
      code.toUpperCase(),
      ` ${code}`,
      `${code}=`,
      code.replace('eas_ac_', 'eas_rt_'),
    ];
    for (const each of wrong) expectInvalidGrant(await redeem(site, client, each));
    expect((await redeem(site, client, code)).status).toBe(200);
  });

  test('§4.1.3 an authorization code that was revoked before its use is refused [4.1.3-9] [5.2-8]', async () => {
    const single = await site.client();
    const code = await obtainCode(site, single);
    await site.oauth.grants.revoke({ userId: 'ada', clientId: single.clientId });
    expectInvalidGrant(await redeem(site, single, code));
  });
});

describe('§4.1.2 the lifetime of a code', () => {
  test('§4.1.2 an expired authorization code is refused [4.1.2-2] [4.1.3-9] [5.2-8] [10.5-2]', async () => {
    const code = await obtainCode(hasty, client);
    letPass(1.1);
    expectInvalidGrant(await redeem(hasty, client, code));
    // a code has its own expiry, which a process with other settings does not extend
    expectInvalidGrant(await redeem(site, client, code));
  });

  test('§4.1.2 the lifetime of authorization codes cannot exceed ten minutes [4.1.2-3]', () => {
    const start = (authorizationCode: number) => startLike(site, { lifetimes: { authorizationCode } });
    expect(() => start(601)).toThrow(/lifetimes.authorizationCode.*600/);
    expect(() => start(600)).not.toThrow();
    for (const senseless of [0, -1, 1.5, Number.NaN, Infinity])
      expect(() => start(senseless)).toThrow(/lifetimes.authorizationCode/);
  });

  test('§4.1.2 the lifetime of authorization codes is a minute by default [4.1.2-3]', async () => {
    await obtainCode(site, client);
    const grants = site.database.collection('oauth_grants');
    const [grant] = await grants
      .find({ clientId: client.clientId, 'code.usedAt': { $exists: false } })
      .sort({ createdAt: -1 })
      .limit(1)
      .toArray();
    expect(grant?.code.expiresAt.getTime() - grant?.createdAt.getTime()).toBe(60_000);
  });
});

describe('§4.1.2 repeated use of a code', () => {
  test('§4.1.2 a second use of an authorization code is refused and revokes its tokens [4.1.2-4] [4.1.2-5] [4.1.2-6] [10.5-2] [10.5-3]', async () => {
    const code = await obtainCode(site, client);
    const { body: tokens } = await redeem(site, client, code);
    expect((await callApi(site, tokens.access_token)).status).toBe(200);
    expectInvalidGrant(await redeem(site, client, code));
    expect((await callApi(site, tokens.access_token)).status).toBe(401);
    expectInvalidGrant(await refreshTokens(site, client, tokens.refresh_token));
  });

  test('§4.1.2 a second use of an authorization code revokes tokens that were refreshed since [4.1.2-6] [10.5-3]', async () => {
    const code = await obtainCode(site, client);
    const { body: first } = await redeem(site, client, code);
    const { body: second } = await refreshTokens(site, client, first.refresh_token);
    expectInvalidGrant(await redeem(site, client, code));
    expect((await callApi(site, second.access_token)).status).toBe(401);
    expectInvalidGrant(await refreshTokens(site, client, second.refresh_token));
  });

  test('§4.1.2 a second use of an authorization code does not revoke other grants [4.1.2-6]', async () => {
    const { body: stored } = await redeem(site, client, await obtainCode(site, client));
    const code = await obtainCode(site, client);
    await redeem(site, client, code);
    expectInvalidGrant(await redeem(site, client, code));
    expect((await callApi(site, stored.access_token)).status).toBe(200);
  });

  test('§4.1.2 only one of many concurrent requests with an authorization code gets tokens, which then end [4.1.2-5] [4.1.2-6] [10.5-2]', async () => {
    const code = await obtainCode(site, client);
    waitForOthers = createBarrier(10);
    const responses = await Promise.all(Array.from({ length: 10 }, () => redeem(crowded, client, code)));
    const [won, ...more] = responses.filter(({ status }) => status === 200);
    expect(more).toEqual([]);
    expect((await callApi(site, won?.body.access_token)).status).toBe(401);
  });

  test('§4.1.2 an invalid request with a used authorization code does not revoke its tokens', async () => {
    const code = await obtainCode(site, client);
    const { body: tokens } = await redeem(site, client, code);
    await redeem(site, other, code);
    await redeem(site, { ...client, clientSecret: 'wrong' }, code);
    await redeem(site, client, code, { redirect_uri: OTHER_URI });
    expect((await callApi(site, tokens.access_token)).status).toBe(200);
  });
});
