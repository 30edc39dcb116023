import { describe, expect, test } from '@jest/globals';
import request from 'supertest';

import type { ClientWithSecret } from '../../../lib/index.js';
import { postForm } from '../../support/person.js';
import { refusal } from '../../support/refusal.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { callApi, clientRequest, type Fields, obtainTokens, refreshTokens } from '../../support/tokens.js';

describe('RFC 7009: token revocation', () => {
  const site = siteFor();
  const client = fixture(() => site.client());
  const other = fixture(() => site.client({ name: 'Another client' }));

  const revoke = (by: ClientWithSecret, fields: Fields) => clientRequest(site, by, '/oauth/revoke', fields);
  const refresh = (refreshToken: string) => refreshTokens(site, client, refreshToken);

  test('§2.1 a revoked access token is refused at once, while its grant continues [2-2]', async () => {
    const tokens = await obtainTokens(site, client);
    expect((await revoke(client, { token: tokens.access_token })).status).toBe(200);
    expect((await callApi(site, tokens.access_token)).status).toBe(401);
    expect((await refresh(tokens.refresh_token)).status).toBe(200);
  });

  test('§2.1 a revoked refresh token ends the access tokens of its grant [2-1] [2.1-3]', async () => {
    const tokens = await obtainTokens(site, client);
    expect(
      (await revoke(client, { token: tokens.refresh_token, token_type_hint: 'refresh_token' })).status,
    ).toBe(200);
    expect((await callApi(site, tokens.access_token)).status).toBe(401);
    expect((await refresh(tokens.refresh_token)).body.error).toBe('invalid_grant');
  });

  test('§2.1 an old refresh token can revoke its grant [2.1-3]', async () => {
    const tokens = await obtainTokens(site, client);
    const newer = (await refresh(tokens.refresh_token)).body;
    expect((await revoke(client, { token: tokens.refresh_token })).status).toBe(200);
    expect((await callApi(site, newer.access_token)).status).toBe(401);
  });

  test('§2.1 a wrong or unknown token_type_hint does not prevent the revocation [2.1-2]', async () => {
    for (const hint of ['refresh_token', 'no_such_type']) {
      const tokens = await obtainTokens(site, client);
      expect((await revoke(client, { token: tokens.access_token, token_type_hint: hint })).status).toBe(200);
      expect((await callApi(site, tokens.access_token)).status).toBe(401);
    }
  });

  test('§2.1 the revocation of a token of another client is refused, and the token stays valid', async () => {
    const tokens = await obtainTokens(site, client);
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      expect(await revoke(other, { token })).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    }
    expect((await callApi(site, tokens.access_token)).status).toBe(200);
    expect((await refresh(tokens.refresh_token)).status).toBe(200);
  });

  test('§2.2 an unknown, malformed or already revoked token is answered 200', async () => {
    const tokens = await obtainTokens(site, client);
    await revoke(client, { token: tokens.access_token });
    const wrongSecret = tokens.access_token.slice(0, -4) + 'AAAA';
    for (const token of [tokens.access_token, wrongSecret, 'not a token', `eas_at_${'A'.repeat(65)}`])
      expect((await revoke(client, { token })).status).toBe(200);
  });

  test('§2.1 a confidential client has to authenticate for a revocation, and a public client sends its client_id', async () => {
    const tokens = await obtainTokens(site, client);
    expect(await revoke({ ...client, clientSecret: 'wrong' }, { token: tokens.access_token })).toMatchObject(
      refusal(401, 'invalid_client'),
    );
    expect((await callApi(site, tokens.access_token)).status).toBe(200);
    const app = await site.client({ type: 'public' });
    expect(
      (await postForm(request(site.server), '/oauth/revoke', { client_id: app.clientId, token: 'unknown' }))
        .status,
    ).toBe(200);
  });

  test('§2.1 a revocation needs the token parameter in the body, not in the URL [2.1-1]', async () => {
    expect(await revoke(client, {})).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    const inUrl = await clientRequest(site, client, '/oauth/revoke?token=x', {});
    expect(inUrl).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  test('grants.revoke revokes the grants of a user, of a client, or of a user at a client', async () => {
    const [ofAda, ofGrace, elsewhere] = await Promise.all([
      obtainTokens(site, client),
      obtainTokens(site, client, { as: 'grace' }),
      obtainTokens(site, other),
    ]);
    const live = async () =>
      (
        await Promise.all([ofAda, ofGrace, elsewhere].map(({ access_token }) => callApi(site, access_token)))
      ).map(({ status }) => status);
    expect(await live()).toEqual([200, 200, 200]);
    expect(await site.oauth.grants.revoke({ userId: 'ada', clientId: client.clientId })).toBeGreaterThan(0);
    expect(await live()).toEqual([401, 200, 200]);
    await site.oauth.grants.revoke({ userId: 'ada' });
    expect(await live()).toEqual([401, 200, 401]);
    await site.oauth.grants.revoke({ clientId: client.clientId });
    expect(await live()).toEqual([401, 401, 401]);
    await expect(site.oauth.grants.revoke({} as never)).rejects.toThrow('name a userId');
    await expect(site.oauth.grants.revoke({ userId: undefined } as never)).rejects.toThrow(TypeError);
  });
});
