import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import express from 'express';
import request from 'supertest';

import { answerGuardError } from '../../lib/core/guard/answer-guard-error.js';
import { bearerGuard } from '../../lib/guard.js';
import type { ClientWithSecret } from '../../lib/index.js';
import { codeQuery, locationOf, logInPerson } from '../support/person.js';
import { startLike } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import { obtainTokens, redeem, refreshTokens } from '../support/tokens.js';

let shop: ClientWithSecret;
const site = siteFor({
  security: { rateLimits: false },
  scopes: {
    'photos:read': 'See your photos',
    'photos:write': { description: 'Add photos', implies: ['photos:read'] },
    'photos:admin': { description: 'Run the album', implies: ['photos:write'] },
    profile: 'See your name',
  },
});
const ada = fixture(() => logInPerson(site));

beforeAll(() => {
  site.app.get('/read', site.oauth.guard('photos:read'), (req, res) => void res.json(req.auth?.scopes));
  site.app.get('/admin', site.oauth.guard('photos:admin'), (_req, res) => void res.json([]));
  site.app.use(site.oauth.errorHandler);
});
beforeEach(async () => {
  await site.oauth.grants.revoke({ userId: 'ada' });
  shop = await site.client();
});

const open = (scope: string, more = {}) => ada.openAuthorize(codeQuery(shop, { scope, ...more }));
const get = (path: string, token: string) =>
  request(site.server).get(path).set('Authorization', `Bearer ${token}`);

describe('the guard with implied scopes', () => {
  it('the guard accepts a scope that implies the required one, not the reverse', async () => {
    const { access_token: token } = await obtainTokens(site, shop, { query: { scope: 'photos:admin' } });
    expect((await get('/read', token)).body).toEqual(['photos:admin', 'photos:write', 'photos:read']);
    const { access_token: less } = await obtainTokens(site, shop, {
      query: { scope: 'photos:write', prompt: 'consent' },
    });
    expect([(await get('/read', less)).status, (await get('/admin', less)).status]).toEqual([200, 403]);
  });

  it('a guard in another process uses its table of scopes, and the token has only the granted', async () => {
    const api = await site.client({ introspection: true, grantTypes: ['client_credentials'] });
    const { access_token: token, scope } = await obtainTokens(site, shop, {
      query: { scope: 'photos:write' },
    });
    expect(scope).toBe('photos:write');
    const guardOf = (scopes: Record<string, string[]>) => {
      const guard = bearerGuard({
        issuer: site.url,
        clientId: api.clientId,
        clientSecret: api.clientSecret!,
        scopes,
      });
      return express()
        .get('/read', guard('photos:read'), (req, res) => void res.json(req.auth?.scopes))
        .use(answerGuardError);
    };
    const ask = (app: express.Express) => request(app).get('/read').set('Authorization', `Bearer ${token}`);
    expect((await ask(guardOf({ 'photos:write': [], 'photos:read': [] }))).status).toBe(403);
    expect((await ask(guardOf({ 'photos:write': ['photos:read'], 'photos:read': [] }))).body).toEqual([
      'photos:write',
      'photos:read',
    ]);
  });
});

describe('the consent page with implied scopes', () => {
  it('the consent page lists an implied scope once, under the scope that implies it', async () => {
    const { text } = await open('photos:write');
    expect(text).toContain('Includes: <bdi>See your photos</bdi>');
    expect(text.match(/See your photos/g)).toHaveLength(1);
  });

  it('a requested implied scope is granted with its wider scope, even unticked', async () => {
    const page = await open('photos:read photos:write');
    expect(page.text).toContain('Comes with “<bdi>Add photos</bdi>”, also if you untick it here.');
    expect(page.text).not.toContain('Includes:');
    const code = locationOf(await ada.choose(page, { scopes: ['photos:write'] })).searchParams.get('code');
    expect((await redeem(site, shop, code ?? '')).body.scope).toBe('photos:read photos:write');
  });

  it('an implied scope is granted without the wider one if only it is ticked', async () => {
    const page = await open('photos:read photos:write');
    const code = locationOf(await ada.choose(page, { scopes: ['photos:read'] })).searchParams.get('code');
    expect((await redeem(site, shop, code ?? '')).body.scope).toBe('photos:read');
  });
});

describe('remembered consent with implied scopes', () => {
  it('remembered consent covers implied scopes', async () => {
    await ada.choose(await open('photos:write'));
    expect((await open('photos:read')).status).toBe(302);
    expect((await open('photos:admin')).status).toBe(200);
  });

  it('the denial of an implied scope forgets consent to the scope that implies it', async () => {
    await ada.choose(await open('photos:write profile'));
    await ada.choose(await open('photos:read', { prompt: 'consent' }), { decision: 'deny' });
    expect((await open('photos:read')).status).toBe(200);
    expect((await open('photos:write')).status).toBe(200);
    expect((await open('profile')).status).toBe(302);
  });
});

describe('a refresh with implied scopes', () => {
  it('a refresh can ask for only the implied scope, and its token has no other one', async () => {
    const { refresh_token: token } = await obtainTokens(site, shop, { query: { scope: 'photos:write' } });
    const { body } = await refreshTokens(site, shop, token, { scope: 'photos:read' });
    expect(body.scope).toBe('photos:read');
    expect((await get('/read', body.access_token)).body).toEqual(['photos:read']);
    const wider = await refreshTokens(site, shop, body.refresh_token, { scope: 'photos:admin' });
    expect(wider.body.error).toBe('invalid_scope');
  });
});

describe('an impossible table of scopes', () => {
  it.each([
    [
      'implies an unknown scope',
      { a: { description: 'A', implies: ['c'] } },
      /scopes\.a\.implies.*'c' is not among the scopes/,
    ],
    [
      'contains a circle',
      { a: { description: 'A', implies: ['b'] }, b: { description: 'B', implies: ['a'] } },
      /cannot include itself: a → b → a/,
    ],
    ['implies itself', { a: { description: 'A', implies: ['a'] } }, /cannot include itself: a → a/],
  ])('the server does not start if a scope %s', (_what, scopes, terms) => {
    expect(() => startLike(site, { scopes })).toThrow(terms);
  });

  it.each([
    [{ a: ['a'] }, /scopes\.a.*cannot include itself: a → a/],
    [{ a: ['b'] }, /'b' is not among the scopes/],
  ])('bearerGuard refuses the scopes %j', (scopes, terms) => {
    const options = { issuer: 'https://photos.example', scopes } as never;
    expect(() => bearerGuard(options)).toThrow(terms);
  });
});
