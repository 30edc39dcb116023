import { createHash } from 'node:crypto';

import { beforeEach, describe, expect, test } from '@jest/globals';
import request, { type Response } from 'supertest';

import type { NewClient } from '../../../lib/index.js';
import { createTestKey, now } from '../../support/assertions.js';
import { letPass } from '../../support/clock.js';
import { type JwksServer, openJwksServer } from '../../support/jwks-server.js';
import { openid } from '../../support/openid.js';
import {
  codeOf,
  codeQuery,
  createPerson,
  locationOf,
  logInPerson,
  pendingRequestOf,
  type Query,
} from '../../support/person.js';
import { push, pushed } from '../../support/pushed-requests.js';
import { refusal } from '../../support/refusal.js';
import { register } from '../../support/registration.js';
import { type RequestObjectOptions, signingClient, signRequest } from '../../support/request-objects.js';
import { openSite, REDIRECT_URI } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { redeem } from '../../support/tokens.js';
import { until } from '../../support/until.js';
import { withoutDetail } from '../../support/without-detail.js';

const TYPE = 'application/oauth-authz-req+jwt';

/** A request object, and how it is served. */
interface Served extends RequestObjectOptions {
  readonly type?: string;
  readonly fragment?: string;
}

const BY_REFERENCE = {
  signedRequests: { byReference: true },
  clientAuthentication: { allowPrivateAddresses: true },
  security: { rateLimits: false },
} as const;
const site = siteFor({ ...BY_REFERENCE, pushedRequests: true, registration: { open: true } });
/** The same, with OpenID Connect. */
const withOpenid = siteFor({ ...BY_REFERENCE, openid });
const key = fixture(() => createTestKey());
const server = fixture(() => openJwksServer());
const client = fixture(() => clientWith());
const ada = fixture(() => logInPerson(site));
beforeEach(() => void server.requests.splice(0));

const clientWith = (more: Partial<NewClient> = {}) =>
  signingClient(site, key, { requestUris: [server.url], ...more });
function serve(text: string, type = TYPE): void {
  server.answer((_req, res) => res.setHeader('content-type', type).end(text));
}
const serveSigned = async (options: RequestObjectOptions = {}, of = client) =>
  serve(await signRequest(site, of.clientId, key, options));
const open = (more: Query = {}, person = ada) =>
  person.openAuthorize({ client_id: client.clientId, request_uri: server.url, ...more });
function expectRefused(response: Response, description: RegExp, error = 'invalid_request_uri'): void {
  expect([response.status, response.headers.location]).toEqual([400, undefined]);
  expect(response.text).toContain(`<code>${error}</code>`);
  expect(response.text).toMatch(description);
}

