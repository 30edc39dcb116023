import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import express from 'express';
import request from 'supertest';

import { bearerGuard } from '../../../lib/guard.js';
import type { PolicyOptions, PolicyRequest } from '../../../lib/index.js';
import { TOKEN_KINDS, type TokenKind } from '../../../lib/shared/protocol/token-kind.js';
import { actingAs } from '../../../lib/testing.js';
import { hasChangeStreams, testHearing } from '../../support/change-streams.js';
import { letPass } from '../../support/clock.js';
import { commandsDuring } from '../../support/commands.js';
import { DEVICE_GRANT_TYPES } from '../../support/device.js';
import { postForm } from '../../support/person.js';
import { openSite, SCOPES } from '../../support/site.js';
import { siteFor } from '../../support/site-for.js';
import { callApi, introspectAs, obtainTokens } from '../../support/tokens.js';
import { until } from '../../support/until.js';

const DAY = 86_400;

let rules: Partial<{ -readonly [Name in keyof PolicyOptions]: PolicyOptions[Name] }> = {};
let members = ['ada', 'grace'];
const ended: { readonly grantId?: string; readonly reason: string }[] = [];

const OPTIONS = {
  personalAccessTokens: true,
  guard: { cache: hasChangeStreams },
  security: { rateLimits: false },
  grantTypes: [...DEVICE_GRANT_TYPES, 'client_credentials'],
  choices: {
    workspace: {
      label: 'Which workspace',
      list: () => [{ value: 'atelier', label: 'Atelier' }],
      holds: (_value: unknown, { userId }: { userId: string }) => members.includes(userId),
      optional: true,
    },
  },
  policy: {
    onToken: (requested: PolicyRequest) => rules.onToken?.(requested),
    onRefresh: (requested: PolicyRequest) => rules.onRefresh?.(requested),
  },
} as const;
const site = siteFor(OPTIONS);
/** Another process on the same database. */
const there = siteFor(() => ({ ...OPTIONS, issuer: site.url, database: site.database }));
beforeAll(() => {
  site.oauth.events.on('grant.revoked', (event) => void ended.push(event));
  site.app.get('/apps/only', site.oauth.guard({ kinds: ['app', 'device'] }), (req, res) =>
    res.json(req.auth),
  );
  site.app.get('/programs/only', site.oauth.guard({ kinds: ['personal', 'service'] }), (req, res) =>
    res.json(req.auth),
  );
  site.app.use(['/apps', '/programs'], site.oauth.errorHandler);
});
afterEach(() => {
  rules = {};
  members = ['ada', 'grace'];
});
beforeEach(() => void ended.splice(0));

const make = (more = {}, { oauth } = site) =>
  oauth.personalAccessTokens.create({
    userId: 'ada',
    name: 'Nightly backup',
    scopes: ['photos:read', 'profile'],
    ...more,
  });
const status = async (token: string, at = site, path = '/api/me') => (await callApi(at, token, path)).status;

