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

/** The site's middleware before the router, and its login page. */
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

describe('the policy of a login page whose forms may lead to the waiting client', () => {
  it('only form-action changes in a policy of helmet', async () => {
    expect(await policyAt(pathOf())).toBe(WIDENED);
    before = helmet();
    const plain = (await request(site.server).get('/login')).headers[NAME] as string;
    expect(plain).toContain(";form-action 'self';");
    expect(await policyAt(pathOf({ redirect_uri: REDIRECT_URI }))).toBe(
      plain.replace("form-action 'self'", "form-action 'self' https://print.example"),
    );
  });

  it('a policy that is set later by setHeader or writeHead is widened', async () => {
    before = (_req, _res, next) => next();
    page = (_req, res) => void res.setHeader('Content-Security-Policy', POLICY).end();
    expect(await policyAt(pathOf())).toBe(WIDENED);
    page = (_req, res) => void res.writeHead(200, { 'content-security-policy': POLICY }).end();
    expect(await policyAt(pathOf())).toBe(WIDENED);
  });

  it('each of several policies is widened, and a report-only policy is not', async () => {
    before = (_req, res, next) => {
      res.append('Content-Security-Policy', [POLICY, "form-action 'self'"]);
      res.setHeader('Content-Security-Policy-Report-Only', POLICY);
      next();
    };
    const { headers } = await open(pathOf());
    expect(headers[NAME]).toBe(`${WIDENED}, form-action 'self' https://print.example`);
    expect(headers['content-security-policy-report-only']).toBe(POLICY);
  });

  it('a page without a policy gets none', async () => {
    before = (_req, _res, next) => next();
    expect((await open(pathOf()).expect(200)).headers).not.toHaveProperty(NAME);
  });

  it('a policy is widened by the cookie and by any name of the return parameter', async () => {
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
  ])('a client registered at %s adds %s to form-action', async (redirectUri, source) => {
    const native = await site.client({ type: 'public', redirectUris: [redirectUri] });
    const path = pathOf({ client_id: native.clientId, redirect_uri: redirectUri });
    expect(await policyAt(path)).toBe(POLICY.replace("form-action 'self'", `form-action 'self' ${source}`));
  });

  it('a client registered on loopback adds all ports (RFC 8252 §7.3)', async () => {
    const { clientId: id } = await site.client({ type: 'public', redirectUris: ['http://127.0.0.1/cb'] });
    const path = pathOf({ client_id: id, redirect_uri: 'http://127.0.0.1:50123/cb' });
    expect(await policyAt(path)).toContain("form-action 'self' http://127.0.0.1:*;");
  });

  it.each(['http://[::1]/cb', 'https://[2001:db8::1]/cb'])(
    'a client at %s adds nothing, because CSP has no source for it',
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
    ['get defaults', {}, ['SAMEORIGIN', 'strict-origin-when-cross-origin', 'nosniff']],
    [
      'stay if the site sets them',
      { 'X-Frame-Options': 'DENY', 'Referrer-Policy': 'no-referrer' },
      ['DENY', 'no-referrer', 'nosniff'],
    ],
    [
      'leave frames to the site’s policy',
      { 'Content-Security-Policy': "form-action 'self'; frame-ancestors https://portal.example" },
      [undefined, 'strict-origin-when-cross-origin', 'nosniff'],
    ],
    [
      'do not change a script',
      { 'Content-Type': 'application/javascript' },
      ['SAMEORIGIN', 'strict-origin-when-cross-origin', undefined],
    ],
  ])('headers of the login page %s, with and without a waiting client', async (_what, headers, desired) => {
    before = (_req, _res, next) => next();
    page = (_req, res) => void res.set(headers).end();
    if (headers['Content-Type'] === undefined) page = (_req, res) => void res.set(headers).send('<form>');
    expect(await headersAt('/login')).toEqual(desired);
    expect(await headersAt(`/login?return_to=${encodeURIComponent(pathOf())}`)).toEqual(desired);
  });
});

describe('attacks on the policy of the login page', () => {
  it.each<[string, () => string]>([
    ['an unregistered redirect URI', () => pathOf({ redirect_uri: 'https://evil.example/cb' })],
    [
      'a redirect URI with a registered prefix',
      () => pathOf({ redirect_uri: `${REDIRECT_URI}.evil.example` }),
    ],
    ['all of https', () => pathOf({ redirect_uri: 'https:' })],
    ['another directive', () => pathOf({ redirect_uri: 'https://a.example; script-src *' })],
    ['javascript:', () => pathOf({ redirect_uri: 'javascript:alert(1)' })],
    ['an unknown client', () => pathOf({ client_id: 'nobody', redirect_uri: REDIRECT_URI })],
    ['no client', () => `/oauth/authorize?redirect_uri=${encodeURIComponent('https://evil.example/cb')}`],
    ['two clients', () => `${pathOf()}&client_id=other`],
    ['another page', () => pathOf({}, '/elsewhere')],
    ['another site', () => `https://evil.example${pathOf()}`],
    ['another host', () => `//evil.example${pathOf()}`],
  ])('a return_to with %s does not widen the policy', async (_what, returnTo) => {
    expect(await policyAt(returnTo())).toBe(POLICY);
  });

  it('a planted cookie does not widen the policy', async () => {
    const end = Math.floor(Date.now() / 1000) + 300;
    const planted = (path: string) =>
      request(site.server).get('/login').set('Cookie', `oauth-way-back=${end}.${path}`);
    // the path in the cookie is checked like the address
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
  ])('the bundled login page allows %s without a redirect_uri in the request', async (uri, source) => {
    const { clientId: id } = await pages.oauth.clients.create({ name: 'Lamp', redirectUris: [uri] });
    const agent = request.agent(pages.url);
    const { headers } = await agent.get(pathOf({ client_id: id })).expect(302);
    const policyOf = async (address: string) => (await agent.get(address).expect(200)).headers[NAME];
    for (const address of [String(headers.location), '/login'])
      expect(String(await policyOf(address)).split(' ')).toContain(source);
    expect((await request(pages.url).get('/login')).headers[NAME]).toMatch(/;form-action 'self'$/);
  });
});
