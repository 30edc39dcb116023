import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import express, { type Express } from 'express';
import request from 'supertest';

import { bearerGuard, type BearerGuardOptions, errorHandler } from '../../lib/guard.js';
import { openServer } from '../support/open-server.js';
import { until } from '../support/until.js';

const API = 'https://albums.example';

/** An authorization server with the test's metadata and answers, and the requests to it. */
async function openIssuer(metadata: () => object) {
  const app = express();
  const server = await openServer(app);
  const { url } = server;
  const requested: { readonly path: string; readonly authorization: string | undefined }[] = [];
  app.use(express.urlencoded({ extended: false }));
  app.get(
    '/.well-known/oauth-authorization-server',
    (_req, res) => void res.json({ issuer: url, ...metadata() }),
  );
  app.use((req, _res, next) => {
    requested.push({ path: req.path, authorization: req.headers.authorization });
    next();
  });
  return { ...server, app, requested };
}

describe('the introspection endpoint of bearerGuard', () => {
  let issuer: Awaited<ReturnType<typeof openIssuer>>;
  let other: typeof issuer;
  let metadata: Record<string, unknown>;
  let errors: (string | undefined)[];

  beforeEach(async () => {
    [issuer, other] = await Promise.all([openIssuer(() => metadata), openIssuer(() => ({}))]);
    metadata = { introspection_endpoint: `${issuer.url}/introspect` };
    errors = [];
    for (const { app } of [issuer, other])
      app.post('/introspect', (req, res) => {
        const { token } = req.body as { token: string };
        const [, left = '3600'] = /^right(-?\d+)/.exec(token) ?? [];
        const exp = Date.now() / 1000 + Number(left);
        res.json(
          token.startsWith('right')
            ? { active: true, token_type: 'Bearer', aud: API, client_id: 'a', exp }
            : { active: false },
        );
      });
  });
  afterEach(async () => {
    for (const server of [issuer, other]) await server.close();
  });

  const open = (options: Partial<BearerGuardOptions> = {}): Express => {
    const guard = bearerGuard({
      issuer: issuer.url,
      resource: API,
      clientId: 'api',
      clientSecret: 'the secret of the API',
      onError: ({ detail }) => errors.push(detail),
      ...options,
    });
    return express()
      .get('/', guard(), (req, res) => void res.json(req.auth))
      .use(errorHandler);
  };
  const call = (app: Express, token: string) => request(app).get('/').set('Authorization', `Bearer ${token}`);

  test('an introspected exp is compared with clockTolerance, and its refusal says so', async () => {
    const app = open();
    expect((await call(app, 'right-20')).status).toBe(200);
    expect((await call(app, 'right-40')).status).toBe(401);
    expect(errors.at(-1)).toMatch(
      /^expired: exp is 4\d seconds behind the clock of this server, which tolerates 30 \(clockTolerance\)$/,
    );
    expect((await call(open({ clockTolerance: 0 }), 'right-20')).status).toBe(401);
  });

  test("bearerGuard introspects at the issuer's origin", async () => {
    expect((await call(open(), 'right')).status).toBe(200);
    expect(issuer.requested).toEqual([
      { path: '/introspect', authorization: expect.stringMatching(/^Basic /) },
    ]);
  });

  test.each([
    ['at another origin', () => `${other.url}/introspect`],
    ['by another scheme', () => issuer.url.replace('http:', 'https:')],
    ['that is no URL', () => '/introspect'],
  ])(
    'bearerGuard sends no secret to an introspection_endpoint %s: 503, and the log has the cure',
    async (_what, of) => {
      metadata.introspection_endpoint = of();
      expect((await call(open(), 'right')).status).toBe(503);
      expect([...issuer.requested, ...other.requested]).toEqual([]);
      expect(errors).toEqual([expect.stringContaining('the option introspectionEndpoint')]);
    },
  );

  test('bearerGuard introspects at the option introspectionEndpoint', async () => {
    const app = open({ introspectionEndpoint: `${other.url}/introspect` });
    expect((await call(app, 'right')).status).toBe(200);
    expect([issuer.requested.length, other.requested.length]).toEqual([0, 1]);
  });

  test('bearerGuard refuses a jwks_uri at another origin without https: (RFC 8414 §2)', async () => {
    metadata.jwks_uri = `${other.url}/jwks`;
    expect((await call(open(), 'eyJ.eyJ.AAAA')).status).toBe(503);
    expect(other.requested).toEqual([]);
  });

  test('bearerGuard throws on a wrong introspectionEndpoint or rateLimit', () => {
    const options = { issuer: 'https://photos.example', clientId: 'a', clientSecret: 'b' };
    expect(() => bearerGuard({ ...options, introspectionEndpoint: 'http://photos.example/x' })).toThrow(
      'write https:',
    );
    expect(() =>
      bearerGuard({ issuer: options.issuer, introspectionEndpoint: 'https://photos.example/x' }),
    ).toThrow('clientId and clientSecret');
    expect(() => bearerGuard({ ...options, rateLimit: 0 })).toThrow('rateLimit must be more than 0');
  });

  test('bearerGuard answers forged tokens 401 up to the limit, then 429 for a minute', async () => {
    const app = open({ rateLimit: 5 });
    expect((await call(app, 'right')).status).toBe(200);
    const statuses: number[] = [];
    for (let index = 0; index < 8; index += 1) statuses.push((await call(app, `wrong-${index}`)).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
    const refused = await call(app, 'wrong-too');
    expect(refused).toMatchObject({ status: 429, body: { error: 'temporarily_unavailable' } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(refused.headers).not.toHaveProperty('www-authenticate');
    issuer.requested.length = 0;
    const unlimited = open({ rateLimit: false });
    for (let index = 0; index < 8; index += 1)
      expect((await call(unlimited, `wrong-${index}`)).status).toBe(401);
    expect(issuer.requested).toHaveLength(8);
  });

  test('bearerGuard lets in a right token despite wrong ones from the same address', async () => {
    const app = open({ rateLimit: 2 });
    for (let index = 0; index < 5; index += 1) await call(app, `wrong-${index}`);
    for (const token of ['right-1', 'right-2', 'right-1']) expect((await call(app, token)).status).toBe(200);
  });

  test('above the limit bearerGuard introspects one token of an address at a time', async () => {
    let atOnce = 0;
    let max = 0;
    const answers: (() => void)[] = [];
    metadata.introspection_endpoint = `${issuer.url}/in-turn`;
    issuer.app.post('/in-turn', (_req, res) => {
      max = Math.max(max, (atOnce += 1));
      answers.push(() => {
        atOnce -= 1;
        res.json({ active: false });
      });
    });
    await using api = await openServer(open({ rateLimit: 1, timeout: 600_000 }));
    const send = (token: string) => request(api.url).get('/').set('Authorization', `Bearer ${token}`);
    const first = send('wrong').then(({ status }) => status);
    await until(() => answers.length >= 1);
    answers.shift()?.();
    expect(await first).toBe(401);
    const statuses: number[] = [];
    const all = Array.from({ length: 25 }, async (_each, index) => {
      statuses.push((await send(`wrong-${index}`)).status);
    });
    // five do not wait
    await until(() => statuses.length >= 5 && answers.length === 1);
    while (statuses.length < 25) {
      answers.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(all);
    expect([max, new Set(statuses)]).toEqual([1, new Set([429])]);
  });

  test('right tokens, however many, do not count towards the limit of bearerGuard', async () => {
    const app = open({ rateLimit: 2, cacheMaxAge: 0 });
    for (let index = 0; index < 6; index += 1) expect((await call(app, `right-${index}`)).status).toBe(200);
  });

  test('bearerGuard bounds the requests that wait for a hanging server, and answers others 503', async () => {
    issuer.app.post('/slow', () => undefined);
    metadata.introspection_endpoint = `${issuer.url}/slow`;
    const api = await openServer(open({ timeout: 600_000, rateLimit: false }));
    const statuses: number[] = [];
    const waiting = Array.from({ length: 1003 }, (_each, index) =>
      request(api.url)
        .get('/')
        .set('Authorization', `Bearer token-${index}`)
        .then(
          ({ status }) => statuses.push(status),
          () => undefined,
        ),
    );
    const introspected = () => issuer.requested.filter(({ path }) => path === '/slow').length;
    await until(() => statuses.length >= 3 && introspected() >= 1000);
    expect([...new Set(statuses)]).toEqual([503]);
    await api.close();
    await issuer.close();
    await Promise.all(waiting);
    expect(introspected()).toBe(1000);
  });
});
