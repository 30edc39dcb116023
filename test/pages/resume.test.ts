import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterEach, describe, expect, test } from '@jest/globals';
import express, { type Request } from 'express';

import {
  authenticate,
  form,
  loginHostForAll,
  type MountLogin,
  mountPages,
  ordinaryLogin,
} from '../support/login-host.js';
import { postForm } from '../support/person.js';
import { REDIRECT_URI } from '../support/site.js';
import { createVisitor, NAVIGATION, type Visit, type Visitor } from '../support/visitor.js';

/** Values that sites store in their sessions. */
interface HostSession {
  returnTo?: string;
  secondFactor?: boolean;
  waiting?: string;
}
const sessionOf = (req: Request) => (req as unknown as { session: HostSession }).session;

const host = loginHostForAll({ personalAccessTokens: true });
const open: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** A browser at a site with this login, or with an ordinary one. */
function visitorOf(mount: MountLogin = ordinaryLogin): Visitor {
  host.login((router, passport) => {
    mount(router, passport);
    router.get('/login', (_req, res) => res.send('form'));
  });
  return createVisitor(host.site);
}

async function begin(visitor: Visitor, state = 'of the client') {
  const { clientId } = await host.site.client({ type: 'public' });
  const query = {
    response_type: 'code',
    client_id: clientId,
    state,
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  };
  return { clientId, query, login: await visitor.authorize(query) };
}

/** Expects the consent page of the request, and then a redirect to the client with a code. */
async function expectToGoOn(visitor: Visitor, visit: Visit, state = 'of the client'): Promise<void> {
  expect(visit.at).toMatch(/^\/oauth\/authorize\?/);
  const requested = new URL(visit.at, host.site.url).searchParams;
  expect(requested.get('state')).toBe(state);
  expect(visit.response.text).toContain('Name of ada');
  const back = new URL((await visitor.decide(visit)).at);
  expect(`${back.origin}${back.pathname}`).toBe(REDIRECT_URI);
  expect(back.searchParams.get('code')).toMatch(/^eas_ac_/);
  expect(back.searchParams.get('state')).toBe(state);
  // only once: after that the site behaves as before
  expect((await visitor.open('/')).at).toBe('/');
}

