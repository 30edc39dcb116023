import { availableParallelism } from 'node:os';

import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import bcrypt from 'bcrypt';
import express, { type Express } from 'express';
import session, { MemoryStore, type SessionData } from 'express-session';
import { Passport, type PassportStatic } from 'passport';
import request, { type Response } from 'supertest';

import { authorizationServer, createUsers, localLogin } from '../../lib/index.js';
import { BCRYPT_PATIENCE, queueForSecret } from '../../lib/shared/limits/bcrypt-queues.js';
import { letLimitEnd } from '../support/clock.js';
import { openDatabase } from '../support/database.js';
import { hiddenFields, postForm } from '../support/person.js';
import { fixture } from '../support/site-for.js';
import { until } from '../support/until.js';

const TWO_WEEKS = 14 * 86_400_000;
const ADA = { username: 'ada', password: 'correct horse' };

const database = fixture(() => openDatabase());

const users = fixture(() => createUsers(database.connection, { rounds: 4 }));
beforeAll(async () => {
  await users.create(ADA);
});

const serverWith = (login: number | false) =>
  authorizationServer({
    issuer: 'http://127.0.0.1:3000',
    connection: database.connection,
    scopes: {},
    login: '/login',
    security: { rateLimits: login !== false && { login } },
    onError: () => undefined,
  });

function openLogin(rateLimit: number | false): { app: Express; sessions: () => Promise<SessionData[]> } {
  const passport = new Passport() as PassportStatic;
  const store = new MemoryStore();
  const app = express()
    .use(
      session({
        store,
        secret: 'x',
        resave: false,
        saveUninitialized: false,
        cookie: { maxAge: TWO_WEEKS },
      }),
      passport.session(),
    )
    .get('/cart', (req, res) => {
      Object.assign(req.session, { cart: ['a lamp'] });
      res.end();
    })
    .use(localLogin({ passport, users: { ...users, failures: undefined }, oauth: serverWith(rateLimit) }));
  const sessions = (): Promise<SessionData[]> =>
    new Promise((resolve, reject) => {
      store.all((error, all) => (error ? reject(error as Error) : resolve(Object.values(all ?? {}))));
    });
  return { app, sessions };
}

/** Sends the form of one browser for many names at once. */
async function openForm(app: Express): Promise<(username: string) => Promise<Response>> {
  const server = app.listen(0);
  const agent = request.agent(server);
  const form = hiddenFields(await agent.get('/login').expect(200));
  closing.push(() => server.close());
  return (username) => postForm(agent, '/login', { ...form, username, password: 'a guess' }).then();
}
/** bcrypt starts and ends only after the call of `letGo`. */
function holdBcrypt() {
  const real = bcrypt.hash.bind(bcrypt) as (data: string, cost: number) => Promise<string>;
  let letGo: () => void = () => undefined;
  const granted = new Promise<void>((resolve) => (letGo = resolve));
  const hash = jest.spyOn(bcrypt, 'hash').mockImplementation((async (data: string, cost: number) => {
    await granted;
    return real(data, cost);
  }) as never);
  return { hash, letGo: () => letGo() };
}

/** How many passwords are computed at once. */
const AT_ONCE = Math.min(availableParallelism(), 2);
const closing: (() => void)[] = [];
afterAll(() => closing.forEach((close) => close()));

