import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import session from 'express-session';
import passport from 'passport';
import request, { type Test } from 'supertest';

import { authorizationServer, type ClientWithSecret, localLogin } from '../../../lib/index.js';
import { connectionFor } from '../../support/database.js';
import { createPerson, formatQuery } from '../../support/person.js';
import { openSite, REDIRECT_URI, SCOPES, type Site } from '../../support/site.js';
import { basic } from '../../support/tokens.js';

let site: Site;
let behindProxy: Site;
let client: ClientWithSecret;

beforeAll(async () => {
  site = await openSite();
  // the same database, another process of the site: behind a proxy on this machine that ends TLS
  behindProxy = await openSite({
    database: site.database,
    issuer: 'https://photos.example',
    before: (app) => app.set('trust proxy', 'loopback'),
  });
  client = await site.client();
});
afterAll(async () => {
  await behindProxy.close();
  await site.close();
});

/** How a request may come from elsewhere without TLS. */
const IN_THE_CLEAR: readonly [string, Record<string, string>][] = [
  ['to another name than loopback', { Host: 'photos.example' }],
  ['passed on by a proxy', { 'X-Forwarded-For': '203.0.113.7' }],
  ['passed on by a proxy of RFC 7239', { Forwarded: 'for=203.0.113.7;proto=http' }],
  ['said to be https by who need not be believed', { Host: 'photos.example', 'X-Forwarded-Proto': 'https' }],
];

function tokenRequest(at: Site): Test {
  return request(at.server)
    .post('/oauth/token')
    .type('form')
    .set('Authorization', basic(client.clientId, client.clientSecret ?? ''))
    .send({ grant_type: 'client_credentials' });
}

const authorizePath = () =>
  `/oauth/authorize?${formatQuery({ response_type: 'code', client_id: client.clientId, redirect_uri: REDIRECT_URI })}`;

describe('§1.6 without TLS', () => {
  test.each(IN_THE_CLEAR)(
    '§3.2 the token endpoint refuses a request %s [3.2-3] [2.3.1-5] [10.3-2] [10.4-3] [10.8-1] [10.9-1]',
    async (_how, headers) => {
      const response = await tokenRequest(site).set(headers);
      expect(response.status).toBe(400);
      expect(response.body.error).toBe('invalid_request');
      expect(response.body.error_description).toContain('TLS');
      expect(response.body).not.toHaveProperty('access_token');
    },
  );

  test.each(IN_THE_CLEAR)(
    '§3.1 the authorization endpoint refuses a request %s [3.1-4] [10.9-1] [10.11-1]',
    async (_how, headers) => {
      const response = await request(site.server).get(authorizePath()).set(headers);
      expect(response.status).toBe(400);
      expect(response.headers.location).toBeUndefined();
      expect(response.text).toContain('TLS');
    },
  );

  test('§3.1 the authorization endpoint refuses the decision of the person without TLS as well [3.1-4]', async () => {
    const ada = createPerson(site);
    await ada.logIn();
    const page = await ada.openAuthorize({
      response_type: 'code',
      client_id: client.clientId,
      redirect_uri: REDIRECT_URI,
    });
    expect(page.status).toBe(200);
    const { status, headers } = await ada.agent
      .post('/oauth/authorize')
      .type('form')
      .set('X-Forwarded-For', '203.0.113.7')
      .send({ decision: 'allow' });
    expect(status).toBe(400);
    expect(headers.location).toBeUndefined();
  });

  test.each(['/oauth/applications', '/oauth/applications/new'])(
    '§10.11 %s refuses plain HTTP [10.11-1]',
    async (path) => {
      const ada = createPerson(site);
      await ada.logIn();
      expect((await ada.agent.get(path)).status).toBe(200);
      const response = await ada.agent.get(path).set('X-Forwarded-For', '203.0.113.7');
      expect(response.status).toBe(400);
      expect(response.text).not.toContain('<form');
    },
  );

  test('§10.11 the bundled login page refuses plain HTTP, and looks at no password then [10.11-1]', async () => {
    const tried: string[] = [];
    const verify = (username: string) => {
      tried.push(username);
      return Promise.resolve(null);
    };
    const app = express();
    app.use(session({ secret: 'of the test', resave: false, saveUninitialized: false }));
    app.use(
      localLogin({
        passport: new passport.Passport() as typeof passport,
        users: { verify, findById: () => Promise.resolve(null) },
      }),
    );
    expect((await request(app).get('/login')).status).toBe(200);
    expect((await request(app).get('/login').set('X-Forwarded-For', '203.0.113.7')).status).toBe(400);
    const sent = await request(app)
      .post('/login')
      .set('X-Forwarded-For', '203.0.113.7')
      .type('form')
      .send({ username: 'ada', password: 'password of ada' });
    expect(sent.status).toBe(400);
    expect(tried).toEqual([]);
  });

  test('§3.2 a request without TLS is refused, not sent on to https: what was in the clear is lost already [10.8-1]', async () => {
    const response = await tokenRequest(site).set('Host', 'photos.example');
    expect(response.headers.location).toBeUndefined();
  });
});

describe('§1.6 with TLS, or on this machine', () => {
  test('§3.2 a proxy that the site trusts can say that there was TLS [3.2-3]', async () => {
    const response = await tokenRequest(behindProxy).set({
      Host: 'photos.example',
      'X-Forwarded-For': '203.0.113.7',
      'X-Forwarded-Proto': 'https',
    });
    expect(response.status).toBe(200);
    const toLogin = await request(behindProxy.server)
      .get(authorizePath())
      .set({ Host: 'photos.example', 'X-Forwarded-For': '203.0.113.7', 'X-Forwarded-Proto': 'https' });
    expect(toLogin.status).toBe(302);
  });

  test('§3.2 a proxy that the site trusts can say that there was no TLS [3.2-3]', async () => {
    const response = await tokenRequest(behindProxy).set({
      Host: 'photos.example',
      'X-Forwarded-For': '203.0.113.7',
      'X-Forwarded-Proto': 'http',
    });
    expect(response.status).toBe(400);
    expect(response.body.error).toBe('invalid_request');
  });

  test('§3.2 from this machine to this machine nothing is sent over a network', async () => {
    expect((await tokenRequest(site)).status).toBe(200);
  });
});

describe('§3.1 the issuer', () => {
  const start = (more: object) =>
    authorizationServer({
      issuer: 'http://photos.example',
      connection: connectionFor('http://photos.example', site.database.connection),
      scopes: SCOPES,
      login: '/login',
      ...more,
    });

  test('§3.1 an issuer without TLS stops the site from starting, with the cure [3.1-4] [3.2-3]', () => {
    expect(() => start({})).toThrow(/issuer.*https:/);
  });

  test('§3.1 an issuer without TLS is possible where the host calls it dangerous by name', () => {
    expect(() => start({ security: { dangerouslyAllowInsecureHttp: true } })).not.toThrow();
  });

  test.each([
    'http://127.0.0.1:3000',
    'http://localhost:3000',
    'http://[::1]:3000',
    'https://photos.example',
  ])('§3.1 the issuer %s is good', (issuer) => {
    expect(() => start({ issuer })).not.toThrow();
  });
});
