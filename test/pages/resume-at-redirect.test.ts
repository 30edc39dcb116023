import { once } from 'node:events';
import http from 'node:http';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Request, RequestHandler, Response } from 'express';
import session, { MemoryStore } from 'express-session';
import onHeaders from 'on-headers';
import request from 'supertest';

import { authenticate, form } from '../support/login-host.js';
import { openSite, type Site, type SiteOptions } from '../support/site.js';
import { NAVIGATION } from '../support/visitor.js';

const SPA = 'https://front.example/';
const FORM = { username: 'ada', password: 'password of ada' };
const WAITING = /^\/oauth\/authorize\?.*state=of%20the%20client|^\/oauth\/authorize\?.*state=of\+the\+client/;

let site: Site;
let agent: ReturnType<typeof request.agent>;
let login: RequestHandler;

/** A site whose login stands behind the router, as on most sites. */
async function open(options: SiteOptions = {}): Promise<void> {
  let passport: Parameters<NonNullable<SiteOptions['mountLogin']>>[1] | undefined;
  site = await openSite({ mountLogin: (_app, given) => void (passport = given), ...options });
  login = authenticate(passport!, { successRedirect: SPA });
  site.app.post('/login', form, (req, res, next) => login(req, res, next));
  site.app.get('/home', (req, res) => void res.send(req.user === undefined ? 'nobody' : 'in'));
  agent = request.agent(site.server);
}
beforeEach(() => open());
afterEach(() => site.close());

async function begin(): Promise<void> {
  const client = await site.client();
  const { headers } = await agent.get('/oauth/authorize').set(NAVIGATION).query({
    response_type: 'code',
    client_id: client.clientId,
    state: 'of the client',
  });
  expect(headers.location).toMatch(/^\/login/);
}
/** A login that succeeds with any form, and then responds. */
const loggingIn =
  (answer: (res: Response) => unknown): RequestHandler =>
  (req, res, next) =>
    req.logIn({ id: 'ada', name: 'Name of ada' }, (error) => (error ? next(error) : answer(res)));
const logIn = (headers: Record<string, string> = NAVIGATION, fields: object = FORM) =>
  agent.post('/login').set(headers).type('form').send(fields);

