import { afterAll, describe, expect, it, jest } from '@jest/globals';
import { Passport, type PassportStatic } from 'passport';
import { Strategy } from 'passport-local';
import type { Response } from 'supertest';

import type { User } from '../../lib/index.js';
import { localLogin } from '../../lib/pages/login/local-login.js';
import { closePagesApps, type PagesApp, passwordOf, startPagesApp } from '../support/pages-app.js';
import { hiddenFields, pageAfter, postForm, returnPathOf } from '../support/person.js';
import { fixture } from '../support/site-for.js';
import { withoutDetail } from '../support/without-detail.js';

type Agent = ReturnType<PagesApp['agent']>;

const app = fixture(() => startPagesApp());
afterAll(closePagesApps);

/** The right fields for the form of a page. */
const right = (page: Response, name = 'ada') => ({
  ...hiddenFields(page),
  username: name,
  password: passwordOf(name),
});

/** Opens the login page in this browser or a new one and sends the form. */
async function attempt(fields: Record<string, unknown>, agent: Agent = app.agent()): Promise<Response> {
  const page = await agent.get('/login');
  return postForm(agent, '/login', { ...hiddenFields(page), ...fields });
}

/** The page after a refused login. */
async function refusedWith(fields: Record<string, unknown>): Promise<Response> {
  const agent = app.agent();
  return pageAfter(agent, await attempt(fields, agent));
}

const homeOf = async (agent: Agent) => (await agent.get('/')).text;
const sessionIn = (response: Response) =>
  /site\.sid=([^;]+)/.exec(response.get('Set-Cookie')?.join() ?? '')?.[1];

it('the logout page calls a user without names by another property', async () => {
  const grace = { id: 'id-of-grace', email: 'grace@example.com' } as unknown as User;
  const find = () => Promise.resolve(grace);
  const agent = (await startPagesApp({ localLogin: { users: { verify: find, findById: find } } })).agent();
  const page = await agent.get('/login');
  await postForm(agent, '/login', { ...hiddenFields(page), username: 'grace', password: 'of grace' }).expect(
    303,
  );
  expect((await agent.get('/logout').expect(200)).text).toContain('grace@example.com');
});

describe('the login page', () => {
  it('the login page has labels, autocomplete names and stable ids', async () => {
    const { text } = await app.agent().get('/login').expect(200);
    expect(text).toMatch(/<html lang="en" dir="ltr">/);
    expect(text).toMatch(/<form id="login-form" method="post" action="\/login"/);
    expect(text).toMatch(/<label for="username">/);
    expect(text).toMatch(/id="username" name="username"[^>]*autocomplete="username"/);
    expect(text).toMatch(/id="password" name="password"[^>]*autocomplete="current-password"/);
    expect(text).toMatch(/<button type="submit" class="eas-button" id="login-submit">/);
    expect(text).toMatch(/<button type="button"[^>]* id="password-toggle"[^>]* hidden>Show password</);
    expect(text.match(/<script[^>]*>/g)).toEqual([
      expect.stringMatching(/^<script src="\/login\/script-[0-9a-f]{16}\.js" defer>$/),
    ]);
    expect(text).not.toContain('style=');
  });

  it('the login page is neither framed nor cached, sends no referrer and has one script', async () => {
    const { headers } = await app.agent().get('/login');
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['x-frame-options']).toBe('DENY');
    expect(headers).not.toHaveProperty('permissions-policy');
    expect(headers['content-security-policy']).toBe(
      "default-src 'none';style-src 'self';img-src 'self';script-src 'self';connect-src 'self';base-uri 'none';frame-ancestors 'none';form-action 'self'",
    );
  });

  it('the policy of the login page allows redirects to the scheme of the waiting client', async () => {
    const to = encodeURIComponent('/oauth/authorize?client_id=a&redirect_uri=com.example.app%3A%2Fcb');
    const { headers } = await app.agent().get(`/login?return_to=${to}`);
    expect(headers['content-security-policy']).toMatch(/form-action 'self' com\.example\.app: https:$/);
  });

  it.each([
    ['ada@photos.example', 'ada@photos.example'],
    ['"><script>alert(1)</script>', '&#34;&gt;&lt;script&gt;alert(1)&lt;/script&gt;'],
    ['x'.repeat(201), ''],
  ])('the login page contains the login_hint %j', async (hint, displayed) => {
    const { text } = await app.agent().get('/login').query({ return_to: '/', login_hint: hint });
    expect(text).toContain(`name="username" value="${displayed}"`);
    expect(/<input[^>]* autofocus/.exec(text)?.[0]).toContain(
      displayed === '' ? 'id="username"' : 'id="password"',
    );
  });

  it('the login page redirects a person who is logged in', async () => {
    const ada = await app.personOf('ada');
    expect((await ada.get('/login?return_to=%2Falbum%3Fa%3D1').expect(303)).headers.location).toBe(
      '/album?a=1',
    );
    expect((await ada.get('/login').expect(303)).headers.location).toBe('/');
  });
});

