import { describe, expect, test } from '@jest/globals';
import express from 'express';
import request from 'supertest';

import { type BusyHostOptions, createBusyHost } from '../support/busy-host.js';
import { codeQuery, locationOf, logInPerson, postForm } from '../support/person.js';
import { openSite, REDIRECT_URI } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import { callApi, redeem, tokenRequest } from '../support/tokens.js';

const ORIGIN = 'https://app.example';

describe('clientRouter first, pageRouter behind the session', () => {
  const site = siteFor({
    registration: { open: true },
    grantTypes: [
      'authorization_code',
      'refresh_token',
      'client_credentials',
      'urn:ietf:params:oauth:grant-type:device_code',
    ],
  });
  const client = fixture(() => site.client({ introspection: true }));

  /** A host with everything that stops a client, and the routers in their right places. */
  const hostOf = (options: BusyHostOptions = {}) => {
    const { oauth } = site;
    const host = createBusyHost({
      first: (app) => app.use(oauth.clientRouter),
      behindSession: (app) => app.use(oauth.pageRouter),
      last: (app) => app.get('/api/me', oauth.guard(), (req, res) => void res.json(req.auth)),
      csrf: true,
      origin: 'https://www.host.example',
      loginWall: true,
      catchAll: true,
      ...options,
    });
    return { ...host, site: { ...site, server: host.server } };
  };

  test('a flow works on a site with a CSRF check, a list of origins and a login wall', async () => {
    const host = hostOf();
    const ada = await logInPerson(host.site);
    const back = await ada.authorize(codeQuery(client));
    const tokens = await redeem(host.site, client, back.searchParams.get('code') ?? '');
    expect(tokens.status).toBe(200);
    const post = (path: string, fields: object) =>
      request(host.server)
        .post(path)
        .auth(client.clientId, client.clientSecret!)
        .type('form')
        .send({ ...fields });
    const { access_token: token, refresh_token: refreshToken } = tokens.body;
    expect((await post('/oauth/introspect', { token })).body).toMatchObject({ active: true });
    const refresh = { grant_type: 'refresh_token', refresh_token: refreshToken };
    expect((await tokenRequest(host.site, client, refresh)).status).toBe(200);
    expect((await post('/oauth/revoke', { token })).status).toBe(200);
    // the user's pages need the session, and get it
    expect((await ada.agent.get('/oauth/authorizations')).text).toContain('Printing shop');
    expect((await ada.agent.get('/oauth/applications')).status).toBe(200);
    expect((await ada.agent.get('/oauth/device')).status).toBe(200);
  });

  test('client endpoints store no session and set no cookie, with saveUninitialized: true', async () => {
    const host = hostOf({ loginWall: false, csrf: false });
    const { body } = await tokenRequest(host.site, client, { grant_type: 'client_credentials' });
    const answers = [
      await tokenRequest(host.site, client, { grant_type: 'client_credentials' }),
      await tokenRequest(host.site, client, { grant_type: 'nonsense' }),
      await request(host.server).get('/.well-known/oauth-authorization-server'),
      await request(host.server).get('/.well-known/oauth-protected-resource'),
      await request(host.server).get('/oauth/jwks'),
      await request(host.server).get('/oauth/token'),
      await postForm(request(host.server), '/oauth/revoke', { token: body.access_token }),
      await request(host.server).post('/oauth/device_authorization'),
      await request(host.server)
        .post('/oauth/register')
        .send({ redirect_uris: [REDIRECT_URI] }),
      await request(host.server).get('/oauth/register/nobody'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 200, 200, 200, 405, 401, 400, 201, 401]);
    for (const { headers } of answers) expect(headers).not.toHaveProperty('set-cookie');
    expect(host.sessions.size).toBe(0);
  });

  test('client endpoints and the guard never touch a session before them', async () => {
    const { oauth } = site;
    const host = createBusyHost({
      saveUninitialized: false,
      behindSession(app) {
        app.use(oauth.router);
        app.get('/api/me', oauth.guard(), (req, res) => void res.json(req.auth));
        app.use(oauth.errorHandler);
      },
    });
    const there = { ...site, server: host.server };
    const { body } = await tokenRequest(there, client, { grant_type: 'client_credentials' });
    expect((await callApi(there, body.access_token)).status).toBe(200);
    expect((await callApi(there, 'abc')).status).toBe(401);
    await postForm(request(host.server), '/oauth/revoke', { token: body.access_token });
    await request(host.server).get('/.well-known/oauth-authorization-server');
    await request(host.server).get('/oauth/jwks');
    expect(host.touches.count).toBe(0);
    expect(host.sessions.size).toBe(0);
    // a page does
    await request(host.server).get('/oauth/applications');
    expect(host.touches.count).toBeGreaterThan(0);
  });

  test("a client in a browser is answered despite the host's list of origins", async () => {
    const { server } = hostOf();
    for (const path of ['/oauth/token', '/oauth/revoke', '/oauth/jwks', '/oauth/device_authorization']) {
      const { status, headers } = await request(server)
        .options(path)
        .set('Origin', ORIGIN)
        .set('Access-Control-Request-Method', 'POST');
      expect([path, status, headers['access-control-allow-origin']]).toEqual([path, 204, '*']);
    }
  });

  test('each router passes other requests on to the host', async () => {
    const app = express()
      .use(site.oauth.clientRouter)
      .use((req, res) => void res.json({ host: req.url }));
    for (const path of ['/', '/oauth', '/oauth/authorize?a=b', '/oauth/applications/new', '/oauth/token/x'])
      expect((await request(app).get(path)).body).toEqual({ host: path });
    for (const path of ['/oauth/tokens', '/.well-known/security.txt', '/oauth/authorizations'])
      expect((await request(app).post(path)).body).toEqual({ host: path });
    const pages = express()
      .use(site.oauth.pageRouter)
      .use((req, res) => void res.json({ host: req.url }));
    for (const path of ['/', '/oauth/token', '/oauth/jwks', '/.well-known/oauth-authorization-server'])
      expect((await request(pages).get(path)).body).toEqual({ host: path });
  });

  test('oauth.router that is mounted additionally, by mistake, changes nothing', async () => {
    const { oauth } = site;
    const host = hostOf({
      behindSession: (app) => app.use(oauth.router, oauth.pageRouter, oauth.router),
    });
    const events: string[] = [];
    oauth.events.on('*', ({ type }) => events.push(type));
    const ada = await logInPerson(host.site, 'grace');
    const page = await ada.openAuthorize({ response_type: 'code', client_id: client.clientId });
    const back = locationOf(await ada.choose(page));
    await redeem(host.site, client, back.searchParams.get('code') ?? '', { redirect_uri: undefined });
    expect(events).toEqual(['consent.given', 'code.issued', 'token.issued']);
  });
});

test('a page below the path of an endpoint has no headers of that endpoint', async () => {
  await using site = await openSite({
    advanced: { paths: { jwks: '/oauth/t', applications: '/oauth/t/applications' } },
  });
  const page = await request(site.server).get('/oauth/t/applications').set('Origin', ORIGIN);
  expect(page.headers).not.toHaveProperty('access-control-allow-origin');
});
