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

/** What a client that was written for servers without metadata sends (MCP 2025-03-26). */
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
    // the site's own, behind the router
    site.app.get('/authorize', (_req, res) => res.send('our own page'));
    site.app.post(['/register', '/token'], (_req, res) => res.send('our own form'));
    site.app.get('/register/terms', (_req, res) => res.send('our own terms'));
  });

  test('a client gets in, refreshes, and is called back with iss, by them alone', async () => {
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
    // a response that got lost: the same again, for a while
    const { body: again } = await post({
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
    }).expect(200);
    expect(again).toEqual({ ...next, expires_in: expect.any(Number) });
  });

  test('without PKCE no code is given, to a client with a secret neither', async () => {
    const { clientId } = await site.client();
    const ada = await logInPerson(site);
    const answer = await ada.agent
      .get('/oauth/authorize')
      .query({ response_type: 'code', client_id: clientId, redirect_uri: 'https://print.example/callback' });
    expect(locationOf(answer).searchParams.get('error_description')).toContain('code challenge required');
  });

  test('what no client sends there is the site’s own', async () => {
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

  test('clients in browsers may call them', async () => {
    for (const path of ['/token', '/register']) {
      const preflight = await request(site.server)
        .options(path)
        .set({ Origin: 'https://inspector.example', 'Access-Control-Request-Method': 'POST' });
      expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([204, '*']);
    }
  });

  test('nobody is sent elsewhere by them', async () => {
    const { headers } = await request(site.server).get('/authorize?client_id=x&/../../evil.example//\\evil');
    expect(new URL(headers.location!, site.url).origin).toBe(site.url);
    const twice = await request(site.server).get('//evil.example/authorize?client_id=x');
    expect(twice.status).toBe(404);
  });

  test('the metadata are at both well-known places, the same', async () => {
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

test('who registers may ask for what a challenge says later, whatever it names and the default scopes are', async () => {
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

test('they are not there unless they are wanted, and /register only where clients can register', async () => {
  const site = await openSite();
  for (const path of ['/authorize?client_id=x', '/.well-known/openid-configuration'])
    expect((await request(site.server).get(path)).status).toBe(404);
  expect((await registerAt(site)).status).toBe(404);
  await site.close();
  await using closed = await openSite({ agents: true, registration: false });
  expect((await registerAt(closed)).status).toBe(404);
  expect((await request(closed.server).get('/authorize?client_id=x')).status).toBe(302);
});

test('an issuer with a path has them at the root of its site, by wellKnown, and all places of its metadata', async () => {
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

test('an endpoint that is at the root already stays what it is', async () => {
  await using site = await openSite({ agents: true, basePath: '/' });
  const { status, headers } = await request(site.server).get('/authorize?client_id=x');
  expect([status, headers.location]).toEqual([400, undefined]);
  expect((await registerAt(site)).status).toBe(201);
});
