import { beforeEach, describe, expect, it } from '@jest/globals';
import type { RequestHandler } from 'express';
import helmet from 'helmet';
import request from 'supertest';

import { openPagesSite } from '../support/pages-site.js';
import { openSite, REDIRECT_URI } from '../support/site.js';
import { fixture } from '../support/site-for.js';

const NAME = 'content-security-policy';
const POLICY = "default-src 'self';form-action 'self';script-src 'self' 'sha256-abc='";
const WIDENED = POLICY.replace("form-action 'self'", "form-action 'self' https://print.example");

/** The site's own: what comes before the middleware, and the login page. */
let before: RequestHandler;
let page: RequestHandler;
const site = fixture(() =>
  openSite({
    mountLogin(app) {
      app.use((req, res, next) => before(req, res, next));
      app.use(
        '/login',
        (req, res, next) => site.oauth.loginPage(req, res, next),
        (req, res, next) => page(req, res, next),
      );
    },
  }),
);
const client = fixture(() => site.client());
beforeEach(() => {
  before = (_req, res, next) => {
    res.setHeader('Content-Security-Policy', POLICY);
    next();
  };
  page = (_req, res) => void res.send('<form method="post"></form>');
});

const pathOf = (query: Record<string, string> = {}, path = '/oauth/authorize') =>
  `${path}?${new URLSearchParams({ response_type: 'code', client_id: client.clientId, ...query }).toString()}`;
const open = (returnTo: string, parameter = 'return_to') =>
  request(site.server)
    .get('/login')
    .query({ [parameter]: returnTo });
const policyAt = async (returnTo: string) => (await open(returnTo).expect(200)).headers[NAME] as string;

