import { describe, expect, test } from '@jest/globals';
import request from 'supertest';

import { commandsDuring } from '../../support/commands.js';
import { openSite } from '../../support/site.js';
import { siteFor } from '../../support/site-for.js';
import { callApi, introspectAs } from '../../support/tokens.js';

const DAY = 86_400;

const site = siteFor({ personalAccessTokens: true });

const make = (more = {}) =>
  site.oauth.personalAccessTokens.create({
    userId: 'ada',
    name: 'Nightly backup',
    scopes: ['photos:read'],
    ...more,
  });

describe('a personal access token', () => {
  test('the guard lets in a personal access token for its person, with its data', async () => {
    const { token, id, clientId } = await make();
    const { status, body } = await callApi(site, token, '/api/photos');
    expect([status, body]).toEqual([
      200,
      {
        token,
        kind: 'personal',
        clientId: `personal_access_token:${id}`,
        scopes: ['photos:read'],
        expiresAt: expect.any(Number),
        userId: 'ada',
      },
    ]);
    expect(clientId).toBe(`personal_access_token:${id}`);
  });

  test('a personal access token costs the guard one command', async () => {
    const { token } = await make();
    await callApi(site, token);
    expect(await commandsDuring(site.database, () => callApi(site, token))).toEqual(['find oauth_grants']);
  });

  test('a revoked personal access token is refused at the next call', async () => {
    const { token, id } = await make();
    expect(await site.oauth.personalAccessTokens.revoke(id)).toBe(true);
    expect((await callApi(site, token)).status).toBe(401);
    expect(await site.oauth.personalAccessTokens.revoke(id)).toBe(false);
  });

  test('only the hash of a personal access token is stored', async () => {
    const { token, id } = await make();
    const document = await site.oauth.models.Grant.findById(id).lean();
    const secret = token.slice('eas_pat_'.length + 22, -6);
    expect(secret).toHaveLength(43);
    expect(JSON.stringify(document)).not.toContain(secret);
  });

  test('a personal access token is in the list of its person until it ends', async () => {
    const { id } = await make({ userId: 'grace', name: 'Report' });
    const { token: _value, ...other } = await make({ userId: 'grace', name: 'Other' });
    const list = () => site.oauth.personalAccessTokens.list({ userId: 'grace' });
    expect(await list()).toEqual([other, expect.objectContaining({ id, name: 'Report', kind: 'personal' })]);
    await site.oauth.grants.revoke({ userId: 'grace' });
    expect(await list()).toEqual([]);
  });

  // RFC 3986 §3.1: the name of a scheme is case-insensitive
  test.each(['secret-token', 'SECRET-TOKEN', 'Secret-Token'])(
    'a personal access token is accepted with the prefix %s: (RFC 8959)',
    async (scheme) => {
      const { token, id } = await make();
      const spelling = `${scheme}:${token}`;
      expect((await callApi(site, spelling)).status).toBe(200);
      expect(await site.oauth.verify(spelling)).toMatchObject({ userId: 'ada' });
      const api = await site.client({ name: 'API', introspection: true });
      expect(await introspectAs(site, api, spelling)).toMatchObject({ active: true, sub: 'ada' });
      expect(await site.oauth.personalAccessTokens.revokeLeaked(spelling)).toMatchObject({ id });
      expect((await callApi(site, token)).status).toBe(401);
    },
  );
});

describe('the value of a token', () => {
  test('a token with a wrong checksum is refused without a database command', async () => {
    const { token } = await make();
    expect(token).toMatch(/^eas_pat_[\w-]{65}[0-9A-Za-z]{6}$/);
    const other = token.slice(0, -1) + (token.endsWith('0') ? '1' : '0');
    const commands = await commandsDuring(site.database, async () => {
      expect((await callApi(site, other)).status).toBe(401);
    });
    expect(commands).toEqual([]);
  });
});

describe('wrong calls of oauth.personalAccessTokens', () => {
  test('functions of personalAccessTokens reject a value that is not text', async () => {
    const { personalAccessTokens: tokens } = site.oauth;
    for (const name of ['find', 'revoke', 'revokeLeaked', 'rotate'] as const)
      await expect(tokens[name]({ $ne: null } as never)).rejects.toThrow('must be text');
  });

  test('code cannot add an owner who has 50 service tokens', async () => {
    const { personalAccessTokens: tokens } = site.oauth;
    const created = (owner: string) => tokens.create({ owners: [owner], name: 'Job', scopes: ['profile'] });
    await Promise.all(Array.from({ length: 49 }, () => created('grace')));
    const made = await Promise.all(['ada', 'bob'].map(created));
    await tokens.addOwner(made[0]!.id, 'grace');
    await expect(tokens.addOwner(made[1]!.id, 'grace')).rejects.toMatchObject({ reason: 'too_many_tokens' });
    expect(await tokens.list({ ownerId: 'grace' })).toHaveLength(50);
  });
});

describe('a server without the option personalAccessTokens', () => {
  test('without personalAccessTokens its functions reject, and earlier tokens are refused', async () => {
    const { token } = await make();
    await using off = await openSite({ database: site.database });
    await expect(off.oauth.personalAccessTokens.list({ userId: 'ada' })).rejects.toThrow(
      'personalAccessTokens.list: write the option personalAccessTokens: true',
    );
    expect((await callApi(off, token)).status).toBe(401);
    expect((await request(off.server).get('/oauth/access-tokens')).status).toBe(404);
  });
});

test('a personal access token expires after thirty days by default', async () => {
  const { createdAt, expiresAt } = await make();
  expect(Number(expiresAt) - createdAt.getTime()).toBe(30 * DAY * 1000);
});