describe('a request resumes after any kind of login', () => {
  test('a request resumes after a form that loses the return parameter', async () => {
    const visitor = visitorOf();
    const { login } = await begin(visitor);
    expect(login.at).toMatch(/^\/login\?return_to=/);
    await expectToGoOn(visitor, await visitor.logIn());
  });

  test('a request resumes after a mistyped password and a bare login page', async () => {
    const visitor = visitorOf();
    await begin(visitor);
    expect((await visitor.logIn('/login', { password: 'wrong' })).at).toBe('/login');
    await expectToGoOn(visitor, await visitor.logIn());
  });

  test('a request resumes at the next page if the login responds with a page', async () => {
    const visitor = visitorOf((router, passport) => {
      router.post('/login', form, passport.authenticate('local'), (_req, res) => res.send('Welcome'));
    });
    await begin(visitor);
    expect((await visitor.logIn()).response.text).toBe('Welcome');
    await expectToGoOn(visitor, await visitor.open('/album'));
  });

  test('a request resumes whether the login keeps the session or renews it', async () => {
    for (const keepSessionInfo of [true, false]) {
      const visitor = visitorOf((router, passport) => {
        router.get('/login', (req, res) => {
          sessionOf(req).waiting = 'for the login';
          res.send('form');
        });
        router.post('/login', form, authenticate(passport, { keepSessionInfo }));
      });
      await begin(visitor);
      await visitor.open('/login');
      await expectToGoOn(visitor, await visitor.logIn());
    }
  });

  test('a request resumes beside req.session.returnTo, whether Passport forgets that or not', async () => {
    for (const keepSessionInfo of [true, false]) {
      const visitor = visitorOf((router, passport) => {
        // every page that needs a login
        router.use((req, _res, next) => {
          if (!req.user && req.method === 'GET' && req.path !== '/login')
            sessionOf(req).returnTo = req.originalUrl;
          next();
        });
        router.post(
          '/login',
          form,
          authenticate(passport, {
            successRedirect: undefined,
            successReturnToOrRedirect: '/home',
            keepSessionInfo,
          }),
        );
      });
      await begin(visitor);
      await expectToGoOn(visitor, await visitor.logIn());
    }
  });

  test('a request resumes after a second factor before the login', async () => {
    const visitor = visitorOf((router, passport) => {
      router.post('/login', form, passport.authenticate('local', { session: false }), (req, res) => {
        sessionOf(req).waiting = (req.user as unknown as { id: string }).id;
        res.redirect('/login/totp');
      });
      router.get('/login/totp', (_req, res) => res.send('the code?'));
      router.post('/login/totp', form, (req, res, next) => {
        req.logIn({ id: sessionOf(req).waiting }, (error) => (error ? next(error) : res.redirect('/')));
      });
    });
    await begin(visitor);
    expect((await visitor.logIn()).at).toBe('/login/totp');
    await expectToGoOn(visitor, await visitor.send('/login/totp', { code: '123456' }));
  });

  test('a request resumes after a second factor of people.isLoggedIn', async () => {
    host.isLoggedIn = (req) => sessionOf(req).secondFactor === true;
    const visitor = visitorOf((router, passport) => {
      router.get('/login', (req, res) => res.send(req.user ? 'the code?' : 'form'));
      router.post('/login', form, authenticate(passport, { successRedirect: '/login/totp' }));
      router.get('/login/totp', (_req, res) => res.send('the code?'));
      router.post('/login/totp', form, (req, res) => {
        sessionOf(req).secondFactor = true;
        res.redirect('/');
      });
    });
    const { query } = await begin(visitor);
    expect((await visitor.logIn()).at).toBe('/login/totp');
    // half a login is no login, neither for the request nor for other pages
    expect((await visitor.authorize(query)).at).toMatch(/^\/login\?/);
    for (const page of ['applications', 'authorizations'])
      expect((await visitor.open(`/oauth/${page}`)).at).not.toBe(`/oauth/${page}`);
    expect((await visitor.authorize(query)).at).toMatch(/^\/login\?/);
    await expectToGoOn(visitor, await visitor.send('/login/totp', { code: '123456' }));
  });

  test('people.isLoggedIn counts only if it returns true', async () => {
    const promise = (() => Promise.resolve(true)) as unknown as () => boolean;
    host.isLoggedIn = promise;
    const visitor = visitorOf();
    const { query } = await begin(visitor);
    expect((await visitor.logIn()).at).toBe('/');
    expect((await visitor.agent.get('/oauth/authorize').query(query)).headers.location).toMatch(/^\/login\?/);
  });

  test('a request resumes after a social login', async () => {
    const provider = express().get('/auth', (req, res) =>
      res.redirect(`${req.query.back as string}?code=ada`),
    );
    const elsewhere = createServer(provider);
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    open.push(() => new Promise((resolve) => elsewhere.close(resolve)));
    const { port } = elsewhere.address() as AddressInfo;
    const visitor = visitorOf((router) => {
      router.get('/login', (_req, res) => res.send('<a href="/auth">Log in by another site</a>'));
      router.get('/auth', (_req, res) =>
        res.redirect(`http://127.0.0.1:${port}/auth?back=${host.site.url}/auth/callback`),
      );
      router.get('/auth/callback', (req, res, next) => {
        req.logIn({ id: req.query.code as string }, (error) => (error ? next(error) : res.redirect('/')));
      });
    });
    await begin(visitor);
    const { at } = await visitor.open('/auth');
    const answer = await fetch(at, { redirect: 'manual' });
    const back = new URL(answer.headers.get('location')!);
    await expectToGoOn(visitor, await visitor.open(`${back.pathname}${back.search}`));
  });

  test('oauth.takeReturnPath gives a JSON login the path of the request, once', async () => {
    const visitor = visitorOf((router, passport) => {
      router.post('/api/login', express.json(), passport.authenticate('local'), (req, res) => {
        res.json({ goTo: host.site.oauth.takeReturnPath(req, res, '/home') });
      });
    });
    const logIn = () =>
      visitor.agent.post('/api/login').send({ username: 'ada', password: 'password of ada' });
    await begin(visitor);
    const { body } = await logIn();
    expect(body.goTo).toMatch(/^\/oauth\/authorize\?/);
    expect((await logIn()).body).toEqual({ goTo: '/home' });
    await expectToGoOn(visitor, await visitor.open(body.goTo));
  });

  test('a request resumes at the next page after a login of a single-page application', async () => {
    const visitor = visitorOf((router, passport) => {
      router.post('/api/login', express.json(), passport.authenticate('local'), (_req, res) => res.json({}));
    });
    await begin(visitor);
    await visitor.agent.post('/api/login').send({ username: 'ada', password: 'password of ada' });
    await expectToGoOn(visitor, await visitor.open('/'));
  });

  test('a request resumes at the login page after a login in another tab', async () => {
    const visitor = visitorOf();
    await visitor.logIn();
    await visitor.agent.post('/login').send({});
    const other = createVisitor(host.site);
    const { query } = await begin(other);
    await postForm(other.agent, '/login', { username: 'ada', password: 'password of ada' });
    await expectToGoOn(other, await other.open(`/login?return_to=%2Fx&${String(query.state)}`));
  });

  test('oauth.resume in front of other pages resumes a request there', async () => {
    const visitor = visitorOf((router, passport) => {
      router.use((req, res, next) => host.site.oauth.resume(req, res, next));
      mountPages(router);
      ordinaryLogin(router, passport);
    });
    const { query, login } = await begin(visitor);
    expect(login.at).toMatch(/^\/login\?/);
    await expectToGoOn(visitor, await visitor.logIn());
    // oauth.resume does not lead away from the server's pages
    expect((await visitor.authorize({ ...query, state: 'another' })).at).toContain('state=another');
  });

  test('a browser without Fetch Metadata is recognized by its Accept header', async () => {
    const visitor = visitorOf();
    await begin(visitor);
    await postForm(visitor.agent, '/login', { username: 'ada', password: 'password of ada' });
    const get = (headers: object) => visitor.agent.get('/album').set(headers as Record<string, string>);
    expect((await get({ Accept: '*/*' })).status).toBe(200);
    expect((await get({ Accept: 'application/json' })).status).toBe(200);
    expect((await get({ Accept: 'text/html', 'X-Requested-With': 'XMLHttpRequest' })).status).toBe(200);
    expect((await get({ Accept: 'text/html' })).status).toBe(303);
  });
});

