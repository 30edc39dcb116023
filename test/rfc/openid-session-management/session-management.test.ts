import { createHash } from 'node:crypto';

import { beforeAll, expect, test } from '@jest/globals';
import type express from 'express';
import request, { type Response } from 'supertest';

import { openLogout, sendLogout } from '../../support/logout.js';
import { discover, openid } from '../../support/openid.js';
import { codeQuery, createPerson, locationOf, logInPerson, type Person } from '../../support/person.js';
import { openSite, REDIRECT_URI, type Site } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';

const COOKIE = 'oauth_browser_state';

const site = siteFor({
  openid: { ...openid, sessionManagement: true },
  // headers like those of helmet on the whole site
  before: (app: express.Express) =>
    void app.use((_req, res, next) => {
      res.set({ 'X-Frame-Options': 'SAMEORIGIN', 'Cross-Origin-Resource-Policy': 'same-origin' });
      next();
    }),
});
const client = fixture(() => site.client({ trusted: true }));

beforeAll(() => {
  site.app.get('/home', (_req, res) => void res.send('home'));
});

const ask = (person: Person, more: Record<string, string> = {}) =>
  person.openAuthorize(codeQuery(client, { scope: 'openid', ...more }));
const stateIn = (response: Response) => locationOf(response).searchParams.get('session_state');
/** The new browser state in a response; undefined if the state stays. */
const cookieIn = (response: Response) => {
  const all = ([response.headers['set-cookie'] ?? []] as unknown[]).flat().map(String);
  return all.find((cookie) => cookie.startsWith(`${COOKIE}=`));
};

const logIn = (name?: string) => logInPerson(site, name);

test('each OpenID authorization response has a new session_state, also an error [2-1] [2-2] [2-3] [3.2-6]', async () => {
  const person = await logIn();
  const first = await ask(person);
  const second = await ask(person);
  const states = [
    stateIn(first),
    stateIn(second),
    stateIn(await ask(person, { prompt: 'none', max_age: '0' })),
  ];
  for (const state of states) expect(state).toMatch(/^[\w-]{43}\.[\w-]{43}\.[\w-]{22}$/);
  expect(new Set(states).size).toBe(3);
  const nobody = await ask(createPerson(site), { prompt: 'none' });
  expect(locationOf(nobody).searchParams.get('error')).toBe('login_required');
  expect(stateIn(nobody)).toMatch(/^[\w.-]+$/);
  expect(stateIn(await ask(person, { scope: 'photos:read' }))).toBeNull();
});

test('the session_state is a hash of the client_id, the origin, the browser state and a salt [3.2-7]', async () => {
  const person = await logIn();
  const answer = await ask(person);
  const cookie = String(cookieIn(answer));
  // RFC 6265bis: a cookie that scripts can read; a site with TLS also has it in frames of other sites
  expect(cookie).toMatch(/^oauth_browser_state=[\w-]{43}; Path=\/; SameSite=Lax$/);
  const [, browserState] = /=([^;]*)/.exec(cookie) ?? [];
  const [, seen, salt] = String(stateIn(answer)).split('.');
  const { origin } = new URL(REDIRECT_URI);
  const text = `${client.clientId} ${origin} ${browserState} ${salt}`;
  expect(seen).toBe(createHash('sha256').update(text).digest('base64url'));
  const other = await ask(await logIn());
  expect(cookieIn(other)).not.toBe(cookie);
});

test('the browser state changes at each login and logout, and at no other time [3.2-5]', async () => {
  const person = await logIn();
  const home = () => person.agent.get('/home');
  expect(cookieIn(await home())).toBeUndefined();
  const seen = [cookieIn(await ask(person))];
  expect([cookieIn(await ask(person)), cookieIn(await home())]).toEqual([undefined, undefined]);
  seen.push(cookieIn(await sendLogout(person, await openLogout(person))));
  expect(cookieIn(await home())).toBeUndefined();
  await person.logIn('grace');
  seen.push(cookieIn(await ask(person)));
  await person.agent.post('/logout').expect(303);
  seen.push(cookieIn(await home()));
  // a login without a sign-in at a client does not change the state
  await person.logIn('ada');
  expect(cookieIn(await home())).toBeUndefined();
  expect(seen).toEqual(seen.map(() => expect.stringMatching(/^oauth_browser_state=~?[\w-]{43};/)));
  expect(new Set(seen).size).toBe(4);
});

test('the browser state without a login is random', async () => {
  const states = [];
  for (let count = 0; count < 2; count += 1)
    states.push(cookieIn(await ask(createPerson(site), { prompt: 'none' })));
  expect(states).toEqual(states.map(() => expect.stringMatching(/=~[\w-]{43};/)));
  expect(states[0]).not.toBe(states[1]);
});

test('the check_session_iframe may be framed by any site, and runs only its script [3.3-1]', async () => {
  const { check_session_iframe: iframe } = await discover(site);
  expect(iframe).toBe(`${site.url}/oauth/check_session`);
  const page = await request(site.server).get('/oauth/check_session').expect(200);
  expect(page.headers).not.toHaveProperty('x-frame-options');
  expect(page.headers).not.toHaveProperty('set-cookie');
  const [, script = ''] = /<script>([^]*)<\/script>/.exec(page.text) ?? [];
  const hash = createHash('sha256').update(script).digest('base64');
  expect(page.headers['content-security-policy']).toBe(
    `default-src 'none'; script-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors *`,
  );
  for (const path of ['/oauth/authorizations', '/oauth/end_session']) {
    const { headers } = await (await logIn()).agent.get(path);
    expect(headers['x-frame-options']).toBe('DENY');
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
  }
  await request(site.server).post('/oauth/check_session').expect(405);
});

test('the state cookie is SameSite=None with TLS, and absent without the option', async () => {
  const issuer = 'https://photos.example';
  const secure = await openSite({ openid: { ...openid, sessionManagement: true }, issuer });
  const without = await openSite({ openid });
  try {
    const open = (at: Site, clientId: string) =>
      createPerson(at).openAuthorize({
        response_type: 'code',
        client_id: clientId,
        scope: 'openid',
        prompt: 'none',
      });
    const answer = await open(secure, (await secure.client()).clientId);
    expect(cookieIn(answer)).toMatch(/; Path=\/; Secure; SameSite=None$/);
    const plain = await open(without, (await without.client()).clientId);
    expect([cookieIn(plain), stateIn(plain)]).toEqual([undefined, null]);
    await request(without.server).get('/oauth/check_session').expect(404);
    expect(await discover(without)).not.toHaveProperty('check_session_iframe');
  } finally {
    await Promise.all([secure.close(), without.close()]);
  }
});
