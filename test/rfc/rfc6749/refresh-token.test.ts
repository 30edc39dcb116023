import { describe, expect, test } from '@jest/globals';

import { createBarrier } from '../../support/barrier.js';
import { letPass } from '../../support/clock.js';
import { expectInvalidGrant } from '../../support/refusal.js';
import { fixture, siteFor } from '../../support/site-for.js';
import {
  callApi,
  createPkce,
  type Fields,
  obtainCode,
  obtainTokens,
  redeem,
  refreshTokens,
  whoseGrantIs,
} from '../../support/tokens.js';

let waitForOthers: () => Promise<void>;

const site = siteFor({ security: { rateLimits: false } });
/** The same site where a refresh token soon expires. */
const hasty = siteFor(() => ({ database: site.database, lifetimes: { refreshToken: 1 } }));
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
const client = fixture(() => site.client());
const other = fixture(() => site.client());
const publicClient = fixture(() => site.client({ type: 'public' }));

function refresh(refreshToken: string, fields: Fields = {}, as = client, at = site) {
  return refreshTokens(at, as, refreshToken, { ...fields });
}

/** A forged token: the id of the grant is correct, but not the part that all its tokens share. */
function ofAnotherFamily(refreshToken: string): string {
  const other = refreshToken[29] === 'A' ? 'E' : 'A';
  return `${refreshToken.slice(0, 29)}${other}${refreshToken.slice(30)}`;
}

function storedGrant(refreshToken: string) {
  return site.database.collection('oauth_grants').findOne(whoseGrantIs(refreshToken));
}

async function obtainPublic(): Promise<{ access_token: string; refresh_token: string }> {
  const { code_verifier, challenge } = createPkce();
  return (
    await redeem(site, publicClient, await obtainCode(site, publicClient, { query: challenge }), {
      code_verifier,
    })
  ).body;
}

/** Tokens of the client for two of its three scopes. */
function obtain() {
  return obtainTokens(site, client, { query: { scope: 'photos:read profile' } });
}

describe('§6 refreshing', () => {
  test('§6 a refresh token is redeemed for an access token of the same person and scopes [6-1] [6-2] [6-6] [6-7]', async () => {
    const first = await obtain();
    const response = await refresh(first.refresh_token);
    expect(response.status).toBe(200);
    expect(response.body.access_token).not.toBe(first.access_token);
    expect((await callApi(site, response.body.access_token)).body).toMatchObject({
      userId: 'ada',
      clientId: client.clientId,
      scopes: ['photos:read', 'profile'],
    });
  });

  test('§6 a refresh does not end the earlier access token', async () => {
    const first = await obtain();
    await refresh(first.refresh_token);
    expect((await callApi(site, first.access_token)).status).toBe(200);
  });

  test('§6 an unknown or malformed refresh token is refused [6-7] [10.10-1]', async () => {
    const { access_token: accessToken, refresh_token: refreshToken } = await obtain();
    const wrong = [
      'x',
      accessToken,
      await obtainCode(site, client),
      accessToken.replace('eas_at_', 'eas_rt_'),
      refreshToken.slice(0, -1),
      `${refreshToken}A`,
      ofAnotherFamily(refreshToken),
    ];
    for (const each of wrong) expectInvalidGrant(await refresh(each));
    expect((await refresh(refreshToken)).status).toBe(200);
  });

  test('§6 an expired refresh token is refused [5.2-8] [6-7]', async () => {
    const { refresh_token: refreshToken } = await obtainTokens(hasty, client);
    letPass(1.1);
    expectInvalidGrant(await refresh(refreshToken));
  });
});

describe('§6 the client of a refresh token', () => {
  test('§6 a refresh token is refused for another client, and stays valid for its client [6-6] [10.4-2] [10.4-4]', async () => {
    const { refresh_token: refreshToken } = await obtain();
    expectInvalidGrant(await refresh(refreshToken, {}, other));
    expectInvalidGrant(await refresh(refreshToken, {}, publicClient));
    expect((await refresh(refreshToken)).status).toBe(200);
  });
});

describe('§6 scope', () => {
  test('§6 a refresh with fewer scopes issues an access token with fewer scopes [6-3]', async () => {
    const { body } = await refresh((await obtain()).refresh_token, { scope: 'profile' });
    expect(body.scope).toBe('profile');
    expect((await callApi(site, body.access_token)).body.scopes).toEqual(['profile']);
    expect((await callApi(site, body.access_token, '/api/photos')).status).toBe(403);
  });

  test('§6 a refresh with fewer scopes issues a refresh token for all scopes of the grant [6-3] [6-9]', async () => {
    const { body: narrow } = await refresh((await obtain()).refresh_token, { scope: 'profile' });
    const { body: full } = await refresh(narrow.refresh_token);
    expect(full.scope.split(' ').sort()).toEqual(['photos:read', 'profile']);
    expect((await callApi(site, full.access_token, '/api/photos')).status).toBe(200);
    // the narrower token has not gained scopes
    expect((await callApi(site, narrow.access_token, '/api/photos')).status).toBe(403);
  });

  test('§6 a refresh with an empty scope requests all scopes of the grant [6-3]', async () => {
    const { body } = await refresh((await obtain()).refresh_token, { scope: '' });
    expect(body.scope).toBe('photos:read profile');
  });

  test('§6 the order of the scopes in a refresh does not matter [6-3] [A.4-1]', async () => {
    const { body } = await refresh((await obtain()).refresh_token, { scope: 'profile photos:read' });
    expect(body.scope.split(' ').sort()).toEqual(['photos:read', 'profile']);
  });

  test.each(['photos:write', 'photos:read profile photos:write', 'albums', 'Profile'])(
    '§6 a refresh with the scope %s outside the grant is refused [6-3]',
    async (scope) => {
      // although the client is registered for photos:write
      expect(client.scopes).toContain('photos:write');
      const { refresh_token: refreshToken } = await obtain();
      const response = await refresh(refreshToken, { scope });
      expect(response.status).toBe(400);
      expect(response.body.error).toBe('invalid_scope');
      // a refused request does not use up the token
      expect((await refresh(refreshToken)).status).toBe(200);
    },
  );
});

