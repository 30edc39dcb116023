import { describe, expect, test } from '@jest/globals';
import { SignJWT, UnsecuredJWT } from 'jose';
import request, { type Response } from 'supertest';

import type { NewClient } from '../../../lib/index.js';
import { createTestKey, now } from '../../support/assertions.js';
import { letPass } from '../../support/clock.js';
import { AFTER, answerLogout, isLoggedIn, openLogout, sendLogout, signIn } from '../../support/logout.js';
import { discover, openid } from '../../support/openid.js';
import { codeQuery, createPerson, hiddenFields, logInPerson, type Person } from '../../support/person.js';
import { refusal } from '../../support/refusal.js';
import { register } from '../../support/registration.js';
import { mountDefaultLogin, openSite, REDIRECT_URI } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';

const site = siteFor({ openid, signedResponses: true, registration: { open: true } });
const client = fixture(() => clientWith());

const clientWith = (more: Partial<NewClient> = {}) =>
  site.client({ name: 'Print shop', trusted: true, postLogoutRedirectUris: [AFTER], ...more });
const loggedIn = (name?: string) => logInPerson(site, name);
/** A person who has signed in at the client, and the parameters of its logout request. */
async function signedIn(of = client, name = 'ada') {
  const person = await loggedIn(name);
  const { id_token: idToken } = await signIn(site, person, of);
  return {
    person,
    idToken,
    query: { id_token_hint: idToken, post_logout_redirect_uri: AFTER, state: 'x y&z' },
  };
}
async function expectNothing(person: Person, query: Record<string, string>, terms: RegExp, status = 400) {
  const response = await openLogout(person, query);
  expect([response.status, response.headers.location]).toEqual([status, undefined]);
  expect(response.text).toMatch(terms);
  expect(await isLoggedIn(person)).toBe(true);
}

describe('§2 the logout endpoint', () => {
  test('the logout endpoint asks the person, ends the session and redirects with the state [2-1] [2-2] [2-8] [3-2]', async () => {
    const { person, query } = await signedIn();
    const page = await openLogout(person, query);
    expect(page.status).toBe(200);
    expect(page.text).toContain('Print shop');
    expect(page.text).toContain('ada');
    expect(await isLoggedIn(person)).toBe(true);
    const { status, headers } = await answerLogout(person, page);
    expect([status, headers.location]).toEqual([302, `${AFTER}&state=x+y%26z`]);
    expect(await isLoggedIn(person)).toBe(false);
  });

  test('a logout request without a state is redirected without a state [3-2]', async () => {
    const { person, query } = await signedIn();
    const { headers } = await answerLogout(person, await openLogout(person, { ...query, state: undefined }));
    expect(headers.location).toBe(AFTER);
  });

  test('a person who declines the logout is redirected as well [2-1]', async () => {
    const { person, query } = await signedIn();
    const { headers } = await answerLogout(person, await openLogout(person, query), 'no');
    expect(headers.location).toBe(`${AFTER}&state=x+y%26z`);
    expect(await isLoggedIn(person)).toBe(true);
  });

  test('the logout endpoint accepts a POST from another site without the session cookie [2-3]', async () => {
    const { person, query } = await signedIn();
    const posted = await request(site.server).post('/oauth/end_session').type('form').send(query);
    expect(posted.status).toBe(303);
    // no address contains the ID token
    expect(posted.headers.location).not.toContain(query.id_token_hint.slice(0, 20));
    const page = await person.agent.get(posted.headers.location!);
    const { headers } = await answerLogout(person, page);
    expect(headers.location).toBe(`${AFTER}&state=x+y%26z`);
    // after the logout the same request redirects at once, unless the request has changed
    const again = await person.agent.get(posted.headers.location!);
    expect(again.headers.location).toBe(`${AFTER}&state=x+y%26z`);
    const changed = posted.headers.location!.replace('state=x', 'state=y');
    expect((await person.agent.get(changed)).status).toBe(200);
  });

  test('an expired ID token is accepted as id_token_hint [2-5]', async () => {
    const { person, query } = await signedIn();
    letPass(100_000);
    await person.logIn();
    const { headers } = await answerLogout(person, await openLogout(person, query));
    expect(headers.location).toBe(`${AFTER}&state=x+y%26z`);
  });

  test('a logout request without parameters asks the person, and ends on a page of this site [2-7] [2-8]', async () => {
    const person = await loggedIn();
    const { headers } = await sendLogout(person, await openLogout(person));
    expect(headers.location).toBe('/oauth/end_session?');
    const done = await person.agent.get(headers.location!);
    expect(done.text).toContain('id="end-session-done"');
    expect(await isLoggedIn(person)).toBe(false);
  });

  test('ui_locales sets the language of the logout page [2-9]', async () => {
    const { person, query } = await signedIn();
    const page = await openLogout(person, { ...query, ui_locales: 'xx de' });
    expect(page.headers['content-language']).toBe('de');
    expect(page.text).toContain('abmelden möchten');
  });

  test('the form of the logout page may redirect only to https:, and is not cached', async () => {
    const { person, query } = await signedIn();
    const { headers } = await openLogout(person, query);
    expect(headers['content-security-policy']).toContain("form-action 'self' https:");
    expect(headers['cache-control']).toBe('no-store');
  });

  test('the metadata has the end_session_endpoint [2.1-1]', async () => {
    expect(await discover(site)).toMatchObject({ end_session_endpoint: `${site.url}/oauth/end_session` });
    await using without = await openSite();
    expect((await request(without.server).get('/oauth/end_session')).status).toBe(404);
  });
});

