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
  test('is let in by the guard for its person, and says what it is', async () => {
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

  test('costs the guard one command, as any token does', async () => {
    const { token } = await make();
    await callApi(site, token);
    expect(await commandsDuring(site.database, () => callApi(site, token))).toEqual(['find oauth_grants']);
  });

  test('is refused at the next call once it is revoked', async () => {
    const { token, id } = await make();
    expect(await site.oauth.personalAccessTokens.revoke(id)).toBe(true);
    expect((await callApi(site, token)).status).toBe(401);
    expect(await site.oauth.personalAccessTokens.revoke(id)).toBe(false);
  });

  test('is stored by its hash alone', async () => {
    const { token, id } = await make();
    const document = await site.oauth.models.Grant.findById(id).lean();
    const secret = token.slice('eas_pat_'.length + 22, -6);
    expect(secret).toHaveLength(43);
    expect(JSON.stringify(document)).not.toContain(secret);
  });

  test('is in the list of its person until it ends', async () => {
    const { id } = await make({ userId: 'grace', name: 'Report' });
    const { token: _value, ...other } = await make({ userId: 'grace', name: 'Other' });
    const list = () => site.oauth.personalAccessTokens.list({ userId: 'grace' });
    expect(await list()).toEqual([other, expect.objectContaining({ id, name: 'Report', kind: 'personal' })]);
    await site.oauth.grants.revoke({ userId: 'grace' });
    expect(await list()).toEqual([]);
  });

  // RFC 3986 §3.1: the name of a scheme is case-insensitive
  test.each(['secret-token', 'SECRET-TOKEN', 'Secret-Token'])(
    'is accepted as %s: (RFC 8959) as well',
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
  test('has a checksum: another last letter is no token, and the database is not asked', async () => {
    const { token } = await make();
    expect(token).toMatch(/^eas_pat_[\w-]{65}[0-9A-Za-z]{6}$/);
    const other = token.slice(0, -1) + (token.endsWith('0') ? '1' : '0');
    const commands = await commandsDuring(site.database, async () => {
      expect((await callApi(site, other)).status).toBe(401);
    });
    expect(commands).toEqual([]);
  });
});

describe('what code may not do', () => {
  test('is told by a promise, whatever it is given', async () => {
    const { personalAccessTokens: tokens } = site.oauth;
    for (const name of ['find', 'revoke', 'revokeLeaked', 'rotate'] as const)
      await expect(tokens[name]({ $ne: null } as never)).rejects.toThrow('must be text');
  });

  test('includes making somebody look after more service tokens than there can be', async () => {
    const { personalAccessTokens: tokens } = site.oauth;
    const created = (owner: string) => tokens.create({ owners: [owner], name: 'Job', scopes: ['profile'] });
    await Promise.all(Array.from({ length: 49 }, () => created('grace')));
    const made = await Promise.all(['ada', 'bob'].map(created));
    await tokens.addOwner(made[0]!.id, 'grace');
    await expect(tokens.addOwner(made[1]!.id, 'grace')).rejects.toMatchObject({ reason: 'too_many_tokens' });
    expect(await tokens.list({ ownerId: 'grace' })).toHaveLength(50);
  });
});

describe('where the option is off', () => {
  test('code is told to switch it on, and the token of another time is refused', async () => {
    const { token } = await make();
    await using off = await openSite({ database: site.database });
    await expect(off.oauth.personalAccessTokens.list({ userId: 'ada' })).rejects.toThrow(
      'personalAccessTokens.list: write the option personalAccessTokens: true',
    );
    expect((await callApi(off, token)).status).toBe(401);
    expect((await request(off.server).get('/oauth/access-tokens')).status).toBe(404);
  });
});

test('a token ends after thirty days unless its maker says otherwise', async () => {
  const { createdAt, expiresAt } = await make();
  expect(Number(expiresAt) - createdAt.getTime()).toBe(30 * DAY * 1000);
});
