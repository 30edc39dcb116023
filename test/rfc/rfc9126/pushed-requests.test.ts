import { describe, expect, test } from '@jest/globals';
import request from 'supertest';

import { createTestKey, signAssertion } from '../../support/assertions.js';
import { letPass } from '../../support/clock.js';
import { commandsDuring } from '../../support/commands.js';
import {
  codeQuery,
  createPerson,
  hiddenFields,
  locationOf,
  logInPerson,
  postForm,
} from '../../support/person.js';
import { push, pushed } from '../../support/pushed-requests.js';
import { raiseCount } from '../../support/raise-count.js';
import { asClient, register } from '../../support/registration.js';
import { signingClient, signRequest } from '../../support/request-objects.js';
import { openSite, REDIRECT_URI, type Site } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { createPkce, redeem } from '../../support/tokens.js';

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

const site = siteFor({
  pushedRequests: true,
  registration: { open: true },
  resources: { 'https://api.example': {} },
});
/** Another process of the same site. */
const second = siteFor(() => ({ database: site.database, issuer: site.url, pushedRequests: true }));
const client = fixture(() => site.client());
const app = fixture(() => site.client({ type: 'public' }));
const ada = fixture(() => logInPerson(site));

const persisted = () => site.database.collection('oauth_pushed_requests').find().toArray();
const metadataOf = async ({ server }: Site) =>
  (await request(server).get('/.well-known/oauth-authorization-server')).body as Record<string, unknown>;

describe('§2 the endpoint', () => {
  test('§2, §5 the metadata has the PAR endpoint [2-2]', async () => {
    expect(await metadataOf(site)).toMatchObject({
      pushed_authorization_request_endpoint: `${site.url}/oauth/par`,
    });
    expect(await metadataOf(site)).not.toHaveProperty('require_pushed_authorization_requests');
  });

  test('§2, §5 the PAR endpoint is absent, and a request_uri is refused, without the option [2-2]', async () => {
    await using without = await openSite();
    const other = await without.client();
    expect(await metadataOf(without)).not.toHaveProperty('pushed_authorization_request_endpoint');
    expect((await push(without, other)).status).toBe(404);
    const person = await logInPerson(without);
    const response = await person.openAuthorize({
      ...(await pushed(site, client)),
      client_id: other.clientId,
      response_type: 'code',
      redirect_uri: REDIRECT_URI,
    });
    expect(locationOf(response).searchParams.get('error')).toBe('request_uri_not_supported');
  });

  test.each([
    ['the issuer', '', 201],
    ['the endpoint ', '/oauth/par', 401],
  ])('§2 an assertion for %s%s gets status %i by default [2-4]', async (_name, path, status) => {
    const key = await createTestKey();
    const registered = await site.client({ jwks: { keys: [key.publicJwk] } });
    const assertion = await signAssertion(site, registered.clientId, key, {
      claims: { aud: `${site.url}${path}` },
    });
    const response = await push(site, registered, {
      client_assertion_type: ASSERTION_TYPE,
      client_assertion: assertion,
    });
    expect(response.status).toBe(status);
  });

  test.each(['', '/oauth/token', '/oauth/par'])(
    '§2 an assertion for %j is accepted with issuer_or_token_endpoint [2-5]',
    async (path) => {
      await using lenient = await openSite({
        pushedRequests: true,
        clientAuthentication: { assertions: { audience: 'issuer_or_token_endpoint', maxTtl: 3600 } },
      });
      const key = await createTestKey();
      const registered = await lenient.client({ jwks: { keys: [key.publicJwk] } });
      const client_assertion = await signAssertion(lenient, registered.clientId, key, {
        claims: { aud: `${lenient.url}${path}` },
      });
      await push(lenient, registered, { client_assertion_type: ASSERTION_TYPE, client_assertion }).expect(
        201,
      );
      const [stored] = await lenient.database.collection('oauth_pushed_requests').find().toArray();
      expect(JSON.stringify(stored)).not.toContain(client_assertion);
    },
  );
});