describe('a login redirects to the waiting request instead of the host’s address', () => {
  test('a waiting request replaces a redirect to another origin', async () => {
    await begin();
    const response = await logIn();
    expect([response.status, response.headers.location]).toEqual([303, expect.stringMatching(WAITING)]);
    expect(response.text).toBe('');
    expect((await agent.get(String(response.headers.location))).status).toBe(200);
    // only once
    expect((await agent.get('/home').set(NAVIGATION)).text).toBe('in');
  });

  test('a waiting request replaces the redirect of a login by a link', async () => {
    site.app.get(
      '/callback',
      loggingIn((res) => res.redirect('/home')),
    );
    await begin();
    const { headers } = await agent.get('/callback').set(NAVIGATION);
    expect(headers.location).toMatch(WAITING);
  });

  test('a waiting request replaces a redirect that the host writes itself', async () => {
    login = loggingIn((res) => res.status(302).set('Location', '/home').end());
    await begin();
    expect((await logIn()).headers.location).toMatch(WAITING);
  });

  test.each<[string, (res: Response) => void]>([
    ['writeHead', (res) => res.writeHead(302, { Location: SPA }).end()],
    ['writeHead with a text and a list', (res) => res.writeHead(303, 'Go', ['location', SPA]).end('Go on.')],
    ['writeHead behind a Location', (res) => res.setHeader('Location', SPA).writeHead(301).end()],
    [
      'a body in parts',
      (res) => {
        res.status(302).set('Location', SPA).write('Go ');
        res.end('on.');
      },
    ],
    [
      'headers first',
      (res) => {
        res.status(302).set('Location', SPA).flushHeaders();
        res.end();
      },
    ],
  ])('a waiting request replaces a redirect by %s', async (_how, answer) => {
    login = loggingIn(answer);
    await begin();
    const { status, headers } = await logIn();
    expect([status, headers.location]).toEqual([303, expect.stringMatching(WAITING)]);
    expect((await agent.get(String(headers.location))).status).toBe(200);
    // only once
    expect((await agent.get('/home').set(NAVIGATION)).text).toBe('in');
  });

  test('the redirect to a waiting request has the host’s cookies and headers', async () => {
    login = loggingIn((res) =>
      res.writeHead(302, ['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'X-Of', 'host', 'Location', SPA]).end(),
    );
    await begin();
    const { headers } = await logIn();
    expect(headers.location).toMatch(WAITING);
    expect(headers['x-of']).toBe('host');
    expect(headers['set-cookie']).toEqual(
      expect.arrayContaining(['a=1', 'b=2', expect.stringMatching(/^oauth-way-back=;/)]),
    );
  });

  test('the redirect to a waiting request has headers of middleware behind the router', async () => {
    site.app.post('/late', (_req, res, next) => {
      onHeaders(res, () => void res.setHeader('X-Late', 'yes'));
      next();
    });
    site.app.post('/late', form, (req, res, next) => login(req, res, next));
    const send = () => agent.post('/late').set(NAVIGATION).type('form').send(FORM);
    for (const answer of [
      (res: Response) => res.redirect(SPA),
      (res: Response) => res.writeHead(302, { Location: SPA }).end(),
      (res: Response) => res.send('in'),
    ]) {
      login = loggingIn(answer);
      await begin();
      expect((await send()).headers['x-late']).toBe('yes');
      agent = request.agent(site.server);
    }
  });

  test('the redirect of a person who is not logged in stays', async () => {
    login = (_req, res) => void res.writeHead(302, { Location: '/login', 'X-Of': 'host' }).end();
    await begin();
    const { status, headers } = await logIn();
    expect([status, headers.location, headers['x-of']]).toEqual([302, '/login', 'host']);
  });

  test('a redirect without a waiting request stays', async () => {
    expect((await logIn()).headers.location).toBe(SPA);
  });

  test('the redirect after a wrong password stays', async () => {
    await begin();
    expect((await logIn(NAVIGATION, { ...FORM, password: 'wrong' })).headers.location).toBe('/login');
    expect((await logIn()).headers.location).toMatch(WAITING);
  });

  test('the response to a script stays, and the next page resumes the request', async () => {
    await begin();
    const script = { accept: '*/*', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' };
    expect((await logIn(script)).headers.location).toBe(SPA);
    expect((await agent.get('/home').set(NAVIGATION)).headers.location).toMatch(WAITING);
  });

  test('a response other than a redirect to a page stays', async () => {
    for (const answer of [307, 304, 200]) {
      login = loggingIn((res) => res.status(answer).set('Location', '/home').end());
      await begin();
      const { status, headers } = await logIn();
      expect([status, headers.location]).toEqual([answer, '/home']);
      agent = request.agent(site.server);
    }
  });
});

describe('unfinished logins', () => {
  const isDone = (req: Request) => (req as { session?: { done?: boolean } }).session?.done === true;

  test('people.isLoggedIn decides when a waiting request resumes', async () => {
    await site.close();
    await open({ people: { isLoggedIn: isDone } });
    site.app.post('/code', (req, res) => {
      Object.assign((req as { session?: object }).session ?? {}, { done: true });
      res.redirect('/home');
    });
    await begin();
    expect((await logIn()).headers.location).toBe(SPA);
    expect((await agent.post('/code').set(NAVIGATION)).headers.location).toMatch(WAITING);
  });

  test('an isLoggedIn that throws leaves the response unchanged', async () => {
    await site.close();
    await open({
      people: {
        isLoggedIn: (req) => {
          if (req.method === 'POST') throw new Error('not now');
          return true;
        },
      },
    });
    await begin();
    expect((await logIn()).headers.location).toBe(SPA);
  });
});

test('the session is stored before the redirect to a waiting request, whatever the login does', async () => {
  await site.close();
  const order: string[] = [];
  class SlowStore extends MemoryStore {
    override set(...given: Parameters<MemoryStore['set']>): void {
      const [id, value, done] = given;
      setTimeout(() => {
        order.push('stored');
        super.set(id, value, done);
      }, 50);
    }
  }
  const store = new SlowStore();
  await open({
    before: (app) =>
      void app.use(session({ secret: 'slow', resave: false, saveUninitialized: false, store })),
  });
  // like Passport before 0.6: nothing waits for the store
  login = (req, res) => {
    const { session: own } = req as unknown as { session: { passport?: object } };
    own.passport = { user: 'ada' };
    req.user = { id: 'ada', name: 'Name of ada' };
    res.redirect('/home');
  };
  await begin();
  // the browser continues as soon as it has the headers
  const sent = http.request(`${site.url}/login`, {
    method: 'POST',
    headers: { ...NAVIGATION, cookie: await cookieOf() },
  });
  const [answer] = (await once(sent.end(), 'response')) as [http.IncomingMessage];
  expect(answer.headers.location).toMatch(WAITING);
  order.push('sent on');
  expect(order).toEqual(['stored', 'sent on']);
});

/** The cookie of the waiting request. */
async function cookieOf(): Promise<string> {
  const { headers } = await request(site.server)
    .get('/oauth/authorize')
    .set(NAVIGATION)
    .query({ response_type: 'code', client_id: (await site.client()).clientId, state: 'of the client' });
  return ([headers['set-cookie']].flat() as string[]).map((line) => line.split(';')[0]).join('; ');
}
