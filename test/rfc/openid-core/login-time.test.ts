import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Express } from 'express';
import type { PassportStatic } from 'passport';
import type { Response } from 'supertest';

import type { ClientWithSecret, PeopleOptions } from '../../../lib/index.js';
import { letPass } from '../../support/clock.js';
import { authenticate, form } from '../../support/login-host.js';
import { openid, verifyIdToken } from '../../support/openid.js';
import {
  codeQuery,
  createPerson,
  errorOf,
  formatQuery,
  leaveLogin,
  locationOf,
  logInAgain,
  logInPerson,
  type Person,
} from '../../support/person.js';
import { openSite, type Site } from '../../support/site.js';
import { redeem } from '../../support/tokens.js';

type Session = Record<string, unknown>;
/** The request as express-session extends it. */
interface StoredRequest {
  sessionStore?: { set(id: string, session: Session, done?: () => void): void };
  readonly sessionID: string;
  readonly session: Session;
}

let site: Site;
let client: ClientWithSecret;

const seconds = () => Math.floor(Date.now() / 1000);
const asking = (query: Record<string, string> = {}, by = client) =>
  codeQuery(by, { scope: 'openid', ...query });
const loggedIn = (name?: string) => logInPerson(site, name);
const isSentToLogin = ({ status, text }: Response) => status === 200 && text.includes('Please log in again');
/** The auth_time of the ID token for a response. */
async function timeIn(answer: Response, by = client): Promise<number | undefined> {
  const code = String(locationOf(answer).searchParams.get('code'));
  const { id_token } = (await redeem(site, by, code).expect(200)).body as { id_token: string };
  return (await verifyIdToken(site, id_token, by)).auth_time;
}