describe('§5.2 a request object by reference', () => {
  test('a request_uri is fetched by GET, and parameters beside the request_uri are ignored [5.2-1] [5.2.3-1]', async () => {
    const jwt = await signRequest(site, client.clientId, key);
    const requested: unknown[] = [];
    server.answer((req, res) => {
      requested.push([req.method, req.headers.accept]);
      res.setHeader('content-type', `${TYPE}; charset=utf-8`).end(`${jwt}\n`);
    });
    const { searchParams } = locationOf(await open({ scope: 'photos:write', state: 'beside' }));
    expect(searchParams.get('state')).toBe('of the object');
    const { body } = await redeem(site, client, searchParams.get('code')!);
    expect(body).toMatchObject({ scope: 'photos:read' });
    expect(requested).toEqual([['GET', TYPE]]);
  });

  test('a request_uri is fetched for each request [5.2.3-2]', async () => {
    await serveSigned();
    expect(codeOf(await open())).not.toBeNull();
    await serveSigned({ claims: { state: 'another' } });
    expect(locationOf(await open()).searchParams.get('state')).toBe('another');
    expect(server.requests).toHaveLength(2);
  });

  test('a request_uri is fetched once after the login, and a later change has no effect [10.4.2-2] [10.4.1-2]', async () => {
    const own = await clientWith({ trusted: false });
    const person = createPerson(site);
    await serveSigned({ claims: { prompt: 'login', exp: now() + 40 } }, own);
    const login = locationOf(await open({ client_id: own.clientId }, person));
    const back = login.searchParams.get('return_to')!;
    expect([login.pathname, server.requests]).toEqual(['/login', []]);
    letPass(300);
    await person.logIn();
    // the object was valid when the person came, and its prompt was just answered
    const consent = await person.agent.get(back);
    expect(consent.text).toContain('id="consent-form"');
    const name = pendingRequestOf(consent);
    expect(name).toContain('fetched_request=');
    // the address does not reveal what the request asks for
    expect(name).not.toContain(Buffer.from('"client_id"').toString('base64url').slice(2, 12));
    await serveSigned({ claims: { scope: 'photos:read photos:write', state: 'changed' } }, own);
    const { searchParams } = locationOf(await person.choose(consent));
    expect(searchParams.get('state')).toBe('of the object');
    expect(server.requests).toHaveLength(1);
    letPass(5000);
    expectRefused(await person.openAuthorize(name), /cannot be used/, 'invalid_request_object');
  });

  test('a request object that asks for a login is answered after one login', async () => {
    const person = createPerson(site);
    await serveSigned({ claims: { prompt: 'login' } });
    const back = locationOf(await open({}, person)).searchParams.get('return_to')!;
    await person.logIn();
    expect(codeOf(await person.agent.get(back))).not.toBeNull();
    // without the signed part of the address the prompt is not answered
    expect((await open({}, person)).text).toContain('id="account-switch"');
  });

  test('prompt=none without a login gets an error page, and the request_uri is not fetched', async () => {
    await serveSigned({ claims: { prompt: 'none' } });
    const silent = await open({ prompt: 'none', redirect_uri: REDIRECT_URI }, createPerson(site));
    expectRefused(silent, /users who are logged in/, 'login_required');
    expect(server.requests).toEqual([]);
  });

  test('prompt=none beside another prompt is answered invalid_request after the login', async () => {
    await serveSigned({ claims: { prompt: 'none login' } });
    const person = createPerson(site);
    const login = locationOf(await open({ prompt: 'none login' }, person));
    expect(login.pathname).toBe('/login');
    expect(server.requests).toEqual([]);
    await person.logIn();
    const response = locationOf(await person.agent.get(login.searchParams.get('return_to')!));
    expect(`${response.origin}${response.pathname}`).toBe(REDIRECT_URI);
    expect(response.searchParams.get('error')).toBe('invalid_request');
  });

  test('a fetched_request of another client or with changes is refused [10.4.2-2]', async () => {
    const person = await logInPerson(site);
    await serveSigned({ claims: { prompt: 'login' } });
    const page = await open({}, person);
    const name = Object.fromEntries(new URLSearchParams(pendingRequestOf(page)));
    expect((await person.openAuthorize(name)).text).toContain('id="account-switch"');
    const other = await clientWith();
    const fetched = name.fetched_request!;
    for (const wrong of [
      { ...name, client_id: other.clientId },
      {
        ...name,
        fetched_request: fetched.replace(/(?<=\..{60})./, (letter) => (letter === 'A' ? 'B' : 'A')),
      },
      { ...name, fetched_request: await signRequest(site, client.clientId, key) },
      { ...name, fetched_request: 'x' },
    ])
      expectRefused(await person.openAuthorize(wrong), /fetched_request/, 'invalid_request');
  });

  test('a client with requireSignedRequestObject may use a request_uri [10.5-1]', async () => {
    const strict = await clientWith({ requireSignedRequestObject: true });
    await serveSigned({}, strict);
    expect(codeOf(await open({ client_id: strict.clientId }))).not.toBeNull();
  });

  test('a request_uri beside a request, or a second request_uri, is refused without a fetch [5-1]', async () => {
    const jwt = await signRequest(site, client.clientId, key);
    const both = await open({ request: jwt });
    expect([both.status, both.headers.location]).toEqual([400, undefined]);
    const uri = encodeURIComponent(server.url);
    const twice = await ada.openAuthorize(
      `client_id=${client.clientId}&request_uri=${uri}&request_uri=${uri}`,
    );
    expect(twice.status).toBe(400);
    expect(server.requests).toEqual([]);
  });

  test('a request_uri of a client cannot be pushed, and pushed requests still work', async () => {
    expect((await push(site, client, { request_uri: server.url })).status).toBe(400);
    expect(codeOf(await open(await pushed(site, client)))).not.toBeNull();
    expectRefused(await open({ request_uri: 'urn:ietf:params:oauth:request_uri:none' }), /expired/);
    expect(server.requests).toEqual([]);
  });

  test('an error in a fetched request is returned to the client', async () => {
    await serveSigned({ claims: { scope: 'nonsense' } });
    expect(locationOf(await open()).searchParams.get('error')).toBe('invalid_scope');
  });
});

