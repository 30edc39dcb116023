import { beforeAll, describe, expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';

import type { ClientWithSecret } from '../../../lib/index.js';
import { codeQuery, formatQuery, logInPerson } from '../../support/person.js';
import type { Site } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import {
  ACCESS_TOKEN,
  exchange,
  exchanged,
  exchanger,
  handingOn,
  TOKEN_EXCHANGE,
} from '../../support/token-exchange.js';
import {
  callApi,
  introspectAs,
  obtainTokens,
  postToken,
  redeem,
  tokenRequest,
} from '../../support/tokens.js';

const API = 'https://api.photos.example';
const OTHER = 'https://albums.example';

let token: string;

const site = siteFor({ tokenExchange: true });
const print = fixture(() => exchanger(site));
const binder = fixture(() => exchanger(site, { name: 'Binder' }));
const photos = fixture(() => handingOn(site, [print, binder]));

beforeAll(async () => {
  token = (await obtainTokens(site, photos)).access_token;
});

describe('RFC 8693 §2.1 the request', () => {
  test('an exchange gets a token for the same person with the client as the actor [2.1-1] [2.1-7] [2.1-8] [2.1-11]', async () => {
    const { body } = await exchange(site, print, token).expect(200);
    expect((await callApi(site, body.access_token)).body).toMatchObject({
      clientId: print.clientId,
      userId: 'ada',
      actor: { sub: print.clientId },
    });
  });

  test.each(['subject_token', 'subject_token_type'])(
    'an exchange without %s is refused [2.1-7] [2.1-8]',
    async (name) => {
      const { body } = await exchange(site, print, token, { [name]: undefined }).expect(400);
      expect(body).toMatchObject({ error: 'invalid_request' });
    },
  );

  test.each([
    ['a refresh token', 'urn:ietf:params:oauth:token-type:refresh_token'],
    ['an ID token', 'urn:ietf:params:oauth:token-type:id_token'],
    ['a SAML assertion', 'urn:ietf:params:oauth:token-type:saml2'],
    ['a JWT for an opaque token', 'urn:ietf:params:oauth:token-type:jwt'],
    ['an unknown type', 'access_token'],
  ])('a subject_token_type of %s is refused [2.1-8] [2.1-11]', async (_what, type) => {
    const { body } = await exchange(site, print, token, { subject_token_type: type }).expect(400);
    expect(body).toMatchObject({ error: 'invalid_request' });
  });

  test('unknown scopes of an exchange are omitted, and only unknown scopes get invalid_scope', async () => {
    const { body } = await exchange(site, print, token, { scope: 'photos:read groups offline_access' });
    expect(body.scope).toBe('photos:read');
    for (const scope of ['groups', 'offline_access', 'groups offline_access'])
      expect((await exchange(site, print, token, { scope }).expect(400)).body.error).toBe('invalid_scope');
  });

  test('the scope of an exchange narrows the token, and a scope outside the subject token is refused [2.1-5]', async () => {
    const narrow = await exchanged(site, print, token, { scope: 'photos:read' });
    expect((await callApi(site, narrow)).body.scopes).toEqual(['photos:read']);
    for (const client of [print, binder]) {
      const { body } = await exchange(site, client, narrow, { scope: 'photos:read profile' }).expect(400);
      expect(body.error).toBe('invalid_scope');
    }
  });

  test('a requested_token_type other than an access token is refused [2.1-6]', async () => {
    const requested_token_type = 'urn:ietf:params:oauth:token-type:refresh_token';
    const { body } = await exchange(site, print, token, { requested_token_type }).expect(400);
    expect(body.error).toBe('invalid_request');
    await exchange(site, print, token, { requested_token_type: ACCESS_TOKEN }).expect(200);
  });

  test('the actor is the client of an actor_token that may act [2.1-9] [2.1-11]', async () => {
    const { body } = await tokenRequest(site, await actingClient(), { grant_type: 'client_credentials' });
    const handed = await handingOn(site, [print, acting]);
    const { access_token: subject } = await obtainTokens(site, handed);
    const actor = { actor_token: body.access_token, actor_token_type: ACCESS_TOKEN };
    const both = await exchanged(site, print, subject, actor);
    expect((await callApi(site, both)).body).toMatchObject({
      clientId: print.clientId,
      actor: { sub: acting.clientId },
    });
    const notNamed = await exchange(site, print, token, actor).expect(400);
    expect(notNamed.body.error).toBe('invalid_request');
    const wrong = { ...actor, actor_token: `${String(body.access_token)}x` };
    expect((await exchange(site, print, subject, wrong).expect(400)).body.error).toBe('invalid_request');
  });

  let acting: ClientWithSecret;
  const actingClient = async () =>
    (acting = await site.client({ name: 'Agent', grantTypes: ['client_credentials'], redirectUris: [] }));

  test.each([
    ['actor_token without its type', { actor_token: 'x' }],
    ['a type without an actor_token', { actor_token_type: ACCESS_TOKEN }],
  ])('%s is refused [2.1-10]', async (_what, fields) => {
    expect((await exchange(site, print, token, fields).expect(400)).body.error).toBe('invalid_request');
  });
});

describe('RFC 8693 §2.2 the response', () => {
  test('the exchange response has the issued token type and no refresh token [2.2.1-1] [2.2.1-2] [2.2.1-3] [2.2.1-4] [2.2.1-5] [2.2.1-6]', async () => {
    const { body } = await exchange(site, print, token, { scope: 'photos:read' }).expect(200);
    expect(body).toEqual({
      access_token: expect.stringMatching(/^eas_at_/),
      issued_token_type: ACCESS_TOKEN,
      token_type: 'Bearer',
      expires_in: expect.any(Number),
      scope: 'photos:read',
    });
  });

  test.each([
    ['invented', () => `eas_at_${'x'.repeat(65)}`],
    ['malformed', () => 'x'],
    ['an unknown JWT', () => 'e30.e30.e30'],
  ])('a subject token that is %s is invalid_request [2.2.2-1] [2.2.2-2]', async (_what, made) => {
    const { body } = await exchange(site, print, made()).expect(400);
    expect(body).toEqual({
      error: 'invalid_request',
      error_description: 'a token of the request is invalid, expired or revoked',
    });
  });
});

describe('RFC 8693 §2.1 resource and audience', () => {
  let subject: string;
  const twoApis = siteFor({
    tokenExchange: true,
    resources: { [API]: { accessTokenFormat: 'jwt' }, [OTHER]: {}, 'https://third.example': {} },
  });
  const server = fixture(() => exchanger(twoApis, { name: 'API', introspection: true, resources: [API] }));
  const delegate = fixture(() => exchanger(twoApis));
  const client = fixture(() => handingOn(twoApis, [delegate]));

  beforeAll(async () => {
    const query = `&resource=${encodeURIComponent(API)}&resource=${encodeURIComponent(OTHER)}`;
    subject = await tokenFor(twoApis, client, query);
  });

  test('the called API may exchange a token for another API that the person has allowed [2.1-2] [2.1-4]', async () => {
    const one = await exchanged(twoApis, server, subject, { resource: OTHER });
    expect(await introspectAs(twoApis, await asking(), one)).toMatchObject({ aud: OTHER });
    const other = await exchanged(twoApis, server, subject, { audience: OTHER });
    expect(await introspectAs(twoApis, await asking(), other)).toMatchObject({ aud: OTHER });
  });

  test('a delegate gets a token only for the same resource [2.1-2] [2.2.2-3]', async () => {
    const same = await exchanged(twoApis, delegate, subject);
    expect(decodeJwt(same)).toMatchObject({ aud: API, client_id: delegate.clientId, sub: 'ada' });
    const { body } = await exchange(twoApis, delegate, subject, { resource: OTHER }).expect(400);
    expect(body.error).toBe('invalid_target');
  });

  test.each([
    ['a resource that the person has not allowed', { resource: 'https://third.example' }],
    ['an unknown resource', { resource: 'https://unknown.example' }],
    ['a resource with a fragment', { resource: `${API}#x` }],
    ['a relative resource', { resource: '/api' }],
    ['an unknown audience', { audience: 'billing' }],
    ['two targets', { audience: [API, OTHER] }],
  ])('an exchange for %s is answered invalid_target [2.1-3] [2.1-4] [2.2.2-3]', async (_what, fields) => {
    const { body } = await exchange(twoApis, server, subject, fields).expect(400);
    expect(body.error).toBe('invalid_target');
  });

  test('an audience other than the issuer is unknown at a site without resources [2.1-4]', async () => {
    await exchange(site, print, token, { audience: site.url }).expect(200);
    expect((await exchange(site, print, token, { audience: 'x' }).expect(400)).body.error).toBe(
      'invalid_target',
    );
  });

  test('a JWT has act for its actors and may_act for later actors [4.1-2] [4.4-1] [6-3]', async () => {
    expect(decodeJwt(subject)).toMatchObject({ may_act: { sub: delegate.clientId } });
    expect(decodeJwt(subject)).not.toHaveProperty('act');
    const jwt = await exchanged(twoApis, delegate, subject);
    expect(decodeJwt(jwt)).toMatchObject({ act: { sub: delegate.clientId } });
    const again = await exchanged(twoApis, server, jwt);
    expect(decodeJwt(again).act).toEqual({ sub: server.clientId, act: { sub: delegate.clientId } });
    expect(await introspectAs(twoApis, await asking(), again)).toMatchObject({
      active: true,
      client_id: server.clientId,
      sub: 'ada',
      act: { sub: server.clientId, act: { sub: delegate.clientId } },
    });
  });

  let asks: ClientWithSecret | undefined;
  const asking = async () => (asks ??= await twoApis.client({ introspection: true }));
});

/** A token of a person for the first resource of a request with several. */
async function tokenFor(at: Site, client: ClientWithSecret, resources: string): Promise<string> {
  const person = await logInPerson(at);
  const query = formatQuery(codeQuery(client, { state: 'xyz' }));
  const page = await person.openAuthorize(`${query}${resources}`);
  const answer = await person.choose(page);
  const code = new URL(String(answer.headers.location)).searchParams.get('code') ?? '';
  return (await redeem(at, client, code, { resource: API })).body.access_token as string;
}

describe('RFC 8693 §4.1, §5 the actor', () => {
  test('the guard uses the current actor, and earlier actors are for information [4.1-1] [4.1-2]', async () => {
    const first = await exchanged(site, print, token, { scope: 'photos:read' });
    const second = await exchange(site, binder, first);
    // Binder is named in may_act of the grant, so it may come after Print
    expect(second.status).toBe(200);
    expect((await callApi(site, second.body.access_token)).body).toMatchObject({
      clientId: binder.clientId,
      actor: { sub: binder.clientId, act: { sub: print.clientId } },
      scopes: ['photos:read'],
    });
  });

  test('a client that narrows its own token is no actor', async () => {
    const both = await site.client({ grantTypes: ['authorization_code', TOKEN_EXCHANGE], mayExchange: true });
    const { access_token: own } = await obtainTokens(site, both);
    const narrow = await exchanged(site, both, own, { scope: 'profile' });
    expect((await callApi(site, narrow)).body).not.toHaveProperty('actor');
  });

  test.each([
    ['may not exchange', { mayExchange: false }],
    ['is not registered for the grant type', { grantTypes: ['client_credentials'], mayExchange: false }],
  ])('a client that %s gets unauthorized_client [5-1]', async (_what, options) => {
    const other = await exchanger(site, options);
    expect((await exchange(site, other, token).expect(400)).body.error).toBe('unauthorized_client');
  });

  test('a client without credentials is refused, and a public client cannot exchange [5-1]', async () => {
    const fields = { grant_type: TOKEN_EXCHANGE, subject_token: token, subject_token_type: ACCESS_TOKEN };
    await postToken(site, fields).expect(401);
    await postToken(site, { ...fields, client_id: print.clientId }).expect(401);
    await expect(exchanger(site, { type: 'public' })).rejects.toThrow(/public client cannot exchange/);
  });

  test('a token that was neither issued nor handed on to the client is refused [5-1]', async () => {
    const stranger = await exchanger(site, { name: 'Stranger' });
    expect((await exchange(site, stranger, token).expect(400)).body.error).toBe('invalid_request');
  });
});
