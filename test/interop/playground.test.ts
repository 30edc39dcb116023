import { describe, expect, test } from '@jest/globals';
import { UnsecuredJWT } from 'jose';

import { createRun, depart, exchange } from '../../example-app/playground/runs.js';
import { createSecrets } from '../../example-app/playground/secrets.js';
import { createPlaygroundSessions, type PlaygroundSession } from '../../example-app/playground/sessions.js';
import { openAccessToken } from '../../example-app/playground/token.js';
import { fixture } from '../support/site-for.js';
import { startExample } from './support/example.js';
import { logIn, openLoggedInBrowser } from './support/flows.js';
import { type BrowserPage, createHttpBrowser, type HttpBrowser } from './support/http-browser.js';

/** Any usable credential: tokens, codes, secrets, also in a Basic header. */
const SECRETS = /eas_(at|rt|ac)_[\w-]{20,}|demo-secret|correct-horse|CARD-[\w-]{10}|Basic [\w+/]{10}/;

const example = fixture(() => startExample({ environment: { RATE_LIMITS: 'off' } }));

const open = (browser: HttpBrowser, flow: string) => browser.open(`${example.issuer}/playground/${flow}`);
const csrfTokenOf = ({ text }: BrowserPage) => /name="csrf_token" value="([^"]+)"/.exec(text)?.[1] ?? '';