describe('§10.4 the address of a request object', () => {
  test.each([
    ['of another client', (url: string) => `${url}?of=other`],
    ['with a longer path', (url: string) => `${url}/`],
    ['with another spelling', (url: string) => url.replace('/jwks', '/%6Awks')],
    ['with a user', (url: string) => url.replace('//', '//a@')],
    ['with a query', (url: string) => `${url}?x`],
    ['with another scheme', () => 'file:///etc/passwd'],
    ['that is no URL', () => 'x'],
    ['of another URN', () => 'urn:example:request'],
  ])('a request_uri %s is refused without a fetch [10.4.1-1] [10.4.2-1]', async (_what, uriOf) => {
    await clientWith({ requestUris: [`${server.url}?of=other`] });
    await serveSigned();
    expectRefused(await open({ request_uri: uriOf(server.url) }), /not registered for this client/);
    expect(server.requests).toEqual([]);
  });

  test('a request_uri of a client without registered URIs is refused [10.4.1-1]', async () => {
    const none = await clientWith({ requestUris: undefined });
    await serveSigned({}, none);
    expectRefused(await open({ client_id: none.clientId }), /not registered/);
  });

  test('a request_uri at a private address is not fetched without allowPrivateAddresses [10.4.1-1]', async () => {
    await using strict = await openSite({ signedRequests: { byReference: true } });
    const own = await strict.client({ jwks: { keys: [key.publicJwk] }, requestUris: [server.url] });
    const person = await logInPerson(strict);
    const query = { client_id: own.clientId, request_uri: server.url };
    expectRefused(await person.openAuthorize(query), /could not be fetched/);
    expect(server.requests).toEqual([]);
  });

  test('a hash in the fragment of a request_uri has to match the object (OpenID Connect Core §6.2) [10.4.2-2]', async () => {
    const jwt = await signRequest(site, client.clientId, key);
    const hash = createHash('sha256').update(jwt).digest('base64url');
    serve(jwt);
    expect(codeOf(await open({ request_uri: `${server.url}#${hash}` }))).not.toBeNull();
    await serveSigned({ claims: { state: 'changed' } });
    expectRefused(await open({ request_uri: `${server.url}#${hash}` }), /fragment/);
    // a registered hash has to match
    const pinned = await clientWith({ requestUris: [`${server.url}#${hash}`] });
    const other = hash.replace(/^./, (letter) => (letter === 'A' ? 'B' : 'A'));
    for (const uri of [server.url, `${server.url}#${other}`])
      expectRefused(await open({ client_id: pinned.clientId, request_uri: uri }), /not registered/);
  });

  test.each([
    ['an error', (_req, res) => void res.writeHead(404).end()],
    ['a redirect', (_req, res) => void res.writeHead(302, { location: server.url }).end()],
    ['no response for long', () => undefined],
    ['a long response', (_req, res) => void res.setHeader('content-type', TYPE).end('x'.repeat(65_536))],
    ['a closed connection', (req) => void req.socket.destroy()],
  ] satisfies [string, Parameters<JwksServer['answer']>[0]][])(
    '%s at the request_uri is answered invalid_request_uri without details [10.4.1-2] [7-2]',
    async (_what, listener) => {
      server.answer(listener);
      const response = await open();
      expectRefused(response, /the request_uri cannot be used: it could not be fetched/);
      expect(server.requests).toHaveLength(1);
      expect(withoutDetail(response.text)).not.toMatch(/status|ECONN|127\.0\.0\.1:\d+ /);
    },
  );

  test.each(['text/html', 'application/json', 'application/jwt', ''])(
    'a request object with the content type %p is refused [10.4.1-3]',
    async (type) => {
      serve(await signRequest(site, client.clientId, key), type);
      expectRefused(await open(), /content type/);
    },
  );

  test.each([
    ['with another content type', { type: 'application/jwt' }],
    ['without a typ', { header: { typ: undefined } }],
    ['without an exp', { claims: { exp: undefined } }],
    ['with an exp in a month', { claims: { exp: now() + 30 * 86_400 } }],
    ['with a fragment that is not its hash', { fragment: `#${'a'.repeat(43)}` }],
  ] satisfies [string, Served][])(
    'a request object %s is accepted with OpenID Connect (Core §6.1, §6.2)',
    async (_what, { type = TYPE, fragment = '', ...options }: Served) => {
      const own = await signingClient(withOpenid, key, { requestUris: [`${server.url}${fragment}`] });
      const person = await logInPerson(withOpenid);
      serve(await signRequest(withOpenid, own.clientId, key, options), type);
      const query = { client_id: own.clientId, request_uri: `${server.url}${fragment}` };
      const page = await person.openAuthorize(query);
      expect(codeOf(page)).not.toBeNull();
    },
  );

  test('a request object without exp is refused by value, and by reference without OpenID Connect', async () => {
    const claims = { exp: undefined };
    await serveSigned({ claims });
    expectRefused(await open(), /cannot be used/, 'invalid_request_object');
    const own = await signingClient(withOpenid, key);
    const person = await logInPerson(withOpenid);
    const jwt = await signRequest(withOpenid, own.clientId, key, { claims });
    const query = { client_id: own.clientId, request: jwt };
    expectRefused(await person.openAuthorize(query), /cannot be used/, 'invalid_request_object');
  });

  test.each(['', '{}', '<html>', 'a.b.c', `${'x'.repeat(30_000)}`])(
    'an invalid text at the request_uri is answered invalid_request_object: %#',
    async (text) => {
      serve(text);
      expectRefused(await open(), /request object cannot be used/, 'invalid_request_object');
    },
  );

  test('a request object of another client at the request_uri is refused [6.3-2]', async () => {
    const other = await clientWith();
    await serveSigned({}, other);
    expectRefused(await open(), /cannot be used/, 'invalid_request_object');
  });

  test('a slow server gets a limited number of concurrent requests [10.4.1-2]', async () => {
    // a long timeout, so that no request ends before the last request, however slow the machine
    await using patient = await openSite({
      signedRequests: { byReference: true },
      clientAuthentication: { allowPrivateAddresses: true },
    });
    const own = await patient.client({ jwks: { keys: [key.publicJwk] }, requestUris: [server.url] });
    const person = await logInPerson(patient);
    const granted: { end(): unknown }[] = [];
    server.answer((_req, res) => void granted.push(res.writeHead(500)));
    const statuses: number[] = [];
    const query = { client_id: own.clientId, request_uri: server.url };
    const requested = Promise.all(
      Array.from({ length: 30 }, async () => void statuses.push((await person.openAuthorize(query)).status)),
    );
    await until(() => statuses.includes(503));
    expect(granted.length).toBeLessThanOrEqual(5);
    for (const res of granted) res.end();
    server.answer((_req, res) => res.writeHead(500).end());
    await requested;
    expect(new Set(statuses)).toEqual(new Set([400, 503]));
  });
});

