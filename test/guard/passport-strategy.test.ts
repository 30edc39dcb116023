import { beforeEach, describe, expect, test } from '@jest/globals';
import express, { type Request, type RequestHandler } from 'express';
import { Passport } from 'passport';
import request from 'supertest';

import { createBusyHost } from '../support/busy-host.js';
import { fixture, siteFor } from '../support/site-for.js';
import { obtainTokens, tokenRequest } from '../support/tokens.js';

const people = new Map<string, object>();

const site = siteFor({ people: { find: (id) => people.get(id) ?? null } });
const client = fixture(() => site.client());
beforeEach(() => {
  people.clear();
  people.set('ada', { id: 'ada', by: 'people.find' });
  people.set('grace', { id: 'grace', by: 'people.find' });
});

const show: RequestHandler = (req, res) => void res.json({ user: req.user, auth: req.auth?.userId });
const tokenOf = async (as: string, scope = 'photos:read') =>
  (await obtainTokens(site, client, { as, query: { scope } })).access_token;

/** Another strategy of the site, for its tokens. */
interface Attempt {
  success(user: object): void;
  fail(challenge: string): void;
}
const ownStrategy = {
  name: 'jwt',
  authenticate(this: Attempt, req: Request) {
    if (req.headers.authorization === 'Bearer own-token') this.success({ id: 'own' });
    else this.fail('JWT realm="site"');
  },
};

/** A route behind Passport. */
function routeOf(names: unknown, options: object = { session: false }) {
  const passport = new Passport();
  passport.use(ownStrategy as never);
  passport.use(site.oauth.guard.strategy('photos:read'));
  const app = express()
    .get('/', passport.authenticate(names as string, options), show)
    .use(site.oauth.errorHandler)
    .use(
      ((error, _req, res, _next) => void res.status(500).send(error.message)) as express.ErrorRequestHandler,
    );
  return (token?: string | readonly string[]) => {
    const call = request(app).get('/');
    const values = [token ?? []].flat().map((value) => `Bearer ${value}`);
    return values.length === 0 ? call : call.set('Authorization', values as never);
  };
}

describe('guard.strategy(), a strategy of Passport', () => {
  test('guard.strategy() lets in the user of the token, with req.user and req.auth', async () => {
    const response = await routeOf('oauth')(await tokenOf('ada'));
    expect(response.body).toEqual({ user: { id: 'ada', by: 'people.find' }, auth: 'ada' });
  });

  test('guard.strategy() works beside another strategy, before or after it', async () => {
    for (const names of [
      ['jwt', 'oauth'],
      ['oauth', 'jwt'],
    ]) {
      const call = routeOf(names);
      expect((await call(await tokenOf('ada'))).body.user.by).toBe('people.find');
      expect((await call('own-token')).body).toEqual({ user: { id: 'own' } });
      const { status, headers } = await call('abc');
      expect(status).toBe(401);
      expect(headers['www-authenticate']).toContain('JWT realm="site"');
      expect(headers['www-authenticate']).toMatch(/Bearer realm="[^"]+", error="invalid_token"/);
    }
  });

  test('guard.strategy() answers 401 with a challenge to wrong and missing tokens (RFC 6750 §3)', async () => {
    const call = routeOf('oauth');
    const challenge = async (token?: string) => {
      const { status, headers } = await call(token);
      return [status, headers['www-authenticate']?.replace(/realm="[^"]+"|, resource_metadata.*/g, '')];
    };
    const invalid =
      'error="invalid_token", error_description="the access token is invalid, expired or revoked"';
    expect(await challenge()).toEqual([401, 'Bearer , scope="photos:read"']);
    expect(await challenge('eas_at_x')).toEqual([401, `Bearer , ${invalid}, scope="photos:read"`]);
    const token = await tokenOf('ada');
    people.delete('ada');
    expect(await challenge(token)).toEqual([401, `Bearer , ${invalid}, scope="photos:read"`]);
  });

  test('guard.strategy() answers 403 by next(error) to a token with too few scopes or no user', async () => {
    const call = routeOf(['oauth', 'jwt']);
    const own = await tokenRequest(site, client, { grant_type: 'client_credentials' });
    for (const token of [await tokenOf('ada', 'profile'), own.body.access_token]) {
      const { status, body, headers } = await call(token);
      expect([status, body.error]).toEqual([403, 'insufficient_scope']);
      expect(headers['www-authenticate']).toMatch(/ scope="photos:read[ "]/);
    }
    expect((await call([await tokenOf('ada'), 'two'])).status).toBe(400);
  });

  test('guard.strategy() requires further scopes by the scope of a route', async () => {
    const call = routeOf('oauth', { session: false, scope: 'profile' });
    expect((await call(await tokenOf('ada'))).status).toBe(403);
    expect((await call(await tokenOf('ada', 'profile'))).status).toBe(403);
    expect((await call(await tokenOf('ada', 'photos:read profile'))).body.user.id).toBe('ada');
    const misspelt = routeOf('oauth', { session: false, scope: ['profil'] });
    expect(await misspelt(await tokenOf('ada'))).toMatchObject({
      status: 500,
      text: expect.stringContaining("'profil' is not among the scopes"),
    });
  });

  test('guard.strategy() never makes a login: without session: false nobody is let in', async () => {
    const passport = new Passport();
    passport.use(site.oauth.guard.strategy());
    const host = createBusyHost({
      saveUninitialized: false,
      last: (app) => app.get('/', passport.authenticate('oauth'), show),
    });
    const response = await request(host.server)
      .get('/')
      .set('Authorization', `Bearer ${await tokenOf('ada')}`);
    expect(response.status).toBe(500);
    expect(response.text).toContain('passport.authenticate(&#39;oauth&#39;, { session: false })');
    expect(host.sessions.size).toBe(0);
  });

  test('attack: concurrent requests never get each other’s user by guard.strategy()', async () => {
    const [ada, grace] = [await tokenOf('ada'), await tokenOf('grace')];
    const call = routeOf([site.oauth.guard.strategy('photos:read')]);
    const answers = await Promise.all(
      [ada, grace, 'abc', ada, grace, 'abc'].map(async (token) => (await call(token)).body.user?.id),
    );
    expect(answers).toEqual(['ada', 'grace', undefined, 'ada', 'grace', undefined]);
  });

  test('guard.strategy() throws on wrong arguments at its call', () => {
    expect(() => site.oauth.guard.strategy('photo')).toThrow("'photo' is not among the scopes");
    expect(() => site.oauth.guard.strategy({ scope: ['photos:read'] } as never)).toThrow(
      "strategy: unknown option 'scope'; did you mean 'scopes'?",
    );
  });
});