describe('logging in', () => {
  it('a login leads back to the return path', async () => {
    const agent = app.agent();
    const page = await agent.get('/login').query({ return_to: '/oauth/authorize?client_id=a&state=x%20y' });
    const response = await postForm(agent, '/login', { ...right(page), username: 'ADA' });
    expect(response.status).toBe(303);
    expect(response.headers.location).toBe('/oauth/authorize?client_id=a&state=x%20y');
    expect(await homeOf(agent)).toMatch(/^home of /);
  });

  it('a login invalidates the earlier session id', async () => {
    const agent = app.agent();
    const page = await agent.get('/login');
    const before = sessionIn(page);
    const after = await postForm(agent, '/login', right(page));
    expect(before).toBeDefined();
    expect(sessionIn(after)).not.toBe(before);
    const attacker = app.agent();
    expect((await attacker.get('/').set('Cookie', `site.sid=${before}`)).text).toBe('nobody');
  });

  it('a wrong password and an unknown name get the same page, without WWW-Authenticate', async () => {
    const plain = ({ text }: Response, name: string) =>
      text.replace(/name="csrf_token" value="[^"]*"/, '').replace(name, 'NAME');
    const wrong = await refusedWith({ username: 'ada', password: 'wrong password' });
    const unknown = await refusedWith({ username: 'eve', password: 'wrong password' });
    expect(wrong.status).toBe(422);
    expect(wrong.headers['www-authenticate']).toBeUndefined();
    expect(plain(wrong, 'ada')).toBe(plain(unknown, 'eve'));
    expect(wrong.text).toMatch(/role="alert"[^>]*>The user name or the password is not right/);
  });

  it('a refused login shows the name, escaped, and never the password', async () => {
    const { text } = await refusedWith({
      username: '"><script>alert(1)</script>',
      password: 'my own password',
    });
    expect(text).toContain('value="&#34;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"');
    expect(text).not.toContain('my own password');
  });

  it.each([{ username: 'ada' }, { password: 'x' }, {}])(
    'an incomplete login is refused: %j',
    async (fields) => {
      expect((await refusedWith(fields)).status).toBe(422);
    },
  );

  it('a login ignores name and password in the URL', async () => {
    const agent = app.agent();
    const page = await agent.get('/login');
    const response = await postForm(
      agent,
      `/login?username=ada&password=${encodeURIComponent(passwordOf('ada'))}`,
      hiddenFields(page),
    );
    expect((await pageAfter(agent, response)).status).toBe(422);
  });
});