describe('the server', () => {
  test('the metadata lists request_uri and the required registration', async () => {
    const { body } = await request(site.server).get('/.well-known/oauth-authorization-server');
    expect(body).toMatchObject({
      request_parameter_supported: true,
      request_uri_parameter_supported: true,
      require_request_uri_registration: true,
    });
  });

  test('registration accepts https: request_uris of 512 characters at most, and returns the list [5.2-1]', async () => {
    const metadata = {
      client_name: 'Frame maker',
      redirect_uris: [REDIRECT_URI],
      jwks: { keys: [key.publicJwk] },
    };
    const uris = ['https://print.example/requests/1', 'https://print.example/requests/2#a'];
    const { status, body } = await register(site, { ...metadata, request_uris: uris });
    expect([status, body.request_uris]).toEqual([201, uris]);
    for (const wrong of [
      'http://print.example/a',
      'https://a:b@print.example/a',
      `https://print.example/${'a'.repeat(512)}`,
      'https://print.example/ä',
      'javascript:alert(1)',
      '',
    ])
      expect(await register(site, { ...metadata, request_uris: [wrong] })).toMatchObject(
        refusal(400, 'invalid_client_metadata'),
      );
    const many = Array.from({ length: 21 }, (_each, index) => `https://print.example/${index}`);
    await expect(clientWith({ requestUris: many })).rejects.toThrow(/20 request URIs/);
  });

  test('a request_uri is refused without byReference [7-1]', async () => {
    await using without = await openSite({ signedRequests: true });
    const own = await without.client({ trusted: true });
    const person = await logInPerson(without);
    const { searchParams } = locationOf(
      await person.openAuthorize(codeQuery(own, { request_uri: server.url })),
    );
    expect(searchParams.get('error')).toBe('request_uri_not_supported');
  });
});
