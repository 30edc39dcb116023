import { describe, expect, test } from '@jest/globals';
import request from 'supertest';

import { letPass } from '../support/clock.js';
import { loginHostForAll, mountPages } from '../support/login-host.js';
import { formatQuery, postForm } from '../support/person.js';
import { openSite, REDIRECT_URI } from '../support/site.js';
import { createVisitor, NAVIGATION, type Visitor } from '../support/visitor.js';

const COOKIE = 'oauth-way-back';
const host = loginHostForAll();

/** The value of a way-back cookie that expires in this many seconds. */
const wayBack = (path: string, seconds = 300) => `${Math.floor(Date.now() / 1000) + seconds}.${path}`;

async function requestOf(name = 'Printing shop'): Promise<string> {
  const { clientId } = await host.site.client({ name, type: 'public' });
  return `/oauth/authorize?${formatQuery({
    response_type: 'code',
    client_id: clientId,
    state: 'of the client',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  })}`;
}

/** A logged-in user with cookies that somebody else has planted in the browser. */
async function withPlanted(...values: readonly string[]) {
  const visitor = createVisitor(host.site);
  await visitor.logIn();
  const own = sessionOf(visitor);
  // not with the agent, which stores only one cookie of a name
  return request(host.site.server)
    .get('/album')
    .set({ ...NAVIGATION, Cookie: [own, ...values.map((value) => `${COOKIE}=${value}`)].join('; ') });
}

function sessionOf({ agent }: Visitor): string {
  return agent.jar
    .getCookies({ path: '/', domain: '127.0.0.1', secure: false, script: false })
    .map(({ name, value }) => `${name}=${value}`)
    .join('; ');
}

const setCookies = (response: request.Response) =>
  [response.headers['set-cookie'] ?? []].flat().filter((cookie) => cookie.includes(COOKIE));

describe('the way-back cookie', () => {
  test('the way-back cookie is HttpOnly and SameSite, and expires in ten minutes', async () => {
    const response = await request(host.site.server).get(await requestOf());
    const [cookie = '', ...others] = setCookies(response);
    expect(others).toEqual([]);
    expect(cookie).toMatch(/^oauth-way-back=\d+\.\/oauth\/authorize\?/);
    expect(
      cookie
        .split('; ')
        .slice(1)
        .map((part) => part.replace(/^Expires=.*/, 'Expires')),
    ).toEqual(['Max-Age=600', 'Path=/', 'Expires', 'HttpOnly', 'SameSite=Lax']);
    expect(response.headers['cache-control']).toBe('no-store');
  });

  test('the way-back cookie with TLS has the prefix __Host-, so no sibling domain can plant it', async () => {
    await using site = await openSite({ issuer: 'https://photos.example' });
    mountPages(site.app);
    const [cookie = ''] = setCookies(await request(site.server).get('/oauth/applications'));
    expect(cookie).toMatch(/^__Host-oauth-way-back=/);
    expect(cookie).toMatch(/; Path=\/;.*; Secure/);
    expect(cookie).not.toMatch(/Domain/i);
    const visitor = createVisitor(site);
    await postForm(visitor.agent, '/login', { username: 'ada', password: 'password of ada' });
    const open = (name: string) =>
      visitor.agent
        .get('/album')
        .set({ ...NAVIGATION, Cookie: `${sessionOf(visitor)}; ${name}=${wayBack('/oauth/applications')}` });
    expect((await open('__Host-oauth-way-back')).status).toBe(303);
    expect((await open(COOKIE)).status).toBe(200);
  });

  test.each(['image', 'iframe', 'empty'])(
    'another site cannot set the way-back cookie by its page: %s',
    async (destination) => {
      const response = await request(host.site.server)
        .get(await requestOf())
        .set('Sec-Fetch-Dest', destination);
      expect([response.status, setCookies(response)]).toEqual([302, []]);
    },
  );

  test('a silent request sets no way-back cookie', async () => {
    const response = await request(host.site.server).get(`${await requestOf()}&prompt=none`);
    expect(response.headers.location).toContain('error=login_required');
    expect(setCookies(response)).toEqual([]);
  });
});