describe('a forged login', () => {
  it.each<[string, (fields: Record<string, string>) => Record<string, unknown>]>([
    ['no CSRF token', ({ csrf_token: _token, ...rest }) => rest],
    ['an empty CSRF token', (fields) => ({ ...fields, csrf_token: '' })],
    ['a made-up CSRF token', (fields) => ({ ...fields, csrf_token: 'f'.repeat(64) })],
    ['two CSRF tokens', (fields) => ({ ...fields, csrf_token: [fields.csrf_token, fields.csrf_token] })],
  ])('a login with %s is refused with a form that works', async (_what, forge) => {
    const agent = app.agent();
    const fields = hiddenFields(await agent.get('/login'));
    const response = await postForm(agent, '/login', {
      ...forge(fields),
      username: 'ada',
      password: passwordOf('ada'),
    });
    expect(response.status).toBe(403);
    expect(response.text).not.toContain('value="ada"');
    expect(await homeOf(agent)).toBe('nobody');
    await postForm(agent, '/login', right(response)).expect(303);
  });

  it('a login from another site, without the cookie, replaces no session', async () => {
    // without the cookie, because of SameSite=Lax
    const response = await postForm(app.agent(), '/login', {
      return_to: '/photos',
      username: 'grace',
      password: passwordOf('grace'),
    }).set('Sec-Fetch-Site', 'cross-site');
    expect([response.status, response.get('Location')]).toEqual([303, '/login?return_to=%2Fphotos']);
    expect(response.get('Set-Cookie')).toBeUndefined();
  });

  it('a login with the CSRF token of an attacker’s session is refused', async () => {
    const foreign = hiddenFields(await app.agent().get('/login'));
    const victim = app.agent();
    await victim.get('/login');
    await postForm(victim, '/login', { ...foreign, username: 'grace', password: passwordOf('grace') }).expect(
      403,
    );
    expect(await homeOf(victim)).toBe('nobody');
  });
});

describe('a return path outside the site', () => {
  const HOSTILE = [
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    'https://evil.example/',
    'javascript:alert(1)',
    '/..//evil.example',
    'evil',
    ' //evil.example',
    '/a\r\nSet-Cookie: x=1',
  ];

  it.each(HOSTILE)('the return path %j is ignored when the login page opens', async (to) => {
    const page = await app.agent().get('/login').query({ return_to: to }).expect(200);
    expect(returnPathOf(page)).toBe('/');
  });

  it.each(HOSTILE)('the return path %j is ignored when the login form is sent', async (to) => {
    const response = await attempt({ username: 'ada', password: passwordOf('ada'), return_to: to });
    expect(response.headers.location).toBe('/');
  });

  it('two return paths are ignored or refused', async () => {
    const ada = await app.personOf('ada');
    expect((await ada.get('/login?return_to=/a&return_to=//evil.example').expect(303)).headers.location).toBe(
      '/',
    );
    expect(
      (await attempt({ username: 'ada', password: passwordOf('ada'), return_to: ['/a', '/b'] })).status,
    ).toBe(400);
  });
});

describe('two tabs of one browser', () => {
  it('two tabs with two requests lead back to their requests', async () => {
    const agent = app.agent();
    const [first, second] = [
      await agent.get('/login?return_to=%2Foauth%2Fauthorize%3Fclient_id%3Da'),
      await agent.get('/login?return_to=%2Foauth%2Fauthorize%3Fclient_id%3Db'),
    ];
    const logIn = (page: Response) => postForm(agent, '/login', right(page));
    expect((await logIn(second)).headers.location).toBe('/oauth/authorize?client_id=b');
    // the form of the other tab is from before the login and is refused; its page says how to go on
    const late = await logIn(first);
    expect(late.status).toBe(403);
    expect(late.text).toContain('You are already logged in as <strong><bdi>Ada</bdi></strong>');
    expect(late.text).toContain('id="login-continue" href="/oauth/authorize?client_id=a"');
    // or a login as somebody else, from the same page
    expect((await postForm(agent, '/login', right(late, 'grace')).expect(303)).headers.location).toBe(
      '/oauth/authorize?client_id=a',
    );
    expect(await homeOf(agent)).toContain((await app.users.verify('grace', passwordOf('grace')))?.id);
  });

  it('two logouts in two tabs both succeed', async () => {
    const agent = await app.personOf('ada');
    const page = await agent.get('/logout');
    for (let times = 0; times < 2; times += 1) {
      expect((await postForm(agent, '/logout', hiddenFields(page)).expect(303)).headers.location).toBe('/');
    }
  });
});

