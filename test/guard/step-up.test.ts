import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import express from 'express';
import request from 'supertest';

import { answerGuardError } from '../../lib/core/guard/answer-guard-error.js';
import { bearerGuard } from '../../lib/guard.js';
import type { ClientWithSecret } from '../../lib/index.js';
import { openServer } from '../support/open-server.js';
import { codeQuery, locationOf, logInPerson, type Person } from '../support/person.js';
import { REDIRECT_URI } from '../support/site.js';
import { siteFor } from '../support/site-for.js';
import { createPkce, redeem, refreshTokens } from '../support/tokens.js';

const MCP = 'https://photos.example/mcp';

/** A client whose token lacks scopes asks for more (Model Context Protocol 2026-07-28, Step-Up Authorization Flow). */
describe('step-up by scope', () => {
  let ada: Person;
  let client: ClientWithSecret;
  const site = siteFor({
    security: { rateLimits: false },
    resources: { [MCP]: {} },
    scopes: {
      'photos:read': 'See your photos',
      'photos:write': { description: 'Add photos', implies: ['photos:read'] },
      'orders:read': 'See your orders',
      'orders:make': 'Order prints',
      profile: 'See your name',
    },
  });
  beforeAll(async () => {
    const guard = (scopes: string[], any = false) => site.oauth.guard({ resource: MCP, scopes, any });
    site.app.get('/read', guard(['photos:read']), (_req, res) => void res.json({}));
    site.app.get('/order', guard(['orders:read', 'orders:make']), (_req, res) => void res.json({}));
    site.app.get('/either', guard(['profile', 'orders:read'], true), (_req, res) => void res.json({}));
    site.app.use(site.oauth.errorHandler);
    ada = await logInPerson(site);
  });
  beforeEach(async () => {
    client = await site.client({ redirectUris: [REDIRECT_URI, 'http://127.0.0.1:7777/callback'] });
  });

  const pkce = createPkce();
  const ask = (scope: string, more = {}) =>
    ada.openAuthorize(codeQuery(client, { resource: MCP, scope, ...pkce.challenge, ...more }));
  /** A token with these scopes; the user allows every request. */
  const tokenWith = async (scope: string) => {
    const first = await ask(scope);
    const location = locationOf(
      first.status === 200 ? await ada.choose(first, { scopes: scope.split(' ') }) : first,
    );
    const { body } = await redeem(site, client, location.searchParams.get('code')!, {
      code_verifier: pkce.code_verifier,
    });
    return body as { access_token: string; refresh_token: string; scope: string };
  };
  const call = async (token: string, path: string) => {
    const { status, headers, body } = await request(site.server)
      .get(path)
      .set('Authorization', `Bearer ${token}`);
    const challenge = String(headers['www-authenticate']);
    return { status, error: body.error, scope: / scope="([^"]*)"/.exec(challenge)?.[1], challenge };
  };

  test('a step-up challenge has all scopes of the call and of the token', async () => {
    const { access_token: token } = await tokenWith('photos:read profile');
    const refused = await call(token, '/order');
    expect(refused).toMatchObject({
      status: 403,
      error: 'insufficient_scope',
      scope: 'orders:read orders:make photos:read profile',
    });
    expect(refused.challenge).toContain(
      'resource_metadata="https://photos.example/.well-known/oauth-protected-resource/mcp"',
    );
    // a request without a token gets no further scopes
    expect((await call('', '/order')).scope).toBe('orders:read orders:make');
    expect(await call('eas_at_nonsense', '/order')).toMatchObject({
      status: 401,
      scope: 'orders:read orders:make',
    });
  });

  test('a step-up challenge leaves out scopes that another one includes', async () => {
    const { access_token: token } = await tokenWith('photos:write photos:read');
    expect((await call(token, '/read')).status).toBe(200);
    expect((await call(token, '/order')).scope).toBe('orders:read orders:make photos:write');
    expect((await call(token, '/either')).scope).toBe('profile orders:read photos:write');
  });

  test('the consent page of a step-up separates new scopes from granted ones', async () => {
    const first = await tokenWith('photos:read');
    const { scope } = await call(first.access_token, '/order');
    const page = await ask(scope!);
    const [fresh = '', already = ''] = page.text.split('You already allow it to:');
    expect(page.text).toContain('New this time, it wants to:');
    for (const text of ['See your orders', 'Order prints']) {
      expect(fresh).toContain(text);
      expect(already).not.toContain(`<bdi>${text}</bdi>`);
    }
    expect(fresh).not.toContain('See your photos');
    expect(already).toContain('See your photos');
    const second = await tokenWith(scope!);
    expect(second.scope.split(' ').sort()).toEqual(['orders:make', 'orders:read', 'photos:read']);
    for (const path of ['/read', '/order']) expect((await call(second.access_token, path)).status).toBe(200);
    // the earlier token is unchanged
    expect((await call(first.access_token, '/order')).status).toBe(403);
    expect((await call(first.access_token, '/read')).status).toBe(200);
  });

  test('a step-up to included scopes needs no consent page', async () => {
    await tokenWith('photos:write');
    const answer = await ask('photos:write photos:read');
    expect([answer.status, locationOf(answer).searchParams.has('code')]).toEqual([302, true]);
  });

  test('a step-up of a client on the device shows the page again, with granted scopes as such', async () => {
    const device = { redirect_uri: 'http://127.0.0.1:7777/callback', token_endpoint_auth_method: undefined };
    const own = await site.client({ type: 'public', redirectUris: [device.redirect_uri] });
    client = own;
    const page = await ask('photos:read', { redirect_uri: device.redirect_uri });
    await ada.choose(page, { scopes: ['photos:read'] });
    const again = await ask('photos:read profile', { redirect_uri: device.redirect_uri });
    expect(again.text).toContain('You already allow it to:');
    expect(again.text.split('You already allow it to:')[0]).toContain('See your name');
    expect(again.text.split('You already allow it to:')[0]).not.toContain('See your photos');
  });

  test('a denied step-up leaves the client its tokens and scopes', async () => {
    const { access_token: token, refresh_token: refresh } = await tokenWith('photos:read');
    const page = await ask('photos:read profile');
    const denied = locationOf(await ada.choose(page, { decision: 'deny' }));
    expect(denied.searchParams.get('error')).toBe('access_denied');
    expect((await call(token, '/read')).status).toBe(200);
    const { body } = await refreshTokens(site, client, refresh);
    expect(body.scope).toBe('photos:read');
    // a refresh gives no more than the granted scopes
    const more = await refreshTokens(site, client, body.refresh_token, { scope: 'photos:read profile' });
    expect(more.body.error).toBe('invalid_scope');
  });
});

test("a scope from another server's introspection cannot break out of the challenge", async () => {
  const issuer = express();
  issuer.get('/.well-known/oauth-authorization-server', (req, res) => {
    const url = `http://${req.get('host')}`;
    res.json({ issuer: url, introspection_endpoint: `${url}/introspect` });
  });
  issuer.post('/introspect', (req, res) => {
    res.json({
      active: true,
      client_id: 'x',
      scope: 'a" resource_metadata="https://evil.example\r\n ok \\',
      token_type: 'Bearer',
      aud: `http://${req.get('host')}`,
      exp: Math.floor(Date.now() / 1000) + 60,
    });
  });
  await using server = await openServer(issuer);
  const guard = bearerGuard({ issuer: server.url, clientId: 'api', clientSecret: 'secret of the api' });
  const api = express()
    .get('/', guard('more'), (_req, res) => void res.json({}))
    .use(answerGuardError);
  const { status, headers } = await request(api).get('/').set('Authorization', 'Bearer opaque');
  expect([status, / scope="([^"]*)"/.exec(headers['www-authenticate'] ?? '')?.[1]]).toEqual([403, 'more ok']);
  expect(headers['www-authenticate']).not.toContain('evil');
});