describe('§4 refused logouts', () => {
  test('a form without a valid CSRF token logs nobody out [2-7]', async () => {
    const { person, query } = await signedIn();
    await openLogout(person, query);
    const eve = await signedIn(client, 'grace');
    const fields = hiddenFields(await openLogout(eve.person, eve.query));
    for (const form of [
      { csrf_token: '' },
      { csrf_token: fields.csrf_token },
      { csrf_token: 'x'.repeat(40) },
    ]) {
      const sent = { ...fields, ...form, logout: 'yes' };
      const { status } = await person.agent.post('/oauth/end_session').type('form').send(sent);
      expect(status).toBe(403);
      expect(await isLoggedIn(person)).toBe(true);
    }
    const bare = await person.agent.post('/oauth/end_session').type('form').send({ logout: 'yes' });
    expect(bare.status).toBe(303);
    expect(await isLoggedIn(person)).toBe(true);
  });

  test('an id_token_hint of another person logs nobody out without a confirmation [2-7]', async () => {
    const { query } = await signedIn(client, 'grace');
    const ada = await loggedIn();
    const page = await openLogout(ada, query);
    expect(page.text).toContain('ada');
    expect(await isLoggedIn(ada)).toBe(true);
  });

  test('a forged id_token_hint is refused [2-4] [4-1]', async () => {
    const person = await loggedIn();
    const key = await createTestKey('RS256');
    const [published] = (await request(site.server).get('/oauth/jwks')).body.keys as { kid: string }[];
    const claims = { iss: site.url, sub: 'ada', aud: client.clientId, iat: now(), exp: now() + 60 };
    const forged = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: published!.kid })
      .sign(key.privateKey);
    const mac = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .sign(new TextEncoder().encode(client.clientSecret));
    const own = await signIn(site, person, client);
    const { searchParams } = await person.authorize(
      codeQuery(client, { response_mode: 'jwt', scope: 'photos:read' }),
    );
    for (const hint of [
      forged,
      mac,
      new UnsecuredJWT(claims).encode(),
      own.id_token
        .replace(/.$/, (letter) => (letter === 'A' ? 'B' : 'A'))
        .replace(/\.[^.]{20}/, '.AAAAAAAAAAAAAAAAAAAA'),
      own.access_token,
      // signed by us, for this client, but not an ID token (JARM)
      searchParams.get('response')!,
      'x',
      'a.b.c',
      'x'.repeat(5000),
    ])
      await expectNothing(
        person,
        { id_token_hint: hint, post_logout_redirect_uri: AFTER },
        /id_token_hint is no ID token of this server/,
      );
  });

  test.each([
    ['another path', 'https://print.example/elsewhere'],
    ['one more parameter', `${AFTER}&x`],
    ['another host', 'https://evil.example/after?from=logout'],
    ['the redirect URI', REDIRECT_URI],
    ['a script', 'javascript:alert(1)'],
  ])('a post_logout_redirect_uri that is not registered is refused: %s [3-1]', async (_what, uri) => {
    const { person, query } = await signedIn();
    await expectNothing(
      person,
      { ...query, post_logout_redirect_uri: uri },
      /not registered for this client/,
    );
  });

  test('a logout request of another client, an unknown client or no client is refused [2-6] [3-1]', async () => {
    const other = await clientWith({ postLogoutRedirectUris: ['https://other.example/after'] });
    const { person, query } = await signedIn();
    await expectNothing(person, { ...query, client_id: other.clientId }, /of another client/);
    await expectNothing(
      person,
      { client_id: other.clientId, post_logout_redirect_uri: AFTER },
      /not registered for this client/,
    );
    await expectNothing(person, { post_logout_redirect_uri: AFTER }, /needs an id_token_hint or a client_id/);
    await expectNothing(person, { client_id: 'nobody' }, /no such client/);
    await expectNothing(person, { ...query, state: 'x'.repeat(7000) }, /too long/, 414);
  });

  test('a repeated parameter of a logout request is refused', async () => {
    const person = await loggedIn();
    const { status } = await person.agent.get(`/oauth/end_session?client_id=${client.clientId}&client_id=x`);
    expect(status).toBe(400);
    expect(await isLoggedIn(person)).toBe(true);
  });

  test('a logout request of a blocked client is refused', async () => {
    const own = await clientWith();
    const { person, query } = await signedIn(own);
    await site.oauth.clients.block(own.clientId);
    await expectNothing(person, query, /./);
  });

  test('a person without a session and an ID token gets a link instead of a redirect [3-3]', async () => {
    const person = createPerson(site);
    const query = { client_id: client.clientId, post_logout_redirect_uri: AFTER };
    const page = await openLogout(person, query);
    expect([page.status, page.headers.location]).toEqual([200, undefined]);
    expect(page.text).toContain(`href="${AFTER}"`);
    const ada = await loggedIn();
    const stayed = await sendLogout(ada, await openLogout(ada, query), 'no');
    expect(stayed.headers.location).toBe('/');
    const left = await answerLogout(ada, await openLogout(ada, query));
    expect(left.headers.location).toBe(AFTER);
  });

  test('a logout form that is sent twice leads to a page of this site', async () => {
    const { person, query } = await signedIn();
    const page = await openLogout(person, query);
    await sendLogout(person, page);
    const { headers } = await sendLogout(person, page);
    expect(headers.location).toMatch(/^\/oauth\/end_session\?/);
  });
});

