import { beforeAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import request from 'supertest';

import { challengeOf } from '../../lib/shared/protocol/pkce.js';
import { locationOf, logInPerson, postForm } from '../support/person.js';
import { openSite, type Site } from '../support/site.js';
import { siteFor } from '../support/site-for.js';
import { callApi } from '../support/tokens.js';

const VERIFIER = 'v'.repeat(43);
const CALLBACK = 'http://127.0.0.1:7777/callback';

/** The requests of a client for servers without metadata (MCP 2025-03-26). */
const registerAt = (site: Site) =>
  request(site.server)
    .post('/register')
    .send({
      client_name: 'Assistant',
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
    });

describe('paths at the root for clients that read no metadata', () => {
  const site = siteFor({ agents: true });
  beforeAll(() => {
    // routes of the site, behind the router
    site.app.get('/authorize', (_req, res) => res.send('our own page'));
    site.app.post(['/register', '/token'], (_req, res) => res.send('our own form'));
    site.app.get('/register/terms', (_req, res) => res.send('our own terms'));
  });

  test('a client gets tokens, refreshes, and is redirected with iss by paths at the root alone', async () => {
    const { body: client } = await registerAt(site).expect(201);
    const ada = await logInPerson(site);
    const sent = await ada.agent.get('/authorize').query({
      response_type: 'code',
      client_id: client.client_id,
      redirect_uri: CALLBACK,
      state: 'a b&c',
      scope: 'photos:read',
      code_challenge: challengeOf(VERIFIER),
      code_challenge_method: 'S256',
    });
    expect([sent.status, sent.headers['cache-control']]).toEqual([302, 'no-store']);
    expect(sent.headers.location).toMatch(/^\/oauth\/authorize\?response_type=code&/);
    const page = await ada.agent.get(sent.headers.location!);
    const { searchParams } = locationOf(await ada.choose(page));
    expect([searchParams.get('state'), searchParams.get('iss')]).toEqual(['a b&c', site.url]);

    const post = (form: object) =>
      postForm(request(site.server), '/token', { client_id: client.client_id, ...form });
    const { body: tokens } = await post({
      grant_type: 'authorization_code',
      code: searchParams.get('code'),
      redirect_uri: CALLBACK,
      code_verifier: VERIFIER,
    }).expect(200);
    expect((await callApi(site, tokens.access_token, '/api/photos')).status).toBe(200);
    const { body: next } = await post({
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
    }).expect(200);
    expect(next.refresh_token).not.toBe(tokens.refresh_token);
    // a response that got lost: the same again within reuseGrace
    const { body: again } = await post({
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
    }).expect(200);
    expect(again).toEqual({ ...next, expires_in: expect.any(Number) });
  });

  test('an authorization request without PKCE is refused, even of a client with a secret', async () => {
    const { clientId } = await site.client();
    const ada = await logInPerson(site);
    const answer = await ada.agent
      .get('/oauth/authorize')
      .query({ response_type: 'code', client_id: clientId, redirect_uri: 'https://print.example/callback' });
    expect(locationOf(answer).searchParams.get('error_description')).toContain('code challenge required');
  });

  test('a request at the root that is none of a client reaches the site’s routes', async () => {
    expect((await request(site.server).get('/authorize')).text).toBe('our own page');
    expect((await request(site.server).get('/authorize?client=x')).text).toBe('our own page');
    for (const [path, type] of [
      ['/register', 'form'],
      ['/token', 'json'],
    ] as const)
      expect((await request(site.server).post(path).type(type).send({ name: 'ada' })).text).toBe(
        'our own form',
      );
    expect((await request(site.server).get('/register/terms')).text).toBe('our own terms');
  });

  test('clients in browsers may call paths at the root', async () => {
    for (const path of ['/token', '/register']) {
      const preflight = await request(site.server)
        .options(path)
        .set({ Origin: 'https://inspector.example', 'Access-Control-Request-Method': 'POST' });
      expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([204, '*']);
    }
  });

  test('a path at the root never redirects to another site', async () => {
    const { headers } = await request(site.server).get('/authorize?client_id=x&/../../evil.example//\\evil');
    expect(new URL(headers.location!, site.url).origin).toBe(site.url);
    const twice = await request(site.server).get('//evil.example/authorize?client_id=x');
    expect(twice.status).toBe(404);
  });

  test('both well-known paths have the same metadata', async () => {
    const at = (name: string) => request(site.server).get(`/.well-known/${name}`);
    const { body } = await at('oauth-authorization-server').expect(200);
    expect((await at('openid-configuration').expect(200)).body).toEqual(body);
    expect(body).toMatchObject({
      issuer: site.url,
      token_endpoint: `${site.url}/oauth/token`,
      registration_endpoint: `${site.url}/oauth/register`,
      code_challenge_methods_supported: ['S256'],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
    });
  });
});

test('a self-registered client may request each scope of a challenge, whatever it registered', async () => {
  const scopeWith = async (options: object, scope?: string) => {
    const site = await openSite({ defaultScopes: ['photos:read'], ...options });
    const { body } = await request(site.server)
      .post('/oauth/register')
      .send({ redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none', scope });
    await site.close();
    return String(body.scope);
  };
  expect(await scopeWith({ agents: true })).toBe('photos:read photos:write profile');
  expect(await scopeWith({ agents: true }, 'profile')).toBe('photos:read photos:write profile');
  expect(await scopeWith({ agents: true, registration: { open: true } }, 'profile')).toBe('profile');
  expect(await scopeWith({ agents: true, registration: { open: true } })).toBe('photos:read');
  expect(await scopeWith({ registration: { open: true, allScopes: true, scopes: ['profile'] } })).toBe(
    'profile',
  );
});

test('paths at the root exist only with agents, and /register only with registration', async () => {
  const site = await openSite();
  for (const path of ['/authorize?client_id=x', '/.well-known/openid-configuration'])
    expect((await request(site.server).get(path)).status).toBe(404);
  expect((await registerAt(site)).status).toBe(404);
  await site.close();
  await using closed = await openSite({ agents: true, registration: false });
  expect((await registerAt(closed)).status).toBe(404);
  expect((await request(closed.server).get('/authorize?client_id=x')).status).toBe(302);
});

test('the root of an issuer with a path has its aliases and metadata by wellKnown', async () => {
  const issuer = 'https://photos.example/tenant';
  await using site = await openSite({ issuer, agents: true });
  const app = express().set('trust proxy', true);
  app.use((req, _res, next) => {
    req.headers['x-forwarded-proto'] = 'https';
    next();
  });
  app.use(site.oauth.wellKnown);
  app.use('/tenant', site.oauth.router);
  const { headers } = await request(app).get('/authorize?client_id=x&state=1');
  expect(headers.location).toBe('/tenant/oauth/authorize?client_id=x&state=1');
  expect((await postForm(request(app), '/token', {})).body.error).toBe('invalid_request');
  for (const place of [
    '/.well-known/oauth-authorization-server/tenant',
    '/.well-known/openid-configuration/tenant',
    '/tenant/.well-known/openid-configuration',
    '/tenant/.well-known/oauth-authorization-server',
  ])
    expect((await request(app).get(place).expect(200)).body.issuer).toBe(issuer);
});

test('an endpoint at the root already stays unchanged', async () => {
  await using site = await openSite({ agents: true, basePath: '/' });
  const { status, headers } = await request(site.server).get('/authorize?client_id=x');
  expect([status, headers.location]).toEqual([400, undefined]);
  expect((await registerAt(site)).status).toBe(201);
});