describe('a site with its login before the router', () => {
  let cookieOf: (person: Person) => string;
  beforeAll(async () => {
    site = await openSite({ openid });
    client = await site.client({ trusted: true });
    site.app.post('/lose-the-note', (req, res) => {
      const { session } = req as unknown as StoredRequest;
      expect(session.oauthLoginAt).toEqual(expect.any(Number));
      delete session.oauthLoginAt;
      res.end();
    });
    const { hostname } = new URL(site.url);
    cookieOf = ({ agent }) =>
      String(
        agent.jar.getCookie('oauth-login-ended', {
          domain: hostname,
          path: '/',
          secure: false,
          script: false,
        }),
      );
  });
  afterAll(() => site.close());

  test('an ID token has no auth_time if the server has not seen the login', async () => {
    expect(await timeIn(await (await loggedIn()).openAuthorize(asking()))).toBeUndefined();
  });

  test('max_age requires one login, and later requests use the time of that login [3.1.2.1-2]', async () => {
    const ada = await loggedIn();
    const page = await ada.openAuthorize(asking({ max_age: '600' }));
    expect(isSentToLogin(page)).toBe(true);
    const ended = seconds();
    const back = await leaveLogin(ada, page);
    letPass(40);
    await ada.logIn();
    // the reported time is never later than the login
    const at = Number(await timeIn(await ada.agent.get(back)));
    expect(at).toBeGreaterThanOrEqual(ended);
    expect(at).toBeLessThan(ended + 40);
    letPass(500);
    expect(await timeIn(await ada.openAuthorize(asking({ max_age: '600' })))).toBe(at);
    expect(await timeIn(await ada.openAuthorize(asking()))).toBe(at);
    letPass(200);
    expect(isSentToLogin(await ada.openAuthorize(asking({ max_age: '600' })))).toBe(true);
  });

  test('max_age=0 and prompt=login require a new login', async () => {
    const ada = await loggedIn();
    for (const query of [{ max_age: '0' }, { prompt: 'login' }] as Record<string, string>[]) {
      letPass(1000);
      const before = seconds();
      const page = await ada.openAuthorize(asking(query));
      expect(await timeIn(await logInAgain(ada, page))).toBeGreaterThanOrEqual(before);
    }
  });

  test.each([
    ['is registered for require_auth_time', { requireAuthTime: true }, {}],
    ['requests the claim auth_time', {}, { claims: '{"id_token":{"auth_time":{"essential":true}}}' }],
  ])('a client that %s requires one login [2-7]', async (_name, fields, query) => {
    const curious = await site.client({ trusted: true, ...fields });
    const ada = await loggedIn();
    expect(errorOf(await ada.openAuthorize(asking({ ...query, prompt: 'none' }, curious)))).toBe(
      'login_required',
    );
    const page = await ada.openAuthorize(asking(query, curious));
    expect(isSentToLogin(page)).toBe(true);
    const at = await timeIn(await logInAgain(ada, page), curious);
    expect(at).toEqual(expect.any(Number));
    expect(
      await timeIn(await ada.openAuthorize(asking({ ...query, prompt: 'none' }, curious)), curious),
    ).toBe(at);
  });

  test('max_age with prompt=none is answered login_required if the login time is unknown [3.1.2.1-3]', async () => {
    const answer = await (await loggedIn()).openAuthorize(asking({ max_age: '60', prompt: 'none' }));
    expect(errorOf(answer)).toBe('login_required');
    expect(site.errors.filter(({ error }) => error === 'server_error')).toEqual([]);
  });

  test('a session from before the login page does not count as a new login', async () => {
    const ada = await loggedIn();
    const stranger = createPerson(site);
    const sent = await stranger.openAuthorize(asking({ max_age: '60' }));
    const back = String(locationOf(sent).searchParams.get('return_to'));
    const cookies = (sent.headers['set-cookie'] as unknown as string[] | undefined) ?? [];
    ada.agent.jar.setCookies(cookies.map((cookie) => cookie.split(';')[0]!));
    expect(isSentToLogin(await ada.agent.get(back))).toBe(true);
    expect(isSentToLogin(await ada.openAuthorize(asking({ max_age: '60', login_done: 'yes' })))).toBe(true);
  });

  test('a session without its stored login time requires a new login', async () => {
    const ada = await loggedIn();
    const name = asking({ max_age: '600' });
    expect(await timeIn(await logInAgain(ada, await ada.openAuthorize(name)))).toEqual(expect.any(Number));
    await ada.agent.post('/lose-the-note').expect(200);
    for (const query of [name, { ...name, login_done: 'yes' }])
      expect(isSentToLogin(await ada.openAuthorize(query))).toBe(true);
  });

  test('a login as another person requires one more login', async () => {
    const person = await loggedIn();
    const name = asking({ max_age: '600' });
    const page = await logInAgain(person, await person.openAuthorize(name), 'grace');
    expect(isSentToLogin(page)).toBe(true);
    expect(await timeIn(await logInAgain(person, page, 'grace'))).toEqual(expect.any(Number));
  });

  describe('the cookie with the end of the previous login', () => {
    const withCookie = (person: Person, cookie: string, query: Record<string, string>) => {
      person.agent.jar.setCookie(cookie);
      return person.agent.get(`/oauth/authorize?${formatQuery(asking(query))}`);
    };
    /** The cookie of Ada before her next login. */
    async function cookieOfAda(): Promise<string> {
      const ada = await loggedIn();
      await leaveLogin(ada, await ada.openAuthorize(asking({ max_age: '60' })));
      return cookieOf(ada).split(';')[0]!;
    }

    test('a login-time cookie of one session is ignored in the session of another person', async () => {
      const cookie = await cookieOfAda();
      const eve = await loggedIn('eve');
      expect(isSentToLogin(await withCookie(eve, cookie, { max_age: '60', login_done: 'yes' }))).toBe(true);
    });

    test('a changed login-time cookie is ignored', async () => {
      const [name = '', value = ''] = (await cookieOfAda()).split('=');
      const [end = '', word = '', tag = ''] = value.split('.');
      const [at = '', ended = ''] = [word.slice(0, word.indexOf('_')), word.slice(word.indexOf('_') + 1)];
      for (const forged of [
        `${Number(end) + 1000}.${word}.${tag}`,
        `${end}.${Number(at) + 1000}_${ended}.${tag}`,
        `${end}.${word}.${tag.slice(1)}`,
        `${end}.${word}`,
        `x${value}`,
      ])
        expect(
          isSentToLogin(await withCookie(await loggedIn(), `${name}=${forged}`, { max_age: '60' })),
        ).toBe(true);
    });

    test('a login-time cookie is ignored after an hour', async () => {
      const cookie = await cookieOfAda();
      letPass(3601);
      expect(isSentToLogin(await withCookie(await loggedIn(), cookie, { max_age: '9000' }))).toBe(true);
    });

    test('a login-time cookie that is used again reports no later login time than before', async () => {
      const before = seconds();
      const cookie = await cookieOfAda();
      letPass(100);
      const requested = await withCookie(await loggedIn(), cookie, { max_age: '60' });
      expect(isSentToLogin(requested)).toBe(true);
      const at = Number(await timeIn(await withCookie(await loggedIn(), cookie, { max_age: '200' })));
      expect(at).toBeGreaterThanOrEqual(before);
      expect(at).toBeLessThan(before + 100);
    });

    test('a login-time cookie is deleted after its use, and does not change a stored login time', async () => {
      const ada = await loggedIn();
      const back = await leaveLogin(ada, await ada.openAuthorize(asking({ max_age: '60' })));
      const cookie = cookieOf(ada).split(';')[0]!;
      await ada.logIn();
      const at = await timeIn(await ada.agent.get(back));
      expect(cookieOf(ada)).toBe('undefined');
      letPass(30);
      expect(await timeIn(await withCookie(ada, cookie, {}))).toBe(at);
    });
  });
});