describe('invalid logins', () => {
  it.each<[string, string, number]>([
    ['an operator for a name', 'username[$ne]=x&password=x', 422],
    ['operators for both', 'username[$gt]=&password[$gt]=', 422],
    ['the name twice', 'username=ada&username=eve&password=x', 400],
    ['the password twice', 'username=ada&password=a&password=b', 400],
    ['NUL in the name', 'username=ada%00&password=x', 422],
    ['NUL in the password', `username=eve&password=${encodeURIComponent('password of ada')}%00x`, 422],
    ['64 KB of password', `username=eve&password=${'x'.repeat(65_536)}`, 422],
    ['64 KB of name', `username=${'x'.repeat(65_536)}&password=x`, 422],
    ['1 MB', `username=${'x'.repeat(1_048_576)}`, 413],
    ['a broken percent-encoding', 'username=%zz&password=x', 400],
    ['invalid UTF-8', 'username=%ff%fe&password=x', 422],
    ['__proto__', '__proto__[user]=1&__proto__=2&username=eve&password=x', 422],
  ])('a login with %s is answered with %s', async (_what, body, status) => {
    const agent = app.agent();
    const { csrf_token: token } = hiddenFields(await agent.get('/login'));
    const response = await postForm(agent, '/login', `csrf_token=${token}&${body}`);
    expect((await pageAfter(agent, response)).status).toBe(status);
    expect(await homeOf(agent)).toBe('nobody');
  });

  it.each(['application/json', 'multipart/form-data; boundary=x', 'text/plain'])(
    'a login with a body of %s is refused',
    async (type) => {
      await app
        .agent()
        .post('/login')
        .set('Content-Type', type)
        .send('{"username":{"$ne":""},"password":{"$ne":""}}')
        .expect(400);
    },
  );

  it.each(['/login?return_to=%', '/login?return_to=%ff'])('GET %s gets no server error', async (path) => {
    expect((await app.agent().get(path)).status).toBeLessThan(500);
  });
});

describe('guessing passwords', () => {
  it('ten wrong passwords block a user name in any spelling, and no other name', async () => {
    const guessed = await startPagesApp();
    const agent = guessed.agent();
    const guess = async (username: string, password: string) => {
      const page = await agent.get('/login');
      return postForm(agent, '/login', { ...hiddenFields(page), username, password });
    };
    for (const username of ['ada', 'ADA', ' ada ', 'Ada', '\uff21da', 'ada', 'ada', 'ada', 'ada', 'ada'])
      expect((await guess(username, 'wrong')).headers.location).toBe('/login?return_to=%2F');
    const refused = await guess('aDa', passwordOf('ada'));
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(refused.text).toContain('Too many tries');
    expect((await guess('grace', passwordOf('grace'))).headers.location).toBe('/');
  });

  it('simultaneous guesses do not exceed the limit', async () => {
    const guessed = await startPagesApp({ security: { rateLimits: { login: 5 } } });
    const verify = jest.spyOn(guessed.users, 'verify');
    const agent = guessed.agent();
    const fields = hiddenFields(await agent.get('/login'));
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        postForm(agent, '/login', { ...fields, username: 'ada', password: `guess number ${index}` }),
      ),
    );
    expect(verify).toHaveBeenCalledTimes(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(25);
  });

  it('wrong passwords for a hundred names block an address', async () => {
    const guessed = await startPagesApp({ security: { rateLimits: { login: 1 } } });
    const agent = guessed.agent();
    const fields = hiddenFields(await agent.get('/login'));
    const guess = async (username: string) =>
      (await postForm(agent, '/login', { ...fields, username, password: 'password1' })).status;
    for (let index = 0; index < 10; index += 1) expect(await guess(`name${index}`)).toBe(303);
    expect(await guess('another')).toBe(429);
  });
});