describe('the end of a personal access token, in every process', () => {
  test.each<[string, (id: string, token: string) => Promise<unknown>]>([
    ['revoked', (id) => site.oauth.personalAccessTokens.revoke(id)],
    ['reported as leaked', (_id, token) => site.oauth.personalAccessTokens.revokeLeaked(token)],
    ['all grants of the person revoked', () => site.oauth.grants.revoke({ userId: 'ada' })],
    ['blocked by an administrator', (id) => site.oauth.personalAccessTokens.block(id)],
    ['rotated without an overlap', (id) => site.oauth.personalAccessTokens.rotate(id, { overlap: 0 })],
  ])('a personal access token is refused at the next call in every process: %s', async (_which, end) => {
    const { token, id } = await make();
    for (const at of [site, there]) expect(await status(token, at)).toBe(200);
    await end(id, token);
    expect(await status(token)).toBe(401);
    // a change reaches another process by the change stream; without one that process caches nothing
    await until(async () => (await status(token, there)) === 401);
  });

  test('every value of a blocked token is refused until the token is unblocked', async () => {
    const tokens = site.oauth.personalAccessTokens;
    const heard: object[] = [];
    for (const name of ['token.blocked', 'token.unblocked'] as const)
      site.oauth.events.on(name, ({ type, grantId }) => void heard.push({ type, grantId }));
    const { token, id } = await make();
    const { token: next } = await tokens.rotate(id);
    const statuses = () => Promise.all([token, next].map((value) => status(value)));
    expect(await statuses()).toEqual([200, 200]);
    await tokens.block(id, { reason: 'It calls  too often' });
    expect(await statuses()).toEqual([401, 401]);
    // a new reason is no second block
    const { blocked } = await tokens.block(id, { reason: 'It calls far too often' });
    expect(blocked).toEqual({ at: expect.any(Date), reason: 'It calls far too often' });
    await tokens.block(id);
    expect(await tokens.find(id)).toMatchObject({ blocked });
    const api = await site.client({ name: 'API', introspection: true });
    expect(await introspectAs(site, api, next)).toEqual({ active: false });
    await expect(tokens.rotate(id)).rejects.toMatchObject({ status: 409 });
    expect(await tokens.unblock(id)).not.toHaveProperty('blocked');
    expect(await statuses()).toEqual([200, 200]);
    await tokens.unblock(id);
    expect(heard).toEqual([
      { type: 'token.blocked', grantId: id },
      { type: 'token.unblocked', grantId: id },
    ]);
  });

  test('a blocked token can be revoked or reported as leaked, and then not unblocked', async () => {
    const tokens = site.oauth.personalAccessTokens;
    const [one, other] = [await make(), await make()];
    for (const { id } of [one, other]) await tokens.block(id);
    expect(await tokens.revoke(one.id)).toBe(true);
    expect(await tokens.revokeLeaked(other.token)).toMatchObject({ id: other.id });
    for (const { id } of [one, other])
      await expect(tokens.unblock(id)).rejects.toMatchObject({ status: 404 });
    await expect(tokens.block(one.id)).rejects.toMatchObject({ status: 404 });
    await expect(tokens.block('no-such-token')).rejects.toMatchObject({ status: 404 });
    for (const reason of ['x'.repeat(501), 'hidden \u202e reason'])
      await expect(tokens.block((await make()).id, { reason })).rejects.toMatchObject({
        error: 'invalid_request',
      });
    await expect(tokens.block(one.id, { reasons: 'x' } as never)).rejects.toThrow(TypeError);
  });

  test('an expired personal access token is refused', async () => {
    const { token } = await make({ expiresIn: 7 * DAY });
    const shorter = await make({ expiresIn: DAY });
    expect([await status(token), await status(shorter.token)]).toEqual([200, 200]);
    letPass(DAY + 1);
    expect([await status(token), await status(shorter.token)]).toEqual([200, 401]);
  });

  test('the former value of a rotated token is refused after the overlap, not before', async () => {
    const { token, id } = await make();
    const { token: next, formerExpiresAt } = await site.oauth.personalAccessTokens.rotate(id, {
      overlap: 3600,
    });
    expect(formerExpiresAt).toBeInstanceOf(Date);
    expect([await status(token), await status(next)]).toEqual([200, 200]);
    letPass(3601);
    expect([await status(token), await status(next)]).toEqual([401, 200]);
    const { token: third } = await site.oauth.personalAccessTokens.rotate(id);
    expect([await status(token), await status(next), await status(third)]).toEqual([401, 200, 200]);
  });

  test('a narrowed token gets 403 at a route for a removed scope', async () => {
    const { token, id } = await make();
    expect(await status(token, site, '/api/photos')).toBe(200);
    const tokens = site.oauth.personalAccessTokens;
    await expect(tokens.narrow(id, ['photos:write', 'profile'])).rejects.toMatchObject({
      error: 'invalid_scope',
    });
    const { scopes } = await tokens.narrow(id, ['profile']);
    expect(scopes).toEqual(['profile']);
    expect(await status(token, site, '/api/photos')).toBe(403);
    await until(async () => (await status(token, there, '/api/photos')) === 403);
  });
});