describe('§2.1 the request', () => {
  test.each([
    ['a wrong secret', (): string | undefined => 'wrong', 401, 'invalid_client'],
    ['no secret', () => undefined, 401, 'invalid_client'],
  ])('§2.1 a push of a client with %s is refused [2.1-2]', async (_name, secretOf, status, error) => {
    const response = await push(site, { ...client, clientSecret: secretOf() });
    expect([response.status, response.body.error]).toEqual([status, error]);
  });

  test.each<[string, Record<string, string | string[] | undefined>, string]>([
    ['a request object', { request: 'e30.e30.' }, 'request_not_supported'],
    ['a request object alone', { request: 'e30.e30.', client_id: undefined }, 'request_not_supported'],
    ['no client_id', { client_id: undefined }, 'invalid_request'],
    ['the client_id of another client', { client_id: 'another' }, 'invalid_request'],
    ['a redirect URI that is not registered', { redirect_uri: 'https://evil.example/' }, 'invalid_request'],
    ['an unknown response type', { response_type: 'id_token' }, 'unsupported_response_type'],
    ['no response type', { response_type: undefined }, 'invalid_request'],
    ['an unknown scope', { scope: 'everything' }, 'invalid_scope'],
    ['an unknown resource', { resource: 'https://evil.example' }, 'invalid_target'],
    [
      'a plain challenge',
      { code_challenge: 'x'.repeat(43), code_challenge_method: 'plain' },
      'invalid_request',
    ],
    ['two states', { state: ['a', 'b'] }, 'invalid_request'],
    ['a NUL in the state', { state: '\0' }, 'invalid_request'],
    ['a state too long for a URL', { state: 'a'.repeat(7000) }, 'invalid_request'],
    ['prompts that exclude each other', { prompt: 'none login' }, 'invalid_request'],
  ])('§2.1, §2.3 a pushed request with %s is refused [2.1-4] [2.3-1]', async (_name, fields, error) => {
    const before = (await persisted()).length;
    const response = await push(site, client, fields);
    expect(response.body).toEqual({ error, error_description: expect.any(String) });
    expect(response.status).toBe(400);
    expect(response.headers['cache-control']).toBe('no-store');
    expect((await persisted()).length).toBe(before);
  });

  test('§2.1 a pushed request with a request_uri is refused [2.1-1] [2.1-3]', async () => {
    const { request_uri } = await pushed(site, client);
    const response = await push(site, client, { request_uri });
    expect([response.status, response.body.error]).toEqual([400, 'invalid_request']);
  });

  test('§2.1 a public client has to push a code_challenge [2.1-4]', async () => {
    expect((await push(site, app)).body.error).toBe('invalid_request');
    await push(site, app, createPkce().challenge).expect(201);
  });
});

describe('§2.2 the response', () => {
  test('§2.2 the PAR response is 201 with a request_uri of 256 random bits [2.2-1] [2.2-2] [2.2-3] [7.1-1]', async () => {
    const response = await push(site, client).expect(201);
    expect(response.body).toEqual({
      request_uri: expect.stringMatching(/^urn:ietf:params:oauth:request_uri:[A-Za-z0-9_-]{43}$/),
      expires_in: 60,
    });
    expect(response.headers['content-type']).toBe('application/json;charset=UTF-8');
    expect(response.headers['cache-control']).toBe('no-store');
    expect((await push(site, client)).body.request_uri).not.toBe(response.body.request_uri);
  });

  test('§2.2 a stored pushed request has neither the reference nor the client secret [2.2-2]', async () => {
    const { request_uri } = await pushed(site, client);
    const reference = request_uri.split(':').at(-1) as string;
    const { clientId, clientSecret = '' } = client;
    const posted = await postForm(request(site.server), '/oauth/par', {
      response_type: 'code',
      client_id: clientId,
      client_secret: clientSecret,
    });
    expect(posted.status).toBe(201);
    const stored = JSON.stringify(await persisted());
    expect(stored).not.toContain(reference);
    expect(stored).not.toContain(clientSecret);
  });

  test.each(['get', 'put', 'delete'] as const)('§2.3 PAR answers %s with 405 [2.3-3]', async (method) => {
    const response = await request(site.server)[method]('/oauth/par');
    expect([response.status, response.headers.allow]).toEqual([405, 'POST']);
  });

  test('§2.3 a pushed request that is too long is answered 413 [2.3-3]', async () => {
    const response = await push(site, client, { note: 'x'.repeat(40_000) });
    expect([response.status, response.body.error]).toEqual([413, 'invalid_request']);
  });

  test('§2.3 the limit of pushed requests applies to public clients only [2.3-3]', async () => {
    await using limited = await openSite({ pushedRequests: true });
    const [own, open] = [await limited.client(), await limited.client({ type: 'public' })];
    const { challenge } = createPkce();
    const statuses = [];
    for (let i = 0; i < 4; i += 1) {
      if (i === 2) await raiseCount(limited, 'pushed requests', 299);
      statuses.push((await push(limited, open, challenge)).status);
    }
    for (let i = 0; i < 4; i += 1) statuses.push((await push(limited, own)).status);
    expect(statuses).toEqual([201, 201, 201, 429, 201, 201, 201, 201]);
  });
});