describe('requests that never resume', () => {
  test.each([
    [
      'a request of a script',
      'get',
      '/api/news',
      { ...NAVIGATION, 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Dest': 'empty' },
    ],
    ['a picture', 'get', '/album', { ...NAVIGATION, 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' }],
    ['a page in a frame', 'get', '/album', { ...NAVIGATION, 'Sec-Fetch-Dest': 'iframe' }],
    ['the prefetch of a page', 'get', '/album', { ...NAVIGATION, 'Sec-Purpose': 'prefetch;prerender' }],
    ['a form', 'post', '/album', NAVIGATION],
    ['a HEAD', 'head', '/album', NAVIGATION],
  ] as const)('a waiting request does not replace %s', async (_what, method, path, headers) => {
    const visitor = visitorOf();
    await begin(visitor);
    await postForm(visitor.agent, '/login', { username: 'ada', password: 'password of ada' });
    const { status, headers: answer } = await visitor.agent[method](path).set(headers);
    expect([status === 303, answer['set-cookie']]).toEqual([false, undefined]);
    await expectToGoOn(visitor, await visitor.open('/'));
  });

  test('a waiting request stays while nobody is logged in', async () => {
    const visitor = visitorOf();
    await begin(visitor);
    for (const page of ['/', '/album', '/login']) expect((await visitor.open(page)).at).toBe(page);
    await expectToGoOn(visitor, await visitor.logIn());
  });
});

describe('the end of a waiting request', () => {
  const waits = (visitor: Visitor) =>
    visitor.agent.jar
      .getCookies({ path: '/', domain: '127.0.0.1', secure: false, script: false })
      .some(({ name }) => name === 'oauth-way-back');

  test('a waiting request ends if the login follows the return parameter', async () => {
    const visitor = visitorOf((router, passport) => {
      router.post('/login', form, passport.authenticate('local'), (req, res) =>
        res.redirect(req.query.return_to as string),
      );
    });
    const { login } = await begin(visitor);
    expect(waits(visitor)).toBe(true);
    const visit = await visitor.logIn(login.at);
    expect(waits(visitor)).toBe(false);
    await expectToGoOn(visitor, visit);
  });

  test('a waiting request ends with a denial, which the client gets', async () => {
    const visitor = visitorOf();
    await begin(visitor);
    const visit = await visitor.logIn();
    expect(waits(visitor)).toBe(false);
    expect(new URL((await visitor.decide(visit, 'deny')).at).searchParams.get('error')).toBe('access_denied');
    expect((await visitor.open('/')).at).toBe('/');
  });

  test('the later of two tabs waits, and the return parameter of the first still works', async () => {
    const visitor = visitorOf();
    const { query } = await begin(visitor, 'first');
    await begin(visitor, 'second');
    const visit = await visitor.logIn();
    expect(visit.at).toContain('state=second');
    await expectToGoOn(visitor, visit, 'second');
    expect((await visitor.authorize(query)).at).toContain('state=first');
  });

  test('a request too long for a cookie has only the return parameter', async () => {
    const visitor = visitorOf();
    const { login } = await begin(visitor, 'x'.repeat(4_000));
    expect([login.at.length > 4_000, waits(visitor)]).toEqual([true, false]);
  });
});

test('the other pages of the server resume after a login, too', async () => {
  const visitor = visitorOf();
  expect((await visitor.open('/oauth/applications/new')).at).toMatch(/^\/login\?/);
  expect((await visitor.logIn()).at).toBe('/oauth/applications/new');
  for (const page of ['/oauth/authorizations', '/oauth/access-tokens/new']) {
    const other = createVisitor(host.site);
    await other.open(page);
    expect((await other.logIn()).at).toBe(page);
    expect((await other.open('/')).at).toBe('/');
  }
});