describe('logging out', () => {
  it('a logout needs a form, which the link shows', async () => {
    const ada = await app.personOf('ada');
    const page = await ada.get('/logout').expect(200);
    expect(await homeOf(ada)).toMatch(/^home of /);
    await postForm(ada, '/logout', {}).expect(403);
    expect(await homeOf(ada)).toMatch(/^home of /);
    expect((await postForm(ada, '/logout', hiddenFields(page)).expect(303)).headers.location).toBe('/');
    expect(await homeOf(ada)).toBe('nobody');
  });

  it('a logout invalidates the session id', async () => {
    const agent = app.agent();
    const session = sessionIn(await attempt({ username: 'ada', password: passwordOf('ada') }, agent));
    await postForm(agent, '/logout', hiddenFields(await agent.get('/logout'))).expect(303);
    expect((await app.agent().get('/').set('Cookie', `site.sid=${session}`)).text).toBe('nobody');
  });

  it('a logout succeeds even if people.id fails', async () => {
    let isBroken = false;
    const id = (user: Express.User) => (isBroken ? '' : (user as User).id);
    const agent = await (await startPagesApp({ people: { id } })).personOf('ada');
    const page = await agent.get('/logout').expect(200);
    isBroken = true;
    await postForm(agent, '/logout', hiddenFields(page)).expect(500);
    isBroken = false;
    expect(await homeOf(agent)).toBe('nobody');
  });

  it('the logout page redirects a visitor without a session', async () => {
    await app.agent().get('/logout').expect(303);
  });
});

describe('failures of the site', () => {
  it('a session of a deleted user is ended', async () => {
    const doomed = await app.users.create({ username: 'doomed', password: passwordOf('doomed') });
    const agent = await app.personOf('doomed');
    await app.database.collection('oauth_users').deleteOne({ username: doomed.username });
    expect(await homeOf(agent)).toBe('nobody');
  });

  it('a login without a database is answered with 503 at once', async () => {
    const stranded = await startPagesApp();
    const agent = stranded.agent();
    const fields = hiddenFields(await agent.get('/login'));
    await stranded.database.connection.close();
    const response = await postForm(agent, '/login', {
      ...fields,
      username: 'ada',
      password: passwordOf('ada'),
    });
    expect(response.status).toBe(503);
    expect(response.headers['retry-after']).toBe('5');
    expect(response.text).toContain('Please try again in a moment');
    await stranded.database.connection.openUri(stranded.database.uri);
    await postForm(agent, '/login', { ...fields, username: 'ada', password: passwordOf('ada') }).expect(303);
  });

  it('a missing session is a server error that tells only the host what to do', async () => {
    const bare = await startPagesApp({ withSession: false });
    const { text } = await bare.agent().get('/login').expect(500);
    expect(withoutDetail(text)).not.toContain('express-authorization-server');
    expect(String(bare.errors.at(-1)?.cause)).toContain('app.use(session(');
  });

  it('localLogin throws for wrong options', () => {
    expect(() => localLogin({ passport: undefined as never, users: app.users })).toThrow(
      'the option passport',
    );
    expect(() =>
      localLogin({ passport: { use: () => undefined } as unknown as PassportStatic, users: {} as never }),
    ).toThrow('the option users');
    const users = { verify: () => Promise.resolve(null), findById: () => Promise.resolve(null) };
    expect(() => localLogin({ passport: new Passport() as PassportStatic, users })).toThrow(
      'the option oauth is missing',
    );
  });

  it('localLogin replaces its earlier strategy, and none of the host', () => {
    const passport = new Passport() as PassportStatic;
    passport.use(new Strategy((_username, _password, done) => done(null, { id: 'ada' })));
    const mount = () => localLogin({ passport, users: app.users });
    expect(mount).toThrow("passport has a strategy 'local' already");
    passport.unuse('local');
    expect(mount).not.toThrow();
    expect(mount).not.toThrow();
  });
});