describe('policy hooks run at each use', () => {
  test('onRefresh can refuse a personal access token and gets its data', async () => {
    const heard: PolicyRequest[] = [];
    const { token, clientId } = await make();
    rules.onRefresh = (requested) => void heard.push(requested);
    expect(await status(token)).toBe(200);
    expect(heard).toEqual([
      expect.objectContaining({
        client: expect.objectContaining({ clientId, name: 'Nightly backup', selfRegistered: false }),
        userId: 'ada',
        scopes: ['photos:read', 'profile'],
        grantType: 'personal_access_token',
      }),
    ]);
    rules.onRefresh = () => ({ refuse: 'not a member any more' });
    const refused = await callApi(site, token);
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([
      401,
      expect.stringContaining('error="invalid_token"'),
    ]);
    rules.onRefresh = () => undefined;
    expect(await status(token)).toBe(200);
  });

  test('onRefresh can leave scopes out of one use of a token', async () => {
    const { token } = await make();
    rules.onRefresh = () => ({ scopes: ['profile'] });
    expect((await callApi(site, token)).body).toMatchObject({ scopes: ['profile'] });
    expect(await status(token, site, '/api/photos')).toBe(403);
  });

  test('a policy hook that throws is answered with 500', async () => {
    const { token } = await make();
    rules.onRefresh = () => {
      throw new Error('database of members is away');
    };
    expect(await status(token)).toBe(500);
  });

  test('a token ends once its person loses the choice in it', async () => {
    const { token, id } = await make({ choices: { workspace: 'atelier' } });
    expect((await callApi(site, token)).body).toMatchObject({ choices: { workspace: 'atelier' } });
    members = ['grace'];
    expect(await Promise.all([status(token), status(token)])).toEqual([401, 401]);
    members = ['ada'];
    expect(await status(token)).toBe(401);
    expect(ended).toEqual([expect.objectContaining({ grantId: id, reason: 'choice_lost' })]);
  });

  test('onToken runs before a personal access token is made', async () => {
    rules.onToken = ({ grantType }) => ({ refuse: `no ${grantType} for you` });
    await expect(make()).rejects.toMatchObject({ reason: 'refused_by_policy' });
    rules.onToken = () => ({ scopes: ['profile'] });
    expect((await make()).scopes).toEqual(['profile']);
  });
});

describe('a route says which kinds of token it lets in', () => {
  test('a token of an app is refused at a route for personal and service tokens', async () => {
    const { access_token: token } = await obtainTokens(site, await site.client());
    expect((await callApi(site, token)).body).toMatchObject({ kind: 'app' });
    expect(await status(token, site, '/apps/only')).toBe(200);
    expect(await status(token, site, '/programs/only')).toBe(403);
  });

  test('personal and service tokens are refused at a route for apps', async () => {
    const service = await make({ userId: undefined, owners: ['ada'] });
    for (const { token } of [await make(), service]) {
      const refused = await callApi(site, token, '/apps/only');
      expect([refused.status, refused.headers['www-authenticate']]).toEqual([
        403,
        expect.stringContaining('error="insufficient_scope"'),
      ]);
      expect(await status(token, site, '/programs/only')).toBe(200);
    }
  });

  test('guard() throws for an unknown kind of token', () => {
    expect(() => site.oauth.guard({ kinds: ['robot' as never] })).toThrow('kinds');
    expect(() => site.oauth.guard({ kinds: [] })).toThrow('kinds');
  });

  test('a service token has no user', async () => {
    const { token, clientId } = await make({ userId: undefined, owners: ['ada', 'grace'] });
    const { body } = await callApi(site, token);
    expect(body).toMatchObject({ kind: 'service', clientId });
    expect(body).not.toHaveProperty('userId');
    site.app.get('/people/only', site.oauth.guard({ requireUser: true }), (_req, res) => res.json({}));
    expect(await status(token, site, '/people/only')).toBe(403);
  });
});

describe('personal access tokens at resource servers', () => {
  test('introspection shows the user, the kind and the name of a personal access token', async () => {
    const api = await site.client({ name: 'API', introspection: true });
    const { token, clientId } = await make();
    const known = await introspectAs(site, api, token);
    expect(known).toMatchObject({
      active: true,
      client_id: clientId,
      sub: 'ada',
      scope: 'photos:read profile',
      token_kind: 'personal',
      token_name: 'Nightly backup',
    });
    rules.onRefresh = () => ({ refuse: 'not a member any more' });
    expect(await introspectAs(site, api, token)).toEqual({ active: false });
  });

  test('bearerGuard lets in a personal access token with its kind, unless kinds excludes it', async () => {
    const { clientId, clientSecret } = await site.client({ name: 'API', introspection: true });
    const guard = bearerGuard({ issuer: site.url, clientId, clientSecret: String(clientSecret) });
    const app = express()
      .get('/all', guard(), (req, res) => res.json(req.auth))
      .get('/apps', guard({ kinds: ['app'] }), (req, res) => res.json(req.auth));
    const { token } = await make();
    const get = (path: string) => request(app).get(path).set('Authorization', `Bearer ${token}`);
    expect((await get('/all')).body).toMatchObject({ kind: 'personal', userId: 'ada' });
    expect((await get('/apps')).status).toBe(403);
  });
});

