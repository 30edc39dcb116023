import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import express from 'express';
import mongoose from 'mongoose';
import request from 'supertest';

import { bearerGuard } from '../../lib/guard.js';
import { authorizationServer, localLogin } from '../../lib/index.js';
import { openSite, type Site } from '../support/site.js';
import { siteFor } from '../support/site-for.js';

let warnings: string[];
let warn: ReturnType<typeof jest.spyOn>;
/** The mistakes of a first setup, and their messages. */
const site = siteFor();
beforeEach(() => {
  warnings = [];
  warn = jest
    .spyOn(process, 'emitWarning')
    .mockImplementation((warning) => void warnings.push(String(warning)));
});
afterEach(() => void warn.mockRestore());

const connection = mongoose.createConnection();
const start = (options: object) =>
  authorizationServer({
    issuer: 'https://photos.example',
    connection,
    scopes: { 'photos:read': 'See your photos' },
    login: '/login',
    ...options,
  });

describe('a guard, or another function, without parentheses', () => {
  const messageOf = async (path: string, handler: unknown) => {
    const app = express();
    app.get(path, handler as express.RequestHandler, (_req, res) => res.json('let in'));
    app.use(((error: Error, _req, res, _next) => {
      res.status(500).send(error.message);
    }) as express.ErrorRequestHandler);
    const answer = await request(app).get(`${path}?secret=x`);
    expect(answer.status).toBe(500);
    return answer.text;
  };

  test.each(['guard', 'guard.any', 'guard.strategy'])(
    'oauth.%s without parentheses lets nobody in, and names the mistake',
    async (name) => {
      const [, part] = name.split('.');
      const { guard } = site.oauth;
      const handler = part === undefined ? guard : (guard as unknown as Record<string, typeof guard>)[part];
      expect(await messageOf('/photos', handler as never)).toBe(
        `${name}: it was called with a request; write oauth.${name}('scope'), with parentheses, where the route of GET /photos is declared`,
      );
    },
  );

  test.each<[string, (oauth: Site['oauth']) => unknown]>([
    ['mcp', ({ mcp }) => mcp],
    ['requireBearerAuth', ({ mcp }) => mcp.requireBearerAuth],
    ['localLogin', () => localLogin],
    ['bearerGuard', () => bearerGuard],
    ['authorizationServer', () => authorizationServer],
  ])('%s without parentheses lets nobody in, and names the mistake', async (name, handlerOf) => {
    expect(await messageOf('/photos', handlerOf(site.oauth))).toBe(
      `${name}: it was called with a request; write ${name}({ … }), with parentheses, where the route of GET /photos is declared`,
    );
  });

  test.each<[string, (oauth: Site['oauth']) => unknown, string]>([
    [
      'guard.upgrade',
      ({ guard }) => Reflect.get(guard, 'upgrade') as unknown,
      'oauth.guard.upgrade(server, { … }, onUpgrade), with parentheses, in the place of the route of GET /photos',
    ],
    [
      'verify',
      ({ verify }) => verify,
      'oauth.verify(token), with parentheses, in the handler of GET /photos',
    ],
  ])('%s, which is no route handler, says where to call it', async (name, handlerOf, advice) => {
    expect(await messageOf('/photos', handlerOf(site.oauth))).toBe(
      `${name}: it was called with a request; write ${advice}`,
    );
  });
});

describe('an issuer without a scheme', () => {
  test.each([
    ['localhost:3000', "; write 'http://localhost:3000'"],
    ['photos.example:443', "; write 'https://photos.example:443'"],
    ['ftp://photos.example', ''],
  ])('an issuer without a scheme is refused with a hint: %s', (issuer, hint) => {
    expect(() => start({ issuer })).toThrow(
      `must be an https: URL, or an http: URL on localhost while you develop${hint}`,
    );
  });
});

describe('scopes: {}', () => {
  test('empty scopes cause a warning, unless OpenID Connect adds some', async () => {
    await start({ scopes: {} }).close();
    expect(warnings).toEqual([expect.stringContaining('the option scopes is empty')]);
    warnings = [];
    const openid = { claims: () => ({}) };
    await start({
      scopes: {},
      openid,
      signingKeys: { encryptionSecret: 'of the test, with its 32 characters' },
    }).close();
    expect(warnings).toEqual([]);
  });
});

describe('a forgotten router', () => {
  const appWith = (...routers: express.RequestHandler[]) => {
    const app = express();
    for (const router of routers) app.use(router);
    return app;
  };

  test('a missing pageRouter is warned of once, with the path and the missing line', async () => {
    const app = appWith(site.oauth.clientRouter);
    for (let times = 0; times < 2; times += 1) await request(app).get('/oauth/authorize?x=1').expect(404);
    expect(warnings).toEqual([
      expect.stringMatching(
        /^GET \/oauth\/authorize was answered 404: oauth\.pageRouter is not mounted.*app\.use\(oauth\.pageRouter\)$/,
      ),
    ]);
  });

  test('a missing clientRouter is warned of', async () => {
    await request(appWith(site.oauth.pageRouter)).post('/oauth/token').expect(404);
    expect(warnings).toEqual([expect.stringContaining('app.use(oauth.clientRouter)')]);
  });

  test('complete routers in any order, and 404s of other paths, cause no warning', async () => {
    await using other = await openSite();
    const app = appWith(other.oauth.pageRouter, other.oauth.clientRouter);
    await request(app).post('/oauth/token');
    await request(app).get('/oauth/nothing').expect(404);
    await request(app).get('/photos').expect(404);
    expect(warnings).toEqual([]);
  });
});
