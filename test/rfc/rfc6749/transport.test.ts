import { describe, expect, test } from '@jest/globals';
import express from 'express';
import session from 'express-session';
import passport from 'passport';
import request, { type Test } from 'supertest';

import { authorizationServer, localLogin } from '../../../lib/index.js';
import { connectionFor } from '../../support/database.js';
import { postForm } from '../../support/person.js';
import { SCOPES, type Site } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { clientRequest } from '../../support/tokens.js';

const site = siteFor();
const client = fixture(() => site.client());

/** How a request may come from elsewhere without TLS. */
const IN_THE_CLEAR: readonly [string, Record<string, string>][] = [
  ['to another name than loopback', { Host: 'photos.example' }],
  ['passed on by a proxy', { 'X-Forwarded-For': '203.0.113.7' }],
  ['passed on by a proxy of RFC 7239', { Forwarded: 'for=203.0.113.7;proto=http' }],
  ['said to be https by who need not be believed', { Host: 'photos.example', 'X-Forwarded-Proto': 'https' }],
];

function tokenRequest(at: Site): Test {
  return clientRequest(at, client, '/oauth/token', { grant_type: 'client_credentials' });
}

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
        oauth: site.oauth,
      }),
    );
    expect((await request(app).get('/login')).status).toBe(200);
    expect((await request(app).get('/login').set('X-Forwarded-For', '203.0.113.7')).status).toBe(400);
    const sent = await postForm(request(app), '/login', { username: 'ada', password: 'password of ada' }).set(
      'X-Forwarded-For',
      '203.0.113.7',
    );
    expect(sent.status).toBe(400);
    expect(tried).toEqual([]);
  });
});

describe('§1.6 with TLS, or on this machine', () => {});

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