describe('§4 at the authorization endpoint', () => {
  test('§4 a pushed request leads to tokens, also in two processes [4-2]', async () => {
    const { challenge, code_verifier } = createPkce();
    const query = await pushed(site, client, { ...challenge, scope: 'photos:read', state: 'a b' });
    const there = await logInPerson(second);
    const location = await there.authorize(query);
    expect(`${location.origin}${location.pathname}`).toBe(REDIRECT_URI);
    expect(location.searchParams.get('state')).toBe('a b');
    const code = location.searchParams.get('code') as string;
    const tokens = await redeem(site, client, code, { code_verifier }).expect(200);
    expect(tokens.body.scope).toBe('photos:read');
  });

  test('§4 a pushed request survives reloads and the login, and ends with the decision [4-2] [7.3-1]', async () => {
    const grace = createPerson(site);
    const query = await pushed(site, client);
    const toLogin = await grace.openAuthorize(query);
    const { searchParams } = locationOf(toLogin);
    await grace.logIn('grace');
    const back = searchParams.get('return_to') as string;
    await grace.agent.get(back).expect(200);
    const page = await grace.agent.get(back).expect(200);
    const answer = await grace.choose(page);
    expect(locationOf(answer).searchParams.has('code')).toBe(true);
    for (const again of [await grace.openAuthorize(query), await grace.choose(page)]) {
      expect(again.status).toBe(400);
      expect(again.headers.location).toBeUndefined();
      expect(again.text).toContain('This request is over');
    }
  });

  test('§4 a denial ends a pushed request [4-2]', async () => {
    const query = await pushed(site, client, { prompt: 'consent' });
    const location = await ada.authorize(query, { decision: 'deny' });
    expect(location.searchParams.get('error')).toBe('access_denied');
    expect((await ada.openAuthorize(query)).status).toBe(400);
  });

  test('§4, §7.3 only one of ten concurrent requests with a request_uri gets a code [4-2] [7.3-1]', async () => {
    const trusted = await site.client({ trusted: true });
    const query = await pushed(site, trusted);
    const answers = await Promise.all(Array.from({ length: 10 }, () => ada.openAuthorize(query)));
    const codes = answers.filter(({ headers }) => /[?&]code=/.test(String(headers.location)));
    expect(codes).toHaveLength(1);
  });

  test('§4 an unopened pushed request expires after a minute, and an opened request later [4-3]', async () => {
    const late = await pushed(site, client);
    const opened = await pushed(site, client, { prompt: 'consent' });
    await ada.openAuthorize(opened);
    letPass(61);
    expect((await ada.openAuthorize(late)).status).toBe(400);
    expect((await ada.openAuthorize(opened)).status).toBe(200);
    letPass(3600);
    await ada.logIn();
    expect((await ada.openAuthorize(opened)).status).toBe(400);
  });

  test('§4, RFC 9101 §6.3 parameters beside the request_uri are ignored [4-4]', async () => {
    const query = await pushed(site, client, { scope: 'photos:read', prompt: 'consent' });
    const page = await ada.openAuthorize({
      ...query,
      scope: 'photos:write',
      state: 'forged',
      redirect_uri: 'https://evil.example/',
      prompt: 'none',
      response_type: 'token',
    });
    const { searchParams, origin } = locationOf(await ada.choose(page));
    expect([origin, searchParams.get('state')]).toEqual(['https://print.example', 'xyz']);
    const tokens = await redeem(site, client, searchParams.get('code') as string);
    expect(tokens.body.scope).toBe('photos:read');
  });

  test('§4, §7.4 a pushed request is checked again at the authorization endpoint [4-4] [7.4-1]', async () => {
    const changed = await site.client();
    const query = await pushed(site, changed, { scope: 'photos:write' });
    await site.oauth.clients.update(changed.clientId, { scopes: ['photos:read'] });
    const response = await ada.openAuthorize(query);
    expect(locationOf(response).searchParams.get('error')).toBe('invalid_scope');
    await site.oauth.clients.update(changed.clientId, { redirectUris: ['https://moved.example/cb'] });
    expect((await ada.openAuthorize(query)).status).toBe(400);
  });

  test.each(['x', 'x'.repeat(43), 'é', `${'x'.repeat(43)}.y`, '[$ne]'])(
    '§4 a request_uri that ends with %j is refused',
    async (reference) => {
      const request_uri = `urn:ietf:params:oauth:request_uri:${reference}`;
      const page = await ada.openAuthorize({ client_id: client.clientId, request_uri });
      expect([page.status, page.text.includes('invalid_request_uri')]).toEqual([400, true]);
    },
  );

  test('§4 two request_uris, or a request_uri without a client_id, are refused', async () => {
    const { client_id, request_uri } = await pushed(site, client);
    const both = `client_id=${client_id}&request_uri=${request_uri}&request_uri=${request_uri}`;
    expect((await ada.openAuthorize(both)).status).toBe(400);
    expect((await ada.openAuthorize({ request_uri })).status).toBe(400);
  });

  test('a forged or foreign answered_prompts does not answer prompt=login', async () => {
    const query = await pushed(site, client, { prompt: 'login' });
    const page = await ada.openAuthorize(query);
    expect(page.text).toContain('log in again');
    const [name, forged] = ['answered_prompts', 'login.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'];
    expect((await ada.openAuthorize({ ...query, [name]: forged })).text).toContain('log in again');
    const person = createPerson(site);
    const { searchParams } = locationOf(await person.openAuthorize(query));
    const own = new URLSearchParams((searchParams.get('return_to') as string).split('?')[1]).get(name);
    // the answer to the prompt of another request does not count
    const second = await pushed(site, client, { prompt: 'login' });
    const other = await ada.openAuthorize({ ...second, [name]: own ?? undefined });
    expect(other.text).toContain('log in again');
    // people who have logged in again are not asked again
    const fields = { ...hiddenFields(page), account: 'switch' };
    const out = await ada.agent.post('/oauth/authorize').type('form').send(fields);
    await ada.logIn();
    const back = locationOf(out).searchParams.get('return_to') as string;
    const consent = await ada.agent.get(back);
    expect(consent.text).not.toContain('log in again');
    expect(consent.status === 200 || locationOf(consent).searchParams.has('code')).toBe(true);
  });
});