describe('the redirect after the form (RFC 9110 §15.4.4)', () => {
  /** A person who is logged in, and a logout request without an ID token, which redirects nobody at once. */
  async function unhinted() {
    const query = { client_id: client.clientId, post_logout_redirect_uri: AFTER };
    return { person: await loggedIn(), query };
  }
  const says = ({ status, headers, text }: Response) => [
    status,
    headers.location ?? /id="(end-session[\w-]*)"/.exec(text)?.[1],
  ];
  const DONE = [200, 'end-session-done'];
  const ASKS = [200, 'end-session-form'];

  test('the redirect after a logout works once, and a reload shows that nobody is logged in', async () => {
    const { person, query } = await unhinted();
    const { headers } = await sendLogout(person, await openLogout(person, query));
    const [cookie = ''] = [headers['set-cookie'] ?? []].flat().filter((each) => each.startsWith('oauth-log'));
    expect(cookie).toMatch(/^oauth-logout-[\w-]{8}=[\w.-]+; Max-Age=60; Path=\/;.*; HttpOnly; SameSite=Lax$/);
    const address = String(headers.location);
    expect(says(await person.agent.get(address))).toEqual([302, AFTER]);
    expect(says(await person.agent.get(address))).toEqual(DONE);
  });

  test('the address of the logout redirect alone, another request or an old cookie redirects nobody [3-3]', async () => {
    const { person, query } = await unhinted();
    const { headers } = await sendLogout(person, await openLogout(person, query));
    const address = String(headers.location);
    expect(says(await createPerson(site).agent.get(address))).toEqual(DONE);
    expect(says(await person.agent.get(`${address}&state=x`))).toEqual(DONE);
    // the attempts above did not use up the redirect
    await person.agent.head(address).expect(200);
    expect(says(await person.agent.get(address))).toEqual([302, AFTER]);
    await person.logIn();
    await sendLogout(person, await openLogout(person, query));
    letPass(61);
    expect(says(await person.agent.get(address))).toEqual(DONE);
  });

  test('a person who has logged in again is asked again at the logout redirect [2-2]', async () => {
    const { person, query } = await unhinted();
    const { headers } = await sendLogout(person, await openLogout(person, query));
    await person.logIn();
    expect(says(await person.agent.get(String(headers.location)))).toEqual(ASKS);
  });

  test('a person who declines the logout is redirected once, and asked at the next request', async () => {
    const { person, query } = await signedIn();
    const { headers } = await sendLogout(person, await openLogout(person, query), 'no');
    const address = String(headers.location);
    expect(says(await person.agent.get(address))).toEqual([302, `${AFTER}&state=x+y%26z`]);
    expect(says(await person.agent.get(address))).toEqual(ASKS);
    await sendLogout(person, await openLogout(person, query), 'no');
    await person.logIn('grace');
    expect(says(await person.agent.get(address))).toEqual(ASKS);
  });

  test('the logout redirect works at a site that destroys its session at logout', async () => {
    await using bare = await openSite({
      openid,
      mountLogin: (app, passport) => {
        app.use((req, _res, next) => {
          req.logout = ((done: (error?: Error) => void) => req.session.destroy(done)) as typeof req.logout;
          next();
        });
        mountDefaultLogin(app, passport);
      },
    });
    const { clientId } = await bare.client({ postLogoutRedirectUris: [AFTER] });
    const person = await logInPerson(bare);
    const page = await openLogout(person, { client_id: clientId, post_logout_redirect_uri: AFTER });
    expect(says(await answerLogout(person, page))).toEqual([302, AFTER]);
    expect(await isLoggedIn(person)).toBe(false);
  });

  test('the cookie of the logout redirect has the prefix __Host- with TLS (RFC 6265bis §4.1.3.2)', async () => {
    await using secure = await openSite({ openid, issuer: 'https://photos.example' });
    const person = await logInPerson(secure);
    const { headers } = await sendLogout(person, await openLogout(person));
    expect(String(headers['set-cookie'])).toMatch(/__Host-oauth-logout-[^;]*;[^,]*, [^,]*; Secure;/);
  });
});

test('§3.1 registration returns valid post_logout_redirect_uris, and refuses others [3.1-1]', async () => {
  const metadata = { client_name: 'Frame maker', redirect_uris: [REDIRECT_URI] };
  const { status, body } = await register(site, { ...metadata, post_logout_redirect_uris: [AFTER] });
  expect([status, body.post_logout_redirect_uris]).toEqual([201, [AFTER]]);
  for (const uri of ['javascript:alert(1)', 'http://print.example/', 'https://print.example/#x', 'x', ''])
    expect(await register(site, { ...metadata, post_logout_redirect_uris: [uri] })).toMatchObject(
      refusal(400, 'invalid_client_metadata'),
    );
});