describe('Passport with a callback, as Nest calls it', () => {
  /** A route that answers refusals itself, and knows nothing of challenges. */
  function nestRouteOf(names: string[], scope?: string) {
    const passport = new Passport();
    passport.use(ownStrategy as never);
    passport.use(site.oauth.guard.strategy('photos:read'));
    const app = express().get('/', (req, res, next) => {
      const answer = (error: { status?: number } | null, user: object | false) => {
        if (error !== null || !user) return void res.status(error?.status ?? 401).json({ message: 'no' });
        Object.assign(req, { user });
        return void res.status(200).json({ user });
      };
      (
        passport.authenticate(
          names,
          { session: false, ...(scope && { scope }) },
          answer as never,
        ) as RequestHandler
      )(req, res, next);
    });
    return (authorization?: string) => {
      const call = request(app).get('/');
      return authorization === undefined ? call : call.set('Authorization', authorization);
    };
  }

  test('with a callback every refusal of guard.strategy() has the challenge (RFC 6750 §3)', async () => {
    const route = nestRouteOf(['jwt', 'oauth']);
    for (const [authorization, status, challenge] of [
      [undefined, 401, /^Bearer .*resource_metadata=/],
      ['Bearer eas_at_x', 401, /error="invalid_token"/],
      [
        `Bearer ${await tokenOf('ada', 'profile')}`,
        403,
        /error="insufficient_scope".*scope="[^"]*photos:read/,
      ],
      ['Bearer a b', 401, /error="invalid_token"/],
    ] as const) {
      const response = await route(authorization);
      expect([response.status, response.headers['www-authenticate']]).toEqual([
        status,
        expect.stringMatching(challenge),
      ]);
    }
  });

  test('with a callback a user of another strategy gets no challenge', async () => {
    for (const names of [
      ['oauth', 'jwt'],
      ['jwt', 'oauth'],
    ]) {
      const { status, headers } = await nestRouteOf(names)('Bearer own-token');
      expect([status, headers['www-authenticate']]).toEqual([200, undefined]);
    }
  });

  test('a later refusal of a request that another strategy let in has no challenge', async () => {
    const passport = new Passport();
    passport.use(ownStrategy as never);
    passport.use(site.oauth.guard.strategy('photos:read'));
    const app = express().get(
      '/',
      passport.authenticate(['oauth', 'jwt'], { session: false }) as RequestHandler,
      (_req, res) => void res.status(401).end(),
    );
    const { status, headers } = await request(app).get('/').set('Authorization', 'Bearer own-token');
    expect([status, headers['www-authenticate']]).toEqual([401, undefined]);
  });
});