describe('personal access tokens in tests of hosts', () => {
  test('actingAs can make every kind of token', async () => {
    const me = async (kind: TokenKind) => {
      const headers = await actingAs(site.oauth, 'ada', ['profile'], { kind });
      const { body } = await request(site.server)
        .get('/api/me')
        .set({ ...headers });
      return body as { readonly kind: TokenKind; readonly userId?: string };
    };
    for (const kind of TOKEN_KINDS) expect((await me(kind)).kind).toBe(kind);
    for (const kind of ['app', 'device', 'personal'] as const) expect((await me(kind)).userId).toBe('ada');
    expect(await me('service')).not.toHaveProperty('userId');
  });
});

describe('the limit of calls', () => {
  test('a token that exceeds callsPerHour gets 429 until the next hour', async () => {
    await using limited = await openSite({ personalAccessTokens: { callsPerHour: 3 } });
    const [one, other] = [await make({}, limited), await make({}, limited)];
    for (const expected of [200, 200, 200, 429, 429]) expect(await status(one.token, limited)).toBe(expected);
    // no challenge, since another token would not help
    const refused = await request(limited.server).get('/api/me').set('Authorization', `Bearer ${one.token}`);
    expect(refused.headers).not.toHaveProperty('www-authenticate');
    expect(refused.headers).toHaveProperty('retry-after');
    expect(await status(other.token, limited)).toBe(200);
    letPass(3601);
    expect(await status(one.token, limited)).toBe(200);
  });
});

describe('connections opened with a token', () => {
  testHearing('the check of an open connection counts as no call and has no address', async () => {
    let hookCalls = 0;
    let signal: AbortSignal | undefined;
    await using limited = await openSite({
      personalAccessTokens: { callsPerHour: 2 },
      guard: { cache: true },
      policy: { onRefresh: () => void (hookCalls += 1) },
    });
    limited.app.get('/events', limited.oauth.guard(), (req, res) => {
      ({ signal } = req.auth!);
      res.flushHeaders();
    });
    const { token, id } = await make({ scopes: ['photos:read', 'photos:write', 'profile'] }, limited);
    const closing = new AbortController();
    await fetch(`${limited.url}/events`, {
      headers: { Authorization: `Bearer ${token}` },
      signal: closing.signal,
    });
    const tokens = limited.oauth.personalAccessTokens;
    for (const [looks, scopes] of [['photos:read', 'profile'], ['profile']].entries()) {
      await tokens.narrow(id, scopes);
      await until(() => Promise.resolve(hookCalls >= looks + 2));
    }
    expect(signal?.aborted).toBe(false);
    await limited.oauth.verify(token);
    expect(await tokens.find(id)).toMatchObject({ lastUsedFrom: expect.stringContaining('127.0.0.1') });
    expect(await status(token, limited)).toBe(429);
    closing.abort();
  });
});

describe('the cost of a token', () => {
  testHearing('a cached token costs no database command', async () => {
    const { token } = await make();
    await until(async () => (await commandsDuring(site.database, () => status(token))).length === 0);
  });
});

test('a client cannot revoke a personal access token (RFC 7009 §2.1)', async () => {
  const { clientId, clientSecret } = await site.client();
  const { token } = await make();
  await postForm(request(site.server), '/oauth/revoke', { token }).auth(clientId, String(clientSecret));
  expect(await status(token)).toBe(200);
});

test('a personal access token is neither a refresh token nor a code', async () => {
  const { clientId, clientSecret } = await site.client();
  const { token } = await make();
  for (const fields of [
    { grant_type: 'refresh_token', refresh_token: token },
    { grant_type: 'authorization_code', code: token, redirect_uri: 'https://print.example/callback' },
    { grant_type: 'personal_access_token', name: 'Another', scope: 'profile' },
  ]) {
    const answer = await postForm(request(site.server), '/oauth/token', fields).auth(
      clientId,
      String(clientSecret),
    );
    expect(answer.status).toBe(400);
  }
  expect(Object.keys(SCOPES)).toContain('profile');
});