const names = (count: number) => Array.from({ length: count }, (_, index) => `somebody ${index}`);
const countOf = (answers: readonly Response[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

describe('many user names at once from one address', () => {
  test('simultaneous logins try no more passwords than successive ones', async () => {
    const send = await openForm(openLogin(2).app);
    const answers = await Promise.all(names(35).map(send));
    expect([countOf(answers, 303), countOf(answers, 429)]).toEqual([20, 15]);
    expect((await send('somebody else')).status).toBe(429);
  });

  test('logins beyond a queue of some seconds get 503, and other hashing goes on', async () => {
    const send = await openForm(openLogin(false).app);
    await send('warm up');
    const { hash, letGo } = holdBcrypt();
    letLimitEnd(BCRYPT_PATIENCE, 'by hand');
    const busy: Response[] = [];
    const sent = names(60).map(async (name) => {
      const answer = await send(name);
      if (answer.status === 503) busy.push(answer);
      return answer;
    });
    await until(() => busy.length >= 20 - AT_ONCE);
    expect(hash).toHaveBeenCalledTimes(AT_ONCE);
    expect(busy[0]?.headers['retry-after']).toMatch(/^([5-9]|10)$/);
    expect(busy[0]?.headers['content-type']).toContain('text/html');
    expect(await queueForSecret.run(() => Promise.resolve('a secret of a client'))).toBe(
      'a secret of a client',
    );
    letGo();
    expect(countOf(await Promise.all(sent), 303)).toBe(40 + AT_ONCE);
    hash.mockRestore();
  });

  test('a login that has waited too long for bcrypt gets 503, and no hash is computed', async () => {
    const send = await openForm(openLogin(false).app);
    await send('warm up');
    const { hash, letGo } = holdBcrypt();
    letLimitEnd(BCRYPT_PATIENCE, 'at once');
    const answers: Response[] = [];
    const sent = names(AT_ONCE + 3).map(async (name) => answers.push(await send(name)));
    await until(() => answers.length >= 3);
    expect(answers.map(({ status, headers }) => [status, headers['retry-after']])).toEqual(
      Array(3).fill([503, expect.stringMatching(/^([5-9]|10)$/)]),
    );
    letGo();
    await Promise.all(sent);
    expect(hash).toHaveBeenCalledTimes(AT_ONCE);
    hash.mockRestore();
  });

  test('a login that has waited too long behind others of the same name gets 503', async () => {
    const send = await openForm(openLogin(10).app);
    await send('warm up');
    const { hash, letGo } = holdBcrypt();
    letLimitEnd(BCRYPT_PATIENCE, 'at once');
    const answers: Response[] = [];
    const sent = Array.from({ length: 3 }, async () => answers.push(await send('somebody')));
    await until(() => answers.length >= 2);
    expect(answers.map(({ status }) => status)).toEqual([503, 503]);
    letGo();
    await Promise.all(sent);
    expect(hash).toHaveBeenCalledTimes(1);
    hash.mockRestore();
  });

  test.each([false, 10] as const)(
    'no hash is computed for browsers that have disconnected, with a limit of %p',
    async (rateLimit) => {
      const { app } = openLogin(rateLimit);
      const requested: string[] = [];
      const closed: string[] = [];
      const counted = express()
        .use((req, res, next) => {
          requested.push(req.url);
          res.on('close', () => closed.push(req.url));
          next();
        })
        .use(app);
      const server = counted.listen(0);
      closing.push(() => server.close());
      const agent = request.agent(server);
      const form = hiddenFields(await agent.get('/login').expect(200));
      const send = (username: string) =>
        postForm(agent, '/login', { ...form, username, password: 'a guess' });
      await send('warm up');
      const { hash, letGo } = holdBcrypt();
      letLimitEnd(BCRYPT_PATIENCE, 'by hand');
      const staying = names(AT_ONCE).map((name) => send(name).then());
      await until(() => hash.mock.calls.length >= AT_ONCE);
      const [before, open] = [requested.length, closed.length];
      const leaving = Array.from({ length: 10 }, () => send('somebody else'));
      for (const each of leaving) each.then(undefined, () => undefined);
      await until(() => requested.length >= before + 10);
      for (const each of leaving) each.abort();
      await until(() => closed.length >= open + 10);
      letGo();
      expect(countOf(await Promise.all(staying), 303)).toBe(AT_ONCE);
      expect((await send('another')).status).toBe(303);
      expect(hash).toHaveBeenCalledTimes(AT_ONCE + 1);
      hash.mockRestore();
    },
  );
});

describe('sessions without a login', () => {
  // express-session computes the age from a date, and the clock may move on meanwhile
  const lifeOf = ({ cookie }: SessionData) => Math.round((cookie.originalMaxAge ?? 0) / 1000) * 1000;

  test('the session of the login page lives an hour, and that of the login as the host says', async () => {
    const { app, sessions } = openLogin(10);
    const agent = request.agent(app);
    const form = hiddenFields(await agent.get('/login').expect(200));
    expect((await sessions()).map(lifeOf)).toEqual([3_600_000]);
    await postForm(agent, '/login', { ...form, ...ADA }).expect(303);
    expect((await sessions()).map(lifeOf)).toEqual([TWO_WEEKS]);
  });

  test('a session with values of the host retains its age on the login page', async () => {
    const { app, sessions } = openLogin(10);
    const agent = request.agent(app);
    await agent.get('/cart').expect(200);
    await agent.get('/login').expect(200);
    expect((await sessions()).map(lifeOf)).toEqual([TWO_WEEKS]);
  });

  test('an address can create a hundred sessions, and its existing ones still work', async () => {
    const { app, sessions } = openLogin(1);
    const agent = request.agent(app);
    await agent.get('/login').expect(200);
    for (let i = 1; i < 100; i += 1) await request(app).get('/login').expect(200);
    const refused = await request(app).get('/login').expect(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    await postForm(request(app), '/login', ADA).expect(429);
    await agent.get('/login').expect(200);
    expect(await sessions()).toHaveLength(100);
  });
});