describe('§6 scopes that the client has lost', () => {
  test('§6 a scope that the client has lost is not granted by a refresh', async () => {
    const { refresh_token: refreshToken } = await obtain();
    await site.oauth.clients.update(client.clientId, { scopes: ['profile'] });
    try {
      const { body } = await refresh(refreshToken);
      expect(body.scope).toBe('profile');
      expect((await callApi(site, body.access_token, '/api/photos')).status).toBe(403);
      const refused = await refresh(body.refresh_token, { scope: 'photos:read' });
      expect([refused.status, refused.body.error]).toEqual([400, 'invalid_scope']);
    } finally {
      await site.oauth.clients.update(client.clientId, { scopes: client.scopes });
    }
  });
});

describe('§10.4 rotation', () => {
  test.each([
    ['confidential', obtain, () => client],
    ['public', obtainPublic, () => publicClient],
  ])(
    '§10.4 a second use of an old refresh token of a %s client revokes the grant [6-8] [10.4-5]',
    async (_type, begin, clientOf) => {
      const first = await begin();
      const { body: second } = await refresh(first.refresh_token, {}, clientOf());
      expectInvalidGrant(await refresh(first.refresh_token, {}, clientOf()));
      expectInvalidGrant(await refresh(second.refresh_token, {}, clientOf()));
      for (const { access_token: accessToken } of [first, second])
        expect((await callApi(site, accessToken)).status).toBe(401);
    },
  );

  test('§10.4 a second use of a refresh token from sixty refreshes ago revokes the grant [10.4-5]', async () => {
    const stolen = await obtain();
    let current = stolen;
    const used: string[] = [];
    for (let i = 0; i < 60; i += 1) {
      used.push(current.refresh_token);
      current = (await refresh(current.refresh_token)).body;
    }
    expectInvalidGrant(await refresh(used[0]!));
    expect((await callApi(site, current.access_token)).status).toBe(401);
    expectInvalidGrant(await refresh(current.refresh_token));
  });

  test('§10.4 an altered refresh token of the grant counts as an old token and revokes the grant [10.4-5]', async () => {
    const { access_token: accessToken, refresh_token: refreshToken } = await obtain();
    const last = refreshToken.at(-1) === 'A' ? 'E' : 'A';
    expectInvalidGrant(await refresh(`${refreshToken.slice(0, -1)}${last}`));
    expect((await callApi(site, accessToken)).status).toBe(401);
  });

  test('§10.4 a refresh token cannot be made from the stored grant', async () => {
    const { access_token: accessToken, refresh_token: refreshToken } = await obtain();
    const { body } = await refresh(refreshToken);
    const stored = JSON.stringify(await storedGrant(refreshToken));
    const family = refreshToken.slice(29, 51);
    expect(body.refresh_token.slice(29, 51)).toBe(family);
    for (const part of [family, refreshToken.slice(51), body.refresh_token.slice(51)])
      expect(stored).not.toContain(part);
    // the hash of the family instead of the family
    const { familyHash } = (await storedGrant(refreshToken))!.refreshToken;
    expectInvalidGrant(
      await refresh(`${refreshToken.slice(0, 29)}${familyHash.slice(0, 22)}${refreshToken.slice(51)}`),
    );
    expect((await callApi(site, accessToken)).status).toBe(200);
  });

  test('§10.4 a forged refresh token does not revoke the grant', async () => {
    const { access_token: accessToken, refresh_token: refreshToken } = await obtain();
    expectInvalidGrant(await refresh(ofAnotherFamily(refreshToken)));
    expect((await callApi(site, accessToken)).status).toBe(200);
    expect((await refresh(refreshToken)).status).toBe(200);
  });

  test('§10.4 an old refresh token that another client sends does not revoke the grant', async () => {
    const first = await obtain();
    const { body: second } = await refresh(first.refresh_token);
    expectInvalidGrant(await refresh(first.refresh_token, {}, other));
    expect((await callApi(site, second.access_token)).status).toBe(200);
  });

  test('§10.4 an old refresh token does not revoke other grants of the person', async () => {
    const stored = await obtain();
    const first = await obtain();
    await refresh(first.refresh_token);
    await refresh(first.refresh_token);
    expect((await callApi(site, stored.access_token)).status).toBe(200);
  });

  test('§10.4 only one of many concurrent requests with a refresh token gets tokens, which then end [10.4-5]', async () => {
    const { refresh_token: refreshToken } = await obtain();
    waitForOthers = createBarrier(10);
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => refresh(refreshToken, {}, client, crowded)),
    );
    const [won, ...more] = responses.filter(({ status }) => status === 200);
    expect(more).toEqual([]);
    expect((await callApi(site, won?.body.access_token)).status).toBe(401);
    expectInvalidGrant(await refresh(won?.body.refresh_token));
  });
});