describe('§4, §5, §6 required pushed requests', () => {
  test('§5 a site with required pushed requests refuses other requests [4-5] [5-1]', async () => {
    await using strict = await openSite({ pushedRequests: { required: true, ttl: 30 } });
    const own = await strict.client();
    const person = await logInPerson(strict);
    expect(await metadataOf(strict)).toMatchObject({ require_pushed_authorization_requests: true });
    const plain = codeQuery(own, { state: 's' });
    const { searchParams } = locationOf(await person.openAuthorize(plain));
    expect([searchParams.get('error'), searchParams.get('state')]).toEqual(['invalid_request', 's']);
    const answer = await push(strict, own);
    expect(answer.body.expires_in).toBe(30);
    const location = await person.authorize({
      client_id: own.clientId,
      request_uri: answer.body.request_uri as string,
    });
    expect(location.searchParams.has('code')).toBe(true);
  });

  test('§6 a client with requirePushedAuthorizationRequests needs pushed requests [4-5] [6-1]', async () => {
    const own = await site.client({ requirePushedAuthorizationRequests: true });
    const registration = await register(site, {
      client_name: 'Frame maker',
      redirect_uris: [REDIRECT_URI],
      require_pushed_authorization_requests: true,
    }).expect(201);
    expect(registration.body.require_pushed_authorization_requests).toBe(true);
    for (const { clientId } of [own, await asClient(site, registration.body)]) {
      const plain = codeQuery(clientId);
      const { searchParams } = locationOf(await ada.openAuthorize(plain));
      expect(searchParams.get('error')).toBe('invalid_request');
    }
    expect((await ada.authorize(await pushed(site, own))).searchParams.has('code')).toBe(true);
  });
});

