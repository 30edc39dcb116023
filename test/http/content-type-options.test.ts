import { beforeAll, describe, expect, test } from '@jest/globals';
import request, { type Response } from 'supertest';

import { DEVICE_CODE } from '../support/device.js';
import { openid } from '../support/openid.js';
import { manage, METADATA, register } from '../support/registration.js';
import { REDIRECT_URI } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import { clientRequest, createPkce, obtainTokens, tokenRequest } from '../support/tokens.js';

/**
 * Answers to clients repeat input of strangers: no browser that is led there may sniff another type than
 * `Content-Type`.
 */

const JSON_TYPE = /^application\/json/;
let tokens: { readonly access_token: string; readonly refresh_token: string };
/** The access token of a client whose userinfo is signed. */
let signedFor: { readonly access_token: string };
let registered: { readonly client_id: string; readonly registration_access_token: string };

const site = siteFor({
  grantTypes: ['authorization_code', 'refresh_token', 'client_credentials', DEVICE_CODE],
  openid: { ...openid, sessionManagement: true },
  pushedRequests: true,
  registration: { open: true },
  security: { rateLimits: false },
});
const client = fixture(() => site.client({ introspection: true }));

beforeAll(async () => {
  site.app.use(site.oauth.wellKnown);
  tokens = await obtainTokens(site, client, { query: { scope: 'openid photos:read' } });
  const signed = await site.client({ userinfoSignedResponseAlg: 'RS256' });
  signedFor = await obtainTokens(site, signed, { query: { scope: 'openid' } });
  registered = (await register(site)).body as typeof registered;
});

const get = (path: string) => request(site.server).get(path);
const post = (endpoint: string, fields: object = {}, accept = '*/*') =>
  clientRequest(site, client, `/oauth/${endpoint}`, fields).set('Accept', accept);
const userinfo = (token: string) => get('/oauth/userinfo').set('Authorization', `Bearer ${token}`);
const replaced = () => ({ client_id: registered.client_id, ...METADATA });
const AUTHORIZATION = { response_type: 'code', redirect_uri: REDIRECT_URI, ...createPkce().challenge };

const ANSWERS: readonly [string, number, RegExp, () => PromiseLike<Response>][] = [
  ['metadata', 200, JSON_TYPE, () => get('/.well-known/oauth-authorization-server')],
  ['metadata of OpenID Connect', 200, JSON_TYPE, () => get('/.well-known/openid-configuration')],
  ['metadata of the resource', 200, JSON_TYPE, () => get('/.well-known/oauth-protected-resource')],
  ['jwks', 200, /^application\/(jwk-set\+)?json/, () => get('/oauth/jwks')],
  ['token', 200, JSON_TYPE, () => tokenRequest(site, client, { grant_type: 'client_credentials' })],
  ['token, refused', 400, JSON_TYPE, () => post('token', { grant_type: '<script>' })],
  ['introspect', 200, JSON_TYPE, () => post('introspect', { token: tokens.access_token })],
  [
    'introspect as a JWT',
    200,
    /^application\/token-introspection\+jwt/,
    () => post('introspect', { token: tokens.access_token }, 'application/token-introspection+jwt'),
  ],
  ['introspect, refused', 400, JSON_TYPE, () => post('introspect')],
  ['revoke, refused', 400, JSON_TYPE, () => post('revoke')],
  ['par', 201, JSON_TYPE, () => post('par', { ...AUTHORIZATION, client_id: client.clientId })],
  ['par, refused', 400, JSON_TYPE, () => post('par', { redirect_uri: '<script>' })],
  ['device_authorization', 200, JSON_TYPE, () => post('device_authorization', { scope: 'photos:read' })],
  ['device_authorization, refused', 400, JSON_TYPE, () => post('device_authorization', { scope: '<b>' })],
  ['userinfo', 200, JSON_TYPE, () => userinfo(tokens.access_token)],
  ['userinfo as a JWT', 200, /^application\/jwt/, () => userinfo(signedFor.access_token)],
  ['userinfo, refused', 401, JSON_TYPE, () => userinfo('x')],
  ['register', 201, JSON_TYPE, () => register(site)],
  ['register, refused', 400, JSON_TYPE, () => register(site, { redirect_uris: ['<script>'] })],
  ['register, not JSON', 400, JSON_TYPE, () => register(site, '{"<script>')],
  ['register, read', 200, JSON_TYPE, () => manage(site, 'get', registered)],
  ['register, replaced', 200, JSON_TYPE, () => manage(site, 'put', registered, replaced())],
  [
    'register, another token',
    401,
    JSON_TYPE,
    () => get('/oauth/register/x').set('Authorization', 'Bearer x'),
  ],
  ['a guarded route, refused', 401, JSON_TYPE, () => get('/api/me').set('Authorization', 'Bearer x')],
];

describe('X-Content-Type-Options: nosniff', () => {
  test.each(ANSWERS)('nosniff is in the answer: %s', async (_name, status, type, send) => {
    const response = await send();
    expect([response.status, response.headers['content-type']]).toEqual([
      status,
      expect.stringMatching(type),
    ]);
    expect(response.headers['x-content-type-options']).toBe('nosniff');
  });

  test('each endpoint for clients sends nosniff, even for a wrong method', async () => {
    // test/pages/client-logos.test.ts has the logo
    const pages = [
      'authorize',
      'device',
      'applications',
      'authorizations',
      'client-logo',
      'end_session',
      'check_session',
    ];
    const names = Object.keys(site.oauth.endpoints).filter((name) => !pages.includes(name));
    for (const name of names) {
      expect(ANSWERS.some(([answer]) => answer.split(/[ ,]/)[0] === name)).toBe(true);
      if (name === 'metadata') continue;
      const { status, headers } = await request(site.server).patch(`/oauth/${name}`);
      expect([name, status, headers['x-content-type-options']]).toEqual([name, 405, 'nosniff']);
    }
  });
});
