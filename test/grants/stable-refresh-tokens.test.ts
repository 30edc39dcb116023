import { describe, expect, test } from '@jest/globals';

import type { ClientWithSecret, NewClient } from '../../lib/index.js';
import { letPass } from '../support/clock.js';
import { createProofKey, type ProofKey, prove } from '../support/dpop.js';
import { CLIENT_ID, fill, migrate, NAMES, oldClient, oldToken, SECRET } from '../support/migration.js';
import { register } from '../support/registration.js';
import { openSite, REDIRECT_URI } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import {
  basic,
  callApi,
  createPkce,
  obtainCode,
  obtainTokens,
  postToken,
  redeem,
  refreshTokens,
} from '../support/tokens.js';

const OPTIONS = { dpop: true, security: { rateLimits: false }, tokens: { reuseGrace: 10 } } as const;
const site = siteFor(OPTIONS);
/** Another process. */
const second = siteFor(() => ({ ...OPTIONS, database: site.database, issuer: site.url }));
/** Account linking: a confidential client that stores its first refresh token for good. */
const home = fixture(() => site.client({ refreshTokens: 'keep' }));

const refresh = (token: string, by = home, at = site) => refreshTokens(at, by, token);
const client = (fields: Partial<NewClient>) => site.client(fields);

describe('refreshTokens: keep, of a confidential client', () => {
  test('a kept refresh token works long after reuseGrace, and no new one comes', async () => {
    const { refresh_token: token, access_token } = await obtainTokens(site, home);
    for (let uses = 0; uses < 3; uses += 1) {
      const { status, body } = await refresh(token);
      expect([status, body.refresh_token]).toEqual([200, undefined]);
      expect((await callApi(site, body.access_token as string)).status).toBe(200);
      letPass(700);
    }
    expect((await callApi(site, access_token)).status).toBe(200);
  });

  test('a kept refresh token works for several instances at once, at every process', async () => {
    const { refresh_token: token } = await obtainTokens(site, home);
    const together = await Promise.all(
      [site, second, site, second, site].map((at) => refresh(token, home, at)),
    );
    expect(together.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    letPass(700);
    expect((await refresh(token, home, second)).status).toBe(200);
    const access = together.map(({ body }) => body.access_token as string);
    for (const each of access) expect((await callApi(site, each)).status).toBe(200);
  });

  test('a kept refresh token is refused for another client, and ends with its grant', async () => {
    const { refresh_token: token } = await obtainTokens(site, home, { as: 'grace' });
    const other = await client({ refreshTokens: 'keep' });
    expect((await refresh(token, other)).body.error).toBe('invalid_grant');
    expect((await refresh(token)).status).toBe(200);
    await site.oauth.grants.revoke({ userId: 'grace', clientId: home.clientId });
    expect((await refresh(token)).body.error).toBe('invalid_grant');
    const idle = await client({ refreshTokens: 'keep', refreshTokenTtl: 60 });
    const { refresh_token: short } = await obtainTokens(site, idle);
    letPass(61);
    expect((await refresh(short, idle)).body.error).toBe('invalid_grant');
  });

  test('refreshTokens: rotate is the default, and a change of refreshTokens holds at once', async () => {
    const defaultValue = await client({});
    const first = await obtainTokens(site, defaultValue);
    const { body } = await refresh(first.refresh_token, defaultValue);
    expect(body.refresh_token).toMatch(/^eas_rt_/);
    await site.oauth.clients.update(defaultValue.clientId, { refreshTokens: 'keep' });
    expect((await refresh(body.refresh_token as string, defaultValue)).body.refresh_token).toBeUndefined();
    await site.oauth.clients.update(defaultValue.clientId, { refreshTokens: 'rotate' });
    const { body: again } = await refresh(body.refresh_token as string, defaultValue);
    expect(again.refresh_token).toMatch(/^eas_rt_/);
    // later than reuseGrace and clockTolerance allow
    letPass(120);
    expect((await refresh(body.refresh_token as string, defaultValue)).body.error).toBe('invalid_grant');
    expect((await refresh(again.refresh_token as string, defaultValue)).body.error).toBe('invalid_grant');
  });
});

describe('refreshTokens: keep, of a public client (RFC 9700 §4.14.2)', () => {
  const pkce = createPkce();
  const bound = async (by: ClientWithSecret, key: ProofKey, fields: object) =>
    postToken(site, { client_id: by.clientId, ...fields }).set(
      'DPoP',
      await prove(key, 'POST', `${site.url}/oauth/token`),
    );

  test('refreshTokens: keep is refused for a public client without DPoP', async () => {
    await expect(client({ type: 'public', refreshTokens: 'keep' })).rejects.toThrow(/dpopBoundAccessTokens/);
    const open = await client({ type: 'public' });
    await expect(site.oauth.clients.update(open.clientId, { refreshTokens: 'keep' })).rejects.toThrow(
      /dpopBoundAccessTokens/,
    );
    await expect(client({ refreshTokens: 'reuse' as never })).rejects.toThrow(/rotate or keep/);
  });

  test('a public client with DPoP keeps its refresh token, which is refused without its key', async () => {
    const app = await client({ type: 'public', dpopBoundAccessTokens: true, refreshTokens: 'keep' });
    const key = await createProofKey();
    const code = await obtainCode(site, app, { query: pkce.challenge });
    const redeemed = await redeem(site, app, code, { code_verifier: pkce.code_verifier }).set(
      'DPoP',
      await prove(key, 'POST', `${site.url}/oauth/token`),
    );
    const requested = { grant_type: 'refresh_token', refresh_token: redeemed.body.refresh_token as string };
    for (let uses = 0; uses < 2; uses += 1) {
      const { status, body } = await bound(app, key, requested);
      expect([status, body.refresh_token, body.token_type]).toEqual([200, undefined, 'DPoP']);
      letPass(700);
    }
    expect((await bound(app, await createProofKey(), requested)).body.error).toBe('invalid_grant');
    expect((await refresh(requested.refresh_token, app)).body.error).toBe('invalid_dpop_proof');
    expect((await bound(app, key, requested)).status).toBe(200);
  });

  test('a stored public client with refreshTokens: keep but without DPoP rotates all the same', async () => {
    const app = await client({ type: 'public' });
    await site.database.update('oauth_clients', app.clientId, { $set: { refreshTokens: 'keep' } });
    const code = await obtainCode(site, app, { query: pkce.challenge });
    const { body } = await redeem(site, app, code, { code_verifier: pkce.code_verifier });
    const next = await refresh(body.refresh_token as string, app);
    expect(next.body.refresh_token).toMatch(/^eas_rt_/);
  });
});

test('a client that registers itself cannot choose refreshTokens', async () => {
  await using open = await openSite({ registration: { open: true } });
  const names = { refreshTokens: 'keep', refresh_tokens: 'keep' };
  const { body } = await register(open, { redirect_uris: [REDIRECT_URI], ...names });
  expect(await open.oauth.clients.find(body.client_id as string)).not.toHaveProperty('refreshTokens');
});

test('a kept refresh token of another server stays valid, and its grant does not grow', async () => {
  await using moved = await openSite({ tokens: { migrated: true } });
  const token = oldToken();
  await fill(moved, NAMES.clients, [oldClient()]);
  await fill(moved, NAMES.tokens, [token]);
  await migrate(moved, 'node-oauth');
  await moved.oauth.clients.update(CLIENT_ID, { refreshTokens: 'keep' });
  const requested = () =>
    postToken(moved, { grant_type: 'refresh_token', refresh_token: token.refreshToken }).set(
      'Authorization',
      basic(CLIENT_ID, SECRET),
    );
  for (let uses = 0; uses < 3; uses += 1) {
    const { status, body } = await requested();
    expect([status, body.refresh_token]).toEqual([200, undefined]);
    letPass(700);
  }
  const stored = await moved.database.collection('oauth_grants').findOne({});
  expect(stored?.usedRefreshTokens ?? []).toEqual([]);
});