test('a pushed request costs two commands at the PAR endpoint, and an update only at its first use', async () => {
  const commands = (work: () => PromiseLike<unknown>) => commandsDuring(site.database, work);
  expect(await commands(() => push(site, client).expect(201))).toEqual([
    'find oauth_clients',
    'insert oauth_pushed_requests',
  ]);
  const query = await pushed(site, client, { prompt: 'consent' });
  const first = await commands(() => ada.openAuthorize(query));
  expect(first.slice(0, 2)).toEqual(['find oauth_pushed_requests', 'update oauth_pushed_requests']);
  const again = await commands(() => ada.openAuthorize(query));
  expect(again).toEqual(first.filter((command) => command !== 'update oauth_pushed_requests'));
});

test('the event request.pushed has the client_id and not the request_uri', async () => {
  const heard: object[] = [];
  const listen = (event: object) => void heard.push(event);
  site.oauth.events.on('request.pushed', listen);
  const { request_uri } = await pushed(site, client);
  site.oauth.events.off('request.pushed', listen);
  expect(heard).toEqual([expect.objectContaining({ type: 'request.pushed', clientId: client.clientId })]);
  expect(JSON.stringify(heard)).not.toContain(request_uri);
});

describe('§3 a request object', () => {
  const clientAlone = {
    response_type: undefined,
    client_id: undefined,
    redirect_uri: undefined,
    state: undefined,
  };
  const signing = siteFor({ pushedRequests: true, signedRequests: true });
  const key = fixture(() => createTestKey());
  const signer = fixture(() => signing.client({ jwks: { keys: [key.publicJwk] }, trusted: true }));
  const assertedBy = async (of = signer) => ({
    ...clientAlone,
    client_assertion_type: ASSERTION_TYPE,
    client_assertion: await signAssertion(signing, of.clientId, key),
  });

  test('a request object may be pushed with nothing but client authentication [3-2]', async () => {
    const request = await signRequest(signing, signer.clientId, key);
    await push(signing, signer, { ...(await assertedBy()), request }).expect(201);
    const withSecret = await signingClient(signing, key);
    const own = await signRequest(signing, withSecret.clientId, key);
    const { body } = await push(signing, withSecret, { ...clientAlone, request: own }).expect(201);
    const ada = await logInPerson(signing);
    const named = { client_id: withSecret.clientId, request_uri: String(body.request_uri) };
    expect(locationOf(await ada.openAuthorize(named)).searchParams.get('code')).not.toBeNull();
  });

  test('a request object of another client, or beside the client_id of another client, is refused [3-3]', async () => {
    const other = await signing.client({ jwks: { keys: [key.publicJwk] } });
    const request = await signRequest(signing, other.clientId, key);
    const { status, body } = await push(signing, signer, { ...(await assertedBy()), request });
    expect([status, body.error]).toEqual([400, 'invalid_request_object']);
    const own = await signRequest(signing, signer.clientId, key);
    const named = { ...(await assertedBy()), request: own, client_id: other.clientId };
    const refused = await push(signing, signer, named);
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_request']);
  });

  test('a request object without a client_id is refused if the body has no client_id', async () => {
    const request = await signRequest(signing, signer.clientId, key, { claims: { client_id: undefined } });
    const { status, body } = await push(signing, signer, { ...(await assertedBy()), request });
    expect([status, body.error]).toEqual([400, 'invalid_request_object']);
  });
});
