import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import express, { type Express } from 'express';
import request from 'supertest';

import { bearerGuard, type BearerGuardOptions, errorHandler } from '../../lib/guard.js';
import { openServer } from '../support/open-server.js';
import { until } from '../support/until.js';

const API = 'https://api.photos.example';
const METADATA = '/.well-known/oauth-authorization-server';

/** The questions of a guard to its authorization server, which the test plays. */
describe('bearerGuard asks', () => {
  let authorizationServer: Express;
  let server: Awaited<ReturnType<typeof openServer>>;
  let url: string;
  let requested: string[];

  beforeEach(async () => {
    requested = [];
    authorizationServer = express().use((req, _res, next) => {
      requested.push(req.path);
      next();
    });
    server = await openServer(authorizationServer);
    ({ url } = server);
  });
  afterEach(() => server.close());

  const api = (options: Partial<BearerGuardOptions> = {}): Express => {
    const guard = bearerGuard({
      issuer: url,
      resource: API,
      clientId: 'api',
      clientSecret: 'secret',
      onError: () => undefined,
      ...options,
    });
    return express()
      .get('/', guard(), (req, res) => void res.json(req.auth))
      .use(errorHandler);
  };
  const call = async (app: Express, token = 'a-token') =>
    (await request(app).get('/').set('Authorization', `Bearer ${token}`)).status;
  const publish = (path: string, issuer = url, more: object = {}) =>
    authorizationServer.get(
      path,
      (_req, res) => void res.json({ issuer, introspection_endpoint: `${url}/introspect`, ...more }),
    );
  const active = (more: object = {}) => ({
    active: true,
    token_type: 'Bearer',
    aud: API,
    client_id: 'a',
    exp: Math.floor(Date.now() / 1000) + 60,
    ...more,
  });
  const introspections = () => requested.filter((path) => path === '/introspect').length;

  describe('about a token that many requests have at the same moment', () => {
    /** Answers the first question only after all requests have arrived, so that they really are concurrent. */
    const answerAfter = (count: number, answer: () => object, status = 200) => {
      let arrived = 0;
      let open = () => undefined as void;
      const gate = new Promise<void>((resolve) => (open = resolve));
      authorizationServer.post(
        '/introspect',
        (_req, res) => void gate.then(() => res.status(status).json(answer())),
      );
      return (app: Express) =>
        express().use((_req, _res, next) => {
          arrived += 1;
          // by the next turn the earlier requests have reached the guard's question
          if (arrived === count) setImmediate(open);
          next();
        }, app);
    };

    test('concurrent requests with one token cost one introspection, and each gets its result', async () => {
      publish(METADATA);
      const app = answerAfter(20, active)(api());
      expect(new Set(await Promise.all(Array.from({ length: 20 }, () => call(app))))).toEqual(new Set([200]));
      expect(introspections()).toBe(1);
    });

    test('concurrent requests with different tokens cost an introspection each', async () => {
      publish(METADATA);
      authorizationServer.post(
        '/introspect',
        express.urlencoded({ extended: false }),
        (req, res) =>
          void res.json(
            (req.body as { token: string }).token.startsWith('good') ? active() : { active: false },
          ),
      );
      const app = api();
      const statuses = await Promise.all(
        ['good-1', 'bad-1', 'good-2', 'bad-2'].flatMap((token) => [call(app, token), call(app, token)]),
      );
      expect(statuses).toEqual([200, 200, 401, 401, 200, 200, 401, 401]);
    });

    test('a refusal or failure of an introspection holds for its waiting requests alone', async () => {
      publish(METADATA);
      const answers = [
        { status: 200, body: { active: false } },
        { status: 500, body: {} },
        { status: 200, body: active() },
      ];
      const [guarded, arrivals] = [api(), { count: 0 }];
      authorizationServer.post('/introspect', async (_req, res) => {
        const { status, body } = answers[introspections() - 1] ?? { status: 404, body: {} };
        await until(() => arrivals.count >= 3);
        res.status(status).json(body);
      });
      const app = express()
        .use((_req, _res, next) => ((arrivals.count += 1), next()))
        .use(guarded)
        .listen(0);
      const together = async () => {
        arrivals.count = 0;
        return new Set(await Promise.all([1, 2, 3].map(() => call(app as unknown as Express))));
      };
      expect(await together()).toEqual(new Set([401]));
      expect(await together()).toEqual(new Set([503]));
      expect(await together()).toEqual(new Set([200]));
      app.close();
    });

    test('with cacheMaxAge 0 concurrent requests cost an introspection each', async () => {
      publish(METADATA);
      authorizationServer.post('/introspect', async (_req, res) => {
        await until(() => introspections() === 3);
        res.json(active());
      });
      const app = api({ cacheMaxAge: 0 });
      expect(await Promise.all([call(app), call(app), call(app)])).toEqual([200, 200, 200]);
      expect(introspections()).toBe(3);
    });
  });

  describe('the metadata of an issuer', () => {
    beforeEach(() => {
      authorizationServer.post('/introspect', (_req, res) => void res.json(active()));
    });

    test("RFC 8414 §3.1: a guard reads the metadata before the issuer's path, and nowhere else", async () => {
      publish(`${METADATA}/tenant`, `${url}/tenant`);
      publish('/tenant/.well-known/openid-configuration', `${url}/tenant`, {
        introspection_endpoint: `${url}/elsewhere`,
      });
      expect(await call(api({ issuer: `${url}/tenant` }))).toBe(200);
      expect(requested).toEqual([`${METADATA}/tenant`, '/introspect']);
    });

    test.each(['', '/', '/tenant', '/tenant/'])(
      "OpenID Connect Discovery §4: the metadata after the issuer's path come second (path %j)",
      async (path) => {
        const suffix = `${path.replace(/\/$/, '')}/.well-known/openid-configuration`;
        publish(suffix, `${url}${path}`);
        expect(await call(api({ issuer: `${url}${path}` }))).toBe(200);
        expect(requested).toEqual([`${METADATA}${path.replace(/\/$/, '')}`, suffix, '/introspect']);
      },
    );

    test('RFC 8414 §3.3: a guard refuses metadata of another issuer at either address', async () => {
      publish('/.well-known/openid-configuration', 'https://attacker.example');
      expect(await call(api())).toBe(503);
      publish(METADATA, 'https://attacker.example');
      expect(await call(api())).toBe(503);
      expect(introspections()).toBe(0);
    });

    test('a guard reads no second address if the first fails or redirects', async () => {
      publish('/.well-known/openid-configuration');
      let answer: (res: express.Response) => void = (res) => res.status(500).end();
      authorizationServer.get(METADATA, (_req, res) => answer(res));
      expect(await call(api())).toBe(503);
      answer = (res) => res.redirect('/.well-known/openid-configuration');
      expect(await call(api())).toBe(503);
      expect(requested).toEqual([METADATA, METADATA]);
    });
  });
});