describe('a login page whose forms may lead to the client that waits', () => {
  it('of a policy that helmet has set, nothing but form-action changes', async () => {
    expect(await policyAt(pathOf())).toBe(WIDENED);
    before = helmet();
    const plain = (await request(site.server).get('/login')).headers[NAME] as string;
    expect(plain).toContain(";form-action 'self';");
    expect(await policyAt(pathOf({ redirect_uri: REDIRECT_URI }))).toBe(
      plain.replace("form-action 'self'", "form-action 'self' https://print.example"),
    );
  });

  it('the policy may be set behind it, by setHeader or by writeHead', async () => {
    before = (_req, _res, next) => next();
    page = (_req, res) => void res.setHeader('Content-Security-Policy', POLICY).end();
    expect(await policyAt(pathOf())).toBe(WIDENED);
    page = (_req, res) => void res.writeHead(200, { 'content-security-policy': POLICY }).end();
    expect(await policyAt(pathOf())).toBe(WIDENED);
  });

  it('each of several policies is widened, and one that only reports is not', async () => {
    before = (_req, res, next) => {
      res.append('Content-Security-Policy', [POLICY, "form-action 'self'"]);
      res.setHeader('Content-Security-Policy-Report-Only', POLICY);
      next();
    };
    const { headers } = await open(pathOf());
    expect(headers[NAME]).toBe(`${WIDENED}, form-action 'self' https://print.example`);
    expect(headers['content-security-policy-report-only']).toBe(POLICY);
  });

  it('where there is no policy none is made', async () => {
    before = (_req, _res, next) => next();
    expect((await open(pathOf()).expect(200)).headers).not.toHaveProperty(NAME);
  });

  it('by the cookie that keeps the way back, after a mistake without return_to; by any name of the parameter', async () => {
    const agent = request.agent(site.server);
    await agent.get(pathOf()).expect(302);
    expect((await agent.get('/login')).headers[NAME]).toBe(WIDENED);
    expect((await agent.post('/login')).headers[NAME]).toBe(WIDENED);
    expect((await request(site.server).get('/login')).headers[NAME]).toBe(POLICY);
    expect((await open(pathOf(), 'next')).headers[NAME]).toBe(WIDENED);
  });

  it.each([
    ['https://app.example:8443/cb?x=1', 'https://app.example:8443'],
    ['com.example.app:/cb', 'com.example.app:'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:*'],
    ['http://localhost:3000/cb', 'http://localhost:*'],
  ])('a client that is registered at %s: %s', async (redirectUri, source) => {
    const native = await site.client({ type: 'public', redirectUris: [redirectUri] });
    const path = pathOf({ client_id: native.clientId, redirect_uri: redirectUri });
    expect(await policyAt(path)).toBe(POLICY.replace("form-action 'self'", `form-action 'self' ${source}`));
  });

  it('a port of this machine that was free is the client’s as well (RFC 8252 §7.3)', async () => {
    const { clientId: id } = await site.client({ type: 'public', redirectUris: ['http://127.0.0.1/cb'] });
    const path = pathOf({ client_id: id, redirect_uri: 'http://127.0.0.1:50123/cb' });
    expect(await policyAt(path)).toContain("form-action 'self' http://127.0.0.1:*;");
  });

  it.each(['http://[::1]/cb', 'https://[2001:db8::1]/cb'])(
    'CSP has no word for %s, and a wider one is not taken',
    async (redirectUri) => {
      const { clientId: id } = await site.client({ redirectUris: [redirectUri] });
      expect(await policyAt(pathOf({ client_id: id }))).toBe(POLICY);
    },
  );
});

describe('the headers of a login page', () => {
  const headersAt = async (path: string) => {
    const { headers } = await request(site.server).get(path).expect(200);
    return [headers['x-frame-options'], headers['referrer-policy'], headers['x-content-type-options']];
  };

  it.each<[string, Record<string, string>, (string | undefined)[]]>([
    ['are set where the site sets none', {}, ['SAMEORIGIN', 'strict-origin-when-cross-origin', 'nosniff']],
    [
      'stay as the site sets them',
      { 'X-Frame-Options': 'DENY', 'Referrer-Policy': 'no-referrer' },
      ['DENY', 'no-referrer', 'nosniff'],
    ],
    [
      'leave frames to a policy that speaks of them',
      { 'Content-Security-Policy': "form-action 'self'; frame-ancestors https://portal.example" },
      [undefined, 'strict-origin-when-cross-origin', 'nosniff'],
    ],
    [
      'do not change what is no page',
      { 'Content-Type': 'application/javascript' },
      ['SAMEORIGIN', 'strict-origin-when-cross-origin', undefined],
    ],
  ])('%s, whether a client waits or not', async (_what, headers, desired) => {
    before = (_req, _res, next) => next();
    page = (_req, res) => void res.set(headers).end();
    if (headers['Content-Type'] === undefined) page = (_req, res) => void res.set(headers).send('<form>');
    expect(await headersAt('/login')).toEqual(desired);
    expect(await headersAt(`/login?return_to=${encodeURIComponent(pathOf())}`)).toEqual(desired);
  });
});

describe('an attacker widens nothing', () => {
  it.each<[string, () => string]>([
    ['an address that is not registered', () => pathOf({ redirect_uri: 'https://evil.example/cb' })],
    ['one that begins alike', () => pathOf({ redirect_uri: `${REDIRECT_URI}.evil.example` })],
    ['all of https', () => pathOf({ redirect_uri: 'https:' })],
    ['another directive', () => pathOf({ redirect_uri: 'https://a.example; script-src *' })],
    ['javascript:', () => pathOf({ redirect_uri: 'javascript:alert(1)' })],
    ['a client that there is not', () => pathOf({ client_id: 'nobody', redirect_uri: REDIRECT_URI })],
    ['no client', () => `/oauth/authorize?redirect_uri=${encodeURIComponent('https://evil.example/cb')}`],
    ['two clients', () => `${pathOf()}&client_id=other`],
    ['another page', () => pathOf({}, '/elsewhere')],
    ['another site', () => `https://evil.example${pathOf()}`],
    ['another host', () => `//evil.example${pathOf()}`],
  ])('by a return_to with %s', async (_what, returnTo) => {
    expect(await policyAt(returnTo())).toBe(POLICY);
  });

  it('by a cookie that somebody has planted', async () => {
    const end = Math.floor(Date.now() / 1000) + 300;
    const planted = (path: string) =>
      request(site.server).get('/login').set('Cookie', `oauth-way-back=${end}.${path}`);
    // what the cookie names is checked like the address
    expect((await planted(pathOf())).headers[NAME]).toBe(WIDENED);
    for (const path of [
      pathOf({ redirect_uri: 'https://evil.example/cb' }),
      `https://evil.example${pathOf()}`,
      pathOf({ client_id: 'https://evil.example' }),
    ])
      expect((await planted(path)).headers[NAME]).toBe(POLICY);
  });
});

describe('the bundled login page', () => {
  const pages = fixture(() => openPagesSite());

  it.each([
    ['http://[::1]/callback', 'http:'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:*'],
    ['com.example.app:/callback', 'com.example.app:'],
  ])(
    'leads to %s although the request leaves it out, by return_to and by the cookie',
    async (uri, source) => {
      const { clientId: id } = await pages.oauth.clients.create({ name: 'Lamp', redirectUris: [uri] });
      const agent = request.agent(pages.url);
      const { headers } = await agent.get(pathOf({ client_id: id })).expect(302);
      const policyOf = async (address: string) => (await agent.get(address).expect(200)).headers[NAME];
      for (const address of [String(headers.location), '/login'])
        expect(String(await policyOf(address)).split(' ')).toContain(source);
      expect((await request(pages.url).get('/login')).headers[NAME]).toMatch(/;form-action 'self'$/);
    },
  );
});