describe('a site with its login behind the router', () => {
  let passport: PassportStatic;
  async function openWith(people: PeopleOptions = {}): Promise<Site> {
    const opened = await openSite({
      openid,
      people,
      mountLogin: (_app: Express, given) => void (passport = given),
    });
    opened.app.post('/login', form, authenticate(passport));
    // like an API that asks for the password each time
    opened.app.post('/checked', form, authenticate(passport, { session: false }));
    // as sites do after a change of the name
    opened.app.post('/renamed', (req, res, next) =>
      req.login(req.user!, (error: unknown) => (error ? next(error) : res.end())),
    );
    opened.app.post('/become-grace', (req, res, next) =>
      req.logIn({ id: 'grace' }, { session: true }, (error: unknown) => (error ? next(error) : res.end())),
    );
    return opened;
  }
  beforeAll(async () => {
    site = await openWith();
    client = await site.client({ trusted: true });
  });
  afterAll(() => site.close());

  test('a login behind the router is recorded at once, so that nobody logs in twice [3.1.2.1-2]', async () => {
    const ada = createPerson(site);
    const to = locationOf(await ada.openAuthorize(asking({ max_age: '60' })));
    letPass(100);
    const login = seconds();
    await ada.logIn();
    letPass(30);
    const at = Number(await timeIn(await ada.agent.get(String(to.searchParams.get('return_to')))));
    expect(at).toBeGreaterThanOrEqual(login);
    expect(at).toBeLessThan(login + 30);
    letPass(31);
    const page = await ada.openAuthorize(asking({ max_age: '60' }));
    expect(isSentToLogin(page)).toBe(true);
    expect(await timeIn(await logInAgain(ada, page))).toBeGreaterThanOrEqual(login + 61);
  });

  test('req.login counts as a login only for another person and with a session', async () => {
    const ada = await loggedIn();
    const at = await timeIn(await ada.openAuthorize(asking()));
    letPass(100);
    await ada.agent.post('/renamed').expect(200);
    await ada.agent.post('/checked').type('form').send({ username: 'grace', password: 'password of grace' });
    expect(await timeIn(await ada.openAuthorize(asking()))).toBe(at);
    await ada.agent.post('/become-grace').expect(200);
    expect(await timeIn(await ada.openAuthorize(asking()))).toBeGreaterThanOrEqual(Number(at) + 100);
  });

  test('a wrong password does not count as a login', async () => {
    const ada = await loggedIn();
    const at = await timeIn(await ada.openAuthorize(asking()));
    letPass(100);
    await ada.agent.post('/login').type('form').send({ username: 'ada', password: 'wrong' });
    expect(await timeIn(await ada.openAuthorize(asking()))).toBe(at);
  });

  test('a site with people.authentication gets no recorded login times', async () => {
    const before = [site, client] as const;
    site = await openWith({ authentication: () => ({ amr: ['pwd'] }) });
    client = await site.client({ trusted: true });
    const ada = await loggedIn();
    expect(await timeIn(await ada.openAuthorize(asking()))).toBeUndefined();
    expect(errorOf(await ada.openAuthorize(asking({ max_age: '60' })))).toBe('server_error');
    await site.close();
    [site, client] = before;
  });
});

describe('a site with oauth.resume before its login', () => {
  beforeAll(async () => {
    site = await openSite({
      openid,
      mountLogin(app, passport) {
        app.use((req, res, next) => site.oauth.resume(req, res, next));
        app.post('/login', form, authenticate(passport));
      },
    });
    client = await site.client({ trusted: true });
  });
  afterAll(() => site.close());

  test('oauth.resume records each login at once', async () => {
    const ada = await loggedIn();
    letPass(30);
    expect(await timeIn(await ada.openAuthorize(asking({ max_age: '60' })))).toBeLessThan(seconds() - 28);
  });
});

describe('a site with its sessions in cookies', () => {
  beforeAll(async () => {
    site = await openSite({
      openid,
      mountLogin(app, passport) {
        app.post('/login', form, authenticate(passport));
        app.use((req, _res, next) => {
          const stored = req as unknown as StoredRequest;
          const { sessionStore: store, session } = stored;
          delete stored.sessionStore;
          Object.assign(session, {
            save: (done?: () => void) => store!.set(stored.sessionID, session, done),
          });
          next();
        });
      },
    });
    client = await site.client({ trusted: true });
  });
  afterAll(() => site.close());

  test('a login that the server cannot see is requested once, and then the missing option is reported', async () => {
    const ada = await loggedIn();
    expect(isSentToLogin(await ada.openAuthorize(asking({ max_age: '60' })))).toBe(true);
    expect(errorOf(await ada.openAuthorize(asking({ max_age: '60', login_done: 'yes' })))).toBe(
      'server_error',
    );
    expect(site.errors.at(-1)?.detail).toMatch(/write people: { authentication/);
  });
});