/** Presses the button of a step, as a browser without JavaScript does. */
async function press(
  browser: HttpBrowser,
  page: BrowserPage,
  step: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<BrowserPage> {
  const [, flow = ''] = /^\/playground\/([\w-]+)/.exec(page.url.pathname) ?? [];
  const form = `<form id="step" action="/playground/${flow}/${step}"></form>`;
  return browser.submit({ ...page, text: form }, 'step', {
    fields: { csrf_token: csrfTokenOf(page), scope: 'photos:read', ...fields },
  });
}

/** All the way to the code, with the login and the consent if needed. */
async function askForPermission(
  browser: HttpBrowser,
  flow: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<BrowserPage> {
  let page = await press(browser, await open(browser, flow), 'authorize', fields);
  if (page.url.pathname === '/login') page = await logIn(browser, page);
  if (page.text.includes('id="consent-form"'))
    page = await browser.submit(page, 'consent-form', { button: 'consent-allow' });
  return page;
}

describe('secrets', () => {
  test.each(['authorization-code', 'refresh-token'])(
    'the playground page of %s shows secrets on request, and of one exchange only',
    async (flow) => {
      const browser = createHttpBrowser();
      await askForPermission(browser, flow);
      if (flow === 'authorization-code') await press(browser, await open(browser, flow), 'check');
      await press(browser, await open(browser, flow), 'redeem');
      const page = await press(browser, await open(browser, flow), 'open');
      expect(page.text).toContain('••• access token 1');
      expect(page.text).not.toMatch(SECRETS);

      const displayed = await browser.open(`${example.issuer}/playground/${flow}?show=2`);
      const [before = '', second = '', after = ''] = displayed.text
        .split(/(?=<details class="exchange)/)
        .slice(1);
      expect(second).toMatch(/eas_at_[\w-]{20,}/);
      expect(second).toMatch(/eas_rt_[\w-]{20,}/);
      expect(second).toMatch(/eas_ac_[\w-]{20,}/);
      expect(before + after).not.toMatch(SECRETS);
      expect((await open(browser, flow)).text).not.toMatch(SECRETS);
    },
  );

  test('a typed password is masked in the playground, and not written back into its field', async () => {
    const browser = createHttpBrowser();
    for (const password of ['correct-horse-battery', 'x%&=y', '<b>']) {
      const page = await press(browser, await open(browser, 'password'), 'type', {
        username: 'ada',
        password,
      });
      expect(page.text).toContain('••• password');
      for (const text of [password, encodeURIComponent(password), '&lt;b&gt;'])
        expect(page.text).not.toContain(text);
    }
  });

  test('a secret is masked in any text of the playground', () => {
    const secrets = createSecrets();
    secrets.learn('access_token', 'secret-of-ada-1');
    expect(secrets.cut('a secret-of-ada-1, secret-of-ada-1')).toEqual([
      { text: 'a ' },
      { text: 'secret-of-ada-1', secret: 'access token 1' },
      { text: ', ' },
      { text: 'secret-of-ada-1', secret: 'access token 1' },
    ]);
  });
});

describe('a decoded access token', () => {
  test('the playground decodes a JWT, and calls any other token opaque', () => {
    const jwt = new UnsecuredJWT({ sub: 'ada' }).encode();
    expect(openAccessToken(jwt)).toEqual({
      isJwt: true,
      header: expect.stringContaining('"alg"'),
      claims: expect.stringContaining('"sub": "ada"'),
    });
    for (const token of ['eas_at_abc', 'a.b.c', '']) expect(openAccessToken(token)).toEqual({ isJwt: false });
  });
});

describe('attacks on the playground', () => {
  test('a visitor of the playground sees no exchanges of another one', async () => {
    const mine = createHttpBrowser();
    await press(mine, await open(mine, 'client-credentials'), 'ask');
    const other = await openLoggedInBrowser(example.issuer);
    const page = await other.open(`${example.issuer}/playground/client-credentials?show=1`);
    expect(page.text).toContain('Nobody has said anything yet');
    expect(page.text).not.toMatch(SECRETS);
  });

  test('a form of another site does nothing in the playground', async () => {
    const browser = createHttpBrowser();
    const page = await open(browser, 'client-credentials');
    for (const csrf_token of ['', csrfTokenOf(await open(createHttpBrowser(), 'client-credentials'))]) {
      expect((await press(browser, page, 'ask', { csrf_token })).status).toBe(403);
    }
    expect((await open(browser, 'client-credentials')).text).toContain('Nobody has said anything yet');
  });

  test.each([
    ["with another visitor's state", 'state=wrong&code=eas_ac_stolen', 'What the client received'],
    ['without a state', 'code=eas_ac_stolen', 'What the client received'],
    ['with the state twice', 'state=STATE&state=STATE&code=eas_ac_stolen', 'What the client received'],
    [
      'of another server',
      'state=STATE&code=eas_ac_stolen&iss=https%3A%2F%2Fevil.example',
      'not from the photo site',
    ],
  ])('the playground refuses an answer %s', async (_name, query, expected) => {
    const browser = createHttpBrowser({ stopAt: `${example.issuer}/login` });
    const login = await press(browser, await open(browser, 'authorization-code'), 'authorize');
    const state =
      login.visited.find(({ pathname }) => pathname === '/oauth/authorize')?.searchParams.get('state') ?? '';
    const page = await browser.open(
      `${example.issuer}/playground/callback?${query.replaceAll('STATE', state)}`,
    );
    expect(page.text).toContain(expected);
    expect((await open(browser, 'authorization-code')).text).toContain('There is no code yet.');
  });

  test("the playground refuses another visitor's token in the address (implicit)", async () => {
    const browser = createHttpBrowser();
    const page = await browser.open(`${example.issuer}/playground/implicit-callback`);
    const answer = await browser.submit(page, 'implicit-form', {
      fields: {
        fragment: `access_token=eas_at_evil&state=guessed&iss=${encodeURIComponent(example.issuer)}`,
      },
    });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('not for you')]);
  });

  test('typed input is text on the playground page and drawing', async () => {
    const browser = createHttpBrowser();
    const evil = `photos:read"><script>alert(1)</script><img src=x onerror=alert(1)>`;
    const page = await press(browser, await open(browser, 'client-credentials'), 'ask', { scope: evil });
    expect(page.text).toContain('&lt;script&gt;');
    expect(page.text.match(/<script/g)).toHaveLength(1);
    expect(page.text).not.toContain('<img src=x');
    expect((await askForPermission(browser, 'authorization-code', { scope: evil })).text).not.toContain(
      '<script>',
    );
  });

  test.each(['/playground/nothing', '/playground/__proto__', '/playground/constructor'])(
    'the playground answers 404 for %s',
    async (path) => {
      expect((await fetch(example.issuer + path)).status).toBe(404);
    },
  );

  test("the playground's steps are in order, and continue only after a checked answer", async () => {
    const browser = createHttpBrowser();
    const page = await askForPermission(browser, 'authorization-code');
    const steps = [...page.text.matchAll(/<li class="step[^"]*" id="([^"]+)"/g)].map(([, id]) => id);
    expect(steps).toEqual([
      'authorize',
      'check',
      'forge-state',
      'forge-iss',
      'steal',
      'redeem',
      'use',
      'open',
      'elsewhere',
      'replay',
    ]);
    const marks = [...page.text.matchAll(/class="mark" aria-hidden="true">(\d+)</g)].map(([, mark]) =>
      Number(mark),
    );
    expect(marks).toEqual(steps.map((_, index) => index + 1));
    expect((await press(browser, page, 'redeem')).text).toContain('Check first whether the answer is yours.');
    const checked = await press(browser, page, 'check');
    expect(checked.text).toContain(`iss: ${example.issuer}, whom the playground has asked.`);
    for (const [step, reason] of [
      ['forge-state', 'the state is none that the playground has sent'],
      ['forge-iss', 'its iss is https://thief.example'],
      ['elsewhere', 'The attack was refused: 400, with a page of the photo site'],
      ['steal', 'The attack was refused: 400 invalid_grant.'],
    ] as const) {
      const tried = await press(browser, page, step);
      expect(tried.text).toContain(reason);
      expect(tried.text).not.toContain('NOT refused');
    }
    // none of them has used the code up
    const redeemed = await press(browser, page, 'redeem');
    expect(redeemed.text).toContain('200 two tokens');
    expect(redeemed.text).not.toMatch(SECRETS);
  });

  test('an unknown or premature step of the playground does nothing', async () => {
    const browser = createHttpBrowser();
    const page = await open(browser, 'authorization-code');
    expect((await press(browser, page, 'constructor')).status).toBe(404);
    expect((await press(browser, page, 'redeem')).text).toContain('Nobody has said anything yet');
    expect((await press(browser, page, 'replay')).text).toContain('Nobody has said anything yet');
  });
});

describe('the memory of the playground', () => {
  test('a run of the playground keeps the newest exchanges', async () => {
    const run = createRun();
    const request = {
      method: 'GET' as const,
      url: new URL('/.well-known/oauth-authorization-server', example.issuer),
    };
    for (let i = 0; i < 30; i += 1)
      await exchange(run, { step: 's', title: 't', from: 'client', to: 'server', request });
    expect(run.exchanges.map(({ number }) => number)).toEqual(
      Array.from({ length: 24 }, (_, index) => index + 7),
    );
  });

  test('a run of the playground keeps the beginning of a long text', () => {
    const run = createRun();
    depart(
      run,
      { step: 's', title: 't' },
      new URL(`/oauth/authorize?state=${'x'.repeat(50_000)}`, example.issuer),
    );
    expect(JSON.stringify(run.exchanges).length).toBeLessThan(10_000);
  });

  test('the playground keeps the latest visitors, by number and by size', () => {
    const respond = () => ({ locals: {}, cookie: () => undefined }) as never;
    const enter = (sessions: ReturnType<typeof createPlaygroundSessions>): PlaygroundSession =>
      sessions.open({ headers: {} } as never, respond());
    const find = (sessions: ReturnType<typeof createPlaygroundSessions>, { id }: PlaygroundSession) =>
      sessions.find({ headers: { cookie: `playground.sid=${id}` } } as never);

    const few = createPlaygroundSessions(false, { sessions: 2, size: 1_000_000, ttl: 60_000 });
    const visitors = [enter(few), enter(few), enter(few)];
    expect(visitors.map((session) => find(few, session) !== undefined)).toEqual([false, true, true]);

    const small = createPlaygroundSessions(false, { sessions: 100, size: 20_000, ttl: 60_000 });
    const talkers = [enter(small), enter(small), enter(small)];
    for (const session of talkers) {
      const run = createRun();
      depart(
        run,
        { step: 's', title: 't' },
        new URL(`/oauth/authorize?state=${'x'.repeat(4000)}`, example.issuer),
      );
      session.runs.set('flow', run);
      small.keep(session);
    }
    expect(talkers.map((session) => find(small, session) !== undefined)).toEqual([false, true, true]);
  });

  test('a visitor with too many requests to the playground in a minute gets 429', async () => {
    await using limited = await startExample();
    const statuses = await Promise.all(
      Array.from({ length: 80 }, async () => (await fetch(`${limited.issuer}/playground/device`)).status),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(60);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20);
  });
});

describe('a JWT for another API', () => {
  test("the playground shows a JWT's claims and checks its signature; it is valid nowhere else", async () => {
    const browser = createHttpBrowser();
    await askForPermission(browser, 'jwt', { scope: 'albums:read' });
    const redeemed = await press(browser, await open(browser, 'jwt'), 'redeem');
    expect(redeemed.text).toContain('200 two tokens');
    const used = await press(browser, redeemed, 'use');
    expect(used.text).toContain('Mountains, mostly from below');
    const opened = await press(browser, used, 'open');
    const claims = /<pre id="jwt-claims">([^<]*)</.exec(opened.text)?.[1]?.replaceAll('&#34;', '"') ?? '';
    expect(JSON.parse(claims)).toMatchObject({
      iss: example.issuer,
      aud: example.albumUrl,
      name: 'Ada Lovelace',
      scope: 'albums:read',
    });
    expect(opened.text).toContain('&#34;typ&#34;: &#34;at+jwt&#34;');
    expect(opened.text).toContain('The signature is right');
    for (const attack of ['other-api', 'tamper'])
      expect((await press(browser, opened, attack)).text).toContain(
        'The attack was refused: 401 invalid_token.',
      );
    const page = await open(browser, 'jwt');
    expect(page.text).not.toContain('NOT refused');
    expect(page.text).not.toMatch(/eyJ[\w-]{20,}/);
  });
});

describe('the logout from the playground', () => {
  test("a logout from the playground needs a confirmation, and refuses a thief's parameters", async () => {
    const browser = createHttpBrowser();
    const scope = { scope: 'openid profile' };
    await askForPermission(browser, 'sign-in', scope);
    expect((await press(browser, await open(browser, 'sign-in'), 'log-out')).text).toContain(
      'There is no ID token yet.',
    );
    let page = await press(browser, await open(browser, 'sign-in'), 'redeem');
    for (const step of ['logout-elsewhere', 'logout-forged']) {
      page = await press(browser, page, step);
      expect(page.text).toContain('The attack was refused: 400, with a page of the photo site’s own.');
      expect(page.text).not.toContain('The attack was NOT refused.');
    }
    expect((await browser.open(`${example.issuer}/oauth/authorizations`)).status).toBe(200);

    const requested = await press(browser, page, 'log-out');
    expect([requested.url.pathname, requested.status]).toEqual(['/oauth/end_session', 200]);
    expect(requested.text).toContain('Playground (sign-in)');
    const state = requested.url.searchParams.get('state') ?? '';
    // a forged answer, and one for another visitor, change nothing
    const forged = await browser.open(`${example.issuer}/playground/logged-out?state=made-up`);
    const others = await createHttpBrowser().open(`${example.issuer}/playground/logged-out?state=${state}`);
    expect([forged.status, others.status]).toEqual([400, 400]);
    expect((await open(browser, 'sign-in')).text).not.toContain('Your browser is back');

    const back = await browser.submit(requested, 'end-session-form', { button: 'end-session-yes' });
    expect(back.visited.map(({ pathname }) => pathname).join(' ')).toBe(
      '/oauth/end_session /oauth/end_session /playground/logged-out /playground/sign-in',
    );
    expect(back.text).toContain('Your browser is back, with the state that the playground has sent.');
    expect(back.text).toContain('••• ID token 1');
    expect(back.text).not.toMatch(/eyJ[\w-]+\.eyJ/);
    const { pathname } = (await browser.open(`${example.issuer}/oauth/authorizations`)).url;
    expect(pathname).toBe('/login');
    // a state works for one answer
    expect((await browser.open(back.visited[2] ?? '')).status).toBe(400);
  });
});

describe('a registered client of the visitor', () => {
  const register = async (fields: Readonly<Record<string, unknown>>) => {
    const response = await fetch(`${example.issuer}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        client_name: 'Of my own',
        grant_types: ['authorization_code', 'refresh_token'],
        redirect_uris: [`${example.issuer}/playground/callback`],
        ...fields,
      }),
    });
    return (await response.json()) as { client_id: string; client_secret?: string };
  };

  test.each([
    ['confidential', { token_endpoint_auth_method: 'client_secret_basic' }],
    ['public', { token_endpoint_auth_method: 'none' }],
  ])("the playground runs a visitor's client with additional parameters: %s", async (_type, fields) => {
    const { client_id, client_secret = '' } = await register(fields);
    const browser = createHttpBrowser();
    const page = await askForPermission(browser, 'own', {
      client_id,
      client_secret,
      parameters: 'prompt=consent&ui_locales=de&state=mine&client_id=other&request=x',
    });
    const requested = [...page.visited].find(({ pathname }) => pathname === '/playground/callback')!;
    expect([...requested.searchParams.keys()].sort()).toEqual(['code', 'iss', 'state']);
    expect(requested.searchParams.get('state')).not.toBe('mine');
    expect((await press(browser, page, 'redeem')).text).toContain('200 two tokens');
    expect((await press(browser, page, 'use')).text).toContain(client_id);
    const refreshed = await press(browser, page, 'refresh');
    expect(refreshed.text).toContain('Your client refreshes its tokens');
    if (client_secret !== '') expect(refreshed.text).not.toContain(client_secret);
    expect(refreshed.text).not.toMatch(SECRETS);
  });

  test("the playground reports a visitor's wrong secret, and does not store it", async () => {
    const { client_id } = await register({});
    const browser = createHttpBrowser();
    const wrong = 'a-secret-that-is-wrong';
    const page = await askForPermission(browser, 'own', { client_id, client_secret: wrong });
    const refused = await press(browser, page, 'redeem');
    expect(refused.text).toContain('401 invalid_client');
    expect(refused.text).not.toContain(wrong);
  });
});

describe('a link to a run of the playground', () => {
  const linkOf = ({ text }: BrowserPage) =>
    /id="share" href="([^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');

  test('a link to a run has the typed parameters and no secret, whichever field it was in', async () => {
    const browser = createHttpBrowser({ stopAt: `${example.issuer}/oauth/authorize` });
    expect(linkOf(await open(browser, 'own'))).toBeUndefined();
    await press(browser, await open(browser, 'own'), 'authorize', {
      client_id: 'my-app',
      client_secret: 'never-in-a-link',
      scope: 'photos:read',
      parameters: 'prompt=consent&client_secret=never-in-a-link& access_token=never-in-a-link&ui_locales=de',
    });
    const link = linkOf(await open(browser, 'own'))!;
    expect(link).not.toContain('never');
    expect([...new URL(link, example.issuer).searchParams]).toEqual([
      ['client_id', 'my-app'],
      ['scope', 'photos:read'],
      ['parameters', 'prompt=consent&ui_locales=de'],
    ]);

    // another visitor opens it
    const page = await createHttpBrowser().open(new URL(link, example.issuer));
    expect(page.text).toContain('name="client_id" type="text" value="my-app"');
    expect(page.text).toContain('value="prompt=consent&amp;ui_locales=de"');
    expect(page.text).toContain('Nobody has said anything yet');
  });

  test('a link to a run fills in no secret, only the first step, and runs nothing', async () => {
    const evil = `"><script>alert(1)</script>`;
    const query = new URLSearchParams({ client_secret: 'planted', client_id: evil, password: 'planted' });
    for (const flow of ['own', 'password']) {
      const page = await createHttpBrowser().open(`${example.issuer}/playground/${flow}?${query.toString()}`);
      expect(page.status).toBe(200);
      expect(page.text).not.toContain('planted');
      expect(page.text.match(/<script/g)).toHaveLength(1);
    }
  });
});

describe('grants', () => {
  test('a gift card of the playground needs a login, and works once', async () => {
    const browser = createHttpBrowser();
    let page = await press(browser, await open(browser, 'gift-card'), 'give');
    expect(page.url.pathname).toBe('/login');
    page = await logIn(browser, page);
    expect(page.url.pathname).toBe('/playground/gift-card');
    await press(browser, page, 'give');
    await press(browser, await open(browser, 'gift-card'), 'present');
    page = await press(browser, await open(browser, 'gift-card'), 'again');
    expect(page.text).toContain('The attack was refused: 400 invalid_grant.');
    expect(page.text).not.toMatch(SECRETS);
  });

  test('the device flow of the playground shows a code, or what the server lacks for it', async () => {
    const metadata = (await (
      await fetch(`${example.issuer}/.well-known/oauth-authorization-server`)
    ).json()) as Record<string, unknown>;
    const browser = createHttpBrowser();
    const page = await open(browser, 'device');
    if (metadata.device_authorization_endpoint === undefined)
      return expect(page.text).toContain('device_authorization_endpoint');
    const begun = await press(browser, page, 'begin');
    expect(begun.text).toMatch(/The device shows: \w{4}-\w{4}/);
    expect(begun.text).toContain('••• device code 1');
    const requested = await press(browser, begun, 'poll');
    expect(requested.text).toContain('authorization_pending');
  });
});