describe('a planted way-back cookie', () => {
  test.each([
    'https://evil.example/oauth/authorize',
    '//evil.example/oauth/authorize',
    '/\\evil.example/oauth/authorize',
    'javascript:alert(1)',
    '/logout',
    '/oauth/token',
    '/oauth/authorizer',
    '/oauth/authorize/../../logout',
    '/oauth/authorize/%2e%2e/%2e%2e/logout',
    '/oauth/authorize\t/../../logout',
    '/oauth/./authorize',
    '/other/oauth/authorize',
    '?/oauth/authorize',
    '',
  ])('a planted way-back cookie to %j leads nowhere and is deleted', async (path) => {
    const response = await withPlanted(wayBack(path));
    expect([response.status, response.headers.location]).toEqual([200, undefined]);
    expect(setCookies(response)[0]).toMatch(/^oauth-way-back=;/);
  });

  test.each([
    ['without an expiry', '/oauth/applications'],
    ['with a malformed expiry', 'soon./oauth/applications'],
    ['that has expired', wayBack('/oauth/applications', -1)],
    ['without an end', wayBack('/oauth/applications', 86_400)],
    ['with an overlong expiry', '999999999999999999999./oauth/applications'],
  ])('a planted way-back cookie %s leads nowhere and is deleted', async (_what, value) => {
    const response = await withPlanted(value);
    expect([response.status, setCookies(response).length]).toEqual([200, 1]);
  });

  test("a planted way-back cookie beside the user's: neither counts", async () => {
    const values = [wayBack('/oauth/applications'), wayBack('/oauth/authorizations')];
    expect((await withPlanted(...values)).status).toBe(200);
    expect((await withPlanted(values[0]!)).headers.location).toBe('/oauth/applications');
  });

  test("a planted way-back cookie to the attacker's request leads to a page, and gives nothing", async () => {
    const path = await requestOf('Not a shop');
    const response = await withPlanted(wayBack(path));
    expect(response.headers.location).toBe(path);
    const visitor = createVisitor(host.site);
    await visitor.logIn();
    const before = await host.site.oauth.models.Grant.countDocuments();
    const { at, response: page } = await visitor.open(path);
    expect([at, page.status]).toEqual([path, 200]);
    expect(page.text).toContain('Not a shop');
    expect(page.text).toContain('Name of ada');
    expect(await host.site.oauth.models.Grant.countDocuments()).toBe(before);
  });
});

describe('the use of a way-back cookie', () => {
  test('the way-back cookie is deleted at its use', async () => {
    const path = await requestOf();
    const visitor = createVisitor(host.site);
    await visitor.open(path);
    await postForm(visitor.agent, '/login', { username: 'ada', password: 'password of ada' });
    const used = await visitor.agent.get('/').set(NAVIGATION);
    expect([used.status, used.headers.location]).toEqual([303, path]);
    expect(setCookies(used)[0]).toMatch(/^oauth-way-back=; Path=\/; Expires=Thu, 01 Jan 1970/);
    expect((await visitor.agent.get('/').set(NAVIGATION)).status).toBe(200);
  });

  test('the way-back cookie is void after ten minutes, even if the browser keeps it', async () => {
    const [cookie = ''] = setCookies(await request(host.site.server).get(await requestOf()));
    const [, value = ''] = /^oauth-way-back=([^;]*)/.exec(cookie) ?? [];
    expect((await withPlanted(value)).status).toBe(303);
    letPass(601);
    expect((await withPlanted(value)).status).toBe(200);
  });

  test('the way-back cookie of one user leads the next user to a new decision', async () => {
    const path = await requestOf();
    const ada = createVisitor(host.site);
    await ada.logIn();
    // Ada has a stored consent for this client
    await ada.decide(await ada.open(path));
    expect((await ada.open(path)).at).toContain(`${REDIRECT_URI}?code=`);
    await ada.agent.post('/logout');
    const shared = createVisitor(host.site);
    await shared.open(path);
    const { at, response } = await shared.logIn('/login', { name: 'grace' });
    expect(at).toBe(path);
    expect(response.text).toContain('Name of grace');
    expect(response.text).not.toContain('Name of ada');
  });

  test('the way-back cookie is deleted at a logout', async () => {
    host.login((router, passport) => {
      router.post('/logout', (req, res, next) =>
        req.logout((error) => (error ? next(error) : res.redirect('/'))),
      );
      router.get('/login', (_req, res) => void res.send('form'));
      router.post(
        '/login',
        (req, _res, next) => {
          req.body = { username: 'grace', password: 'password of grace' };
          next();
        },
        passport.authenticate('local', { successRedirect: '/' }),
      );
    });
    const visitor = createVisitor(host.site);
    const path = await requestOf();
    await visitor.open(path);
    expect((await visitor.logIn()).at).toBe(path);
    expect((await visitor.send('/logout', {})).at).toBe('/');
    expect((await visitor.logIn()).at).toBe('/');
  });
});
