import { beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';

import { createTestKey, JWT_BEARER, signAssertion } from '../support/assertions.js';
import { DEVICE_URI, openDocumentServer } from '../support/client-documents.js';
import { decideOn, DEVICE_CODE, personOf } from '../support/device.js';
import { isLoggedIn, openLogout } from '../support/logout.js';
import { openid } from '../support/openid.js';
import { hiddenFields, logInPerson, type Person, postForm } from '../support/person.js';
import { manage, register } from '../support/registration.js';
import { routesOf } from '../support/routes.js';
import { REDIRECT_URI } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import { basic, callApi, createPkce, type Fields } from '../support/tokens.js';

/** The kinds of clients; each attacks the objects of each, its kind included. */
const KINDS = ['public', 'confidential', 'private_key_jwt', 'document', 'self-registered'] as const;
type Kind = (typeof KINDS)[number];

/** A client with its way to authenticate at an endpoint. */
interface Actor {
  readonly kind: Kind;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly registrationToken?: string;
  readonly send: (endpoint: string, fields?: Fields) => Promise<request.Response>;
}

const GRANT_TYPES = ['authorization_code', 'refresh_token', DEVICE_CODE] as const;
const pkce = createPkce();
const documents = fixture(openDocumentServer);
let count = 0;
const attackers: Actor[] = [];
let tried = 0;
const site = siteFor({
  grantTypes: GRANT_TYPES,
  clientIdMetadataDocuments: { allowLoopback: true, grantTypes: [...GRANT_TYPES] },
  registration: { open: true, grantTypes: [...GRANT_TYPES] },
  people: { findByName: (text) => Promise.resolve({ id: text, name: text }) },
  pushedRequests: true,
  openid,
  security: { rateLimits: false },
});
const ada = fixture(() => logInPerson(site, 'ada'));
beforeAll(async () => {
  for (const kind of KINDS) attackers.push(await createActor(kind));
});

async function createActor(kind: Kind): Promise<Actor> {
  const name = `Client ${(count += 1)}`;
  const grantTypes = [...GRANT_TYPES];
  const post = async (endpoint: string, fields: Fields, authorization?: string) => {
    const sent = request(site.server).post(`/oauth/${endpoint}`).type('form');
    if (authorization !== undefined) void sent.set('Authorization', authorization);
    return sent.send(fields);
  };
  const plain = (clientId: string, redirectUri = REDIRECT_URI): Actor => ({
    kind,
    clientId,
    redirectUri,
    send: (endpoint, fields = {}) => post(endpoint, { ...fields, client_id: clientId }),
  });
  if (kind === 'document') {
    const given = { grant_types: grantTypes, client_name: name };
    return plain(documents.publish(`/${count}.json`, given), DEVICE_URI);
  }
  if (kind === 'self-registered') {
    const metadata = { client_name: name, redirect_uris: [REDIRECT_URI], grant_types: grantTypes };
    const { body } = await register(site, metadata).expect(201);
    const { client_id: clientId, client_secret: secret, registration_access_token } = body;
    const send: Actor['send'] = (endpoint, fields = {}) => post(endpoint, fields, basic(clientId, secret));
    return { ...plain(clientId), registrationToken: registration_access_token, send };
  }
  const key = await createTestKey();
  const { clientId, clientSecret = '' } = await site.client({
    name,
    grantTypes,
    ownerId: 'eve',
    type: kind === 'public' ? 'public' : 'confidential',
    ...(kind === 'private_key_jwt' && { jwks: { keys: [key.publicJwk] } }),
  });
  if (kind === 'public') return plain(clientId);
  if (kind === 'confidential')
    return {
      ...plain(clientId),
      send: (endpoint, fields = {}) => post(endpoint, fields, basic(clientId, clientSecret)),
    };
  return {
    ...plain(clientId),
    async send(endpoint, fields = {}) {
      const client_assertion = await signAssertion(site, clientId, key);
      return post(endpoint, { ...fields, client_assertion_type: JWT_BEARER, client_assertion });
    },
  };
}

const queryOf = ({ clientId, redirectUri }: Actor, more = {}) => ({
  response_type: 'code',
  client_id: clientId,
  redirect_uri: redirectUri,
  scope: 'openid photos:read',
  state: 'xyz',
  ...pkce.challenge,
  ...more,
});
async function codeOf(actor: Actor): Promise<string> {
  const code = (await ada.authorize(queryOf(actor))).searchParams.get('code');
  if (code === null) throw new Error('no code');
  return code;
}
const redeem = (by: Actor, code: string, { redirectUri } = by) =>
  by.send('token', {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: pkce.code_verifier,
  });
const refresh = (by: Actor, refresh_token: string) =>
  by.send('token', { grant_type: 'refresh_token', refresh_token });
const poll = (by: Actor, device_code: string) => by.send('token', { grant_type: DEVICE_CODE, device_code });

/** The codes and tokens of a client for one user. */
async function objectsOf(victim: Actor) {
  const { body: tokens } = await redeem(victim, await codeOf(victim));
  const { body: device } = await victim.send('device_authorization', { scope: 'photos:read' });
  const { body: allowed } = await victim.send('device_authorization', { scope: 'photos:read' });
  await decideOn(await personOf(site, 'ada'), allowed);
  const { body: pushed } = await victim.send('par', queryOf(victim));
  return {
    code: await codeOf(victim),
    token: String(tokens.access_token),
    refreshToken: String(tokens.refresh_token),
    idToken: String(tokens.id_token),
    waitingDevice: String(device.device_code),
    allowedDevice: String(allowed.device_code),
    requestUri: String(pushed.request_uri),
  };
}
type Objects = Awaited<ReturnType<typeof objectsOf>>;

/** Each way in which a client tries to use the codes and tokens of another one. */
const ATTEMPTS: Readonly<Record<string, (by: Actor, of: Objects, victim: Actor) => Promise<void>>> = {
  'redeem its code': async (by, { code }, victim) => {
    for (const redirectUri of new Set([victim.redirectUri, by.redirectUri])) {
      const { status, body } = await redeem(by, code, { ...by, redirectUri });
      expect([status, body.error]).toEqual([400, 'invalid_grant']);
    }
  },
  'use its refresh token': async (by, { refreshToken }) => {
    const { status, body } = await refresh(by, refreshToken);
    expect([status, body.error]).toEqual([400, 'invalid_grant']);
  },
  'look into its tokens': async (by, { token, refreshToken }) => {
    for (const each of [token, refreshToken])
      expect((await by.send('introspect', { token: each })).body).not.toMatchObject({ active: true });
  },
  'revoke its tokens': async (by, { token, refreshToken }) => {
    for (const each of [token, refreshToken]) await by.send('revoke', { token: each });
    expect((await callApi(site, token)).status).toBe(200);
  },
  'redeem its device codes': async (by, { waitingDevice, allowedDevice }) => {
    for (const each of [waitingDevice, allowedDevice]) {
      const { status, body } = await poll(by, each);
      expect([status, body.error]).toEqual([400, 'invalid_grant']);
    }
  },
  'open its pushed request': async ({ clientId }, { requestUri }) => {
    const page = await ada.openAuthorize({ client_id: clientId, request_uri: requestUri });
    expect([page.status, page.headers.location]).toEqual([400, undefined]);
  },
  'have what a person has allowed it': async (by) => {
    const answer = await ada.openAuthorize(queryOf(by, { prompt: 'none' }));
    expect(answer.headers.location).toContain('error=login_required');
    expect(answer.headers.location).not.toContain('code=');
  },
  'log a person out by its ID token': async ({ clientId }, { idToken }) => {
    const page = await openLogout(ada, { client_id: clientId, id_token_hint: idToken });
    expect(page.headers.location).toBeUndefined();
    expect(await isLoggedIn(ada)).toBe(true);
  },
  'say by its ID token whom it means': async (by, { idToken }) => {
    const answer = await ada.openAuthorize(queryOf(by, { prompt: 'none', id_token_hint: idToken }));
    expect(answer.headers.location ?? '').not.toContain('code=');
  },
  'read, change and delete its registration': async ({ registrationToken = 'none' }, _of, { clientId }) => {
    const own = { client_id: clientId, registration_access_token: registrationToken };
    for (const method of ['get', 'put', 'delete'] as const) {
      const body = { client_id: clientId, redirect_uris: ['https://evil.example/'] };
      expect((await manage(site, method, own, method === 'put' ? body : undefined)).status).toBe(401);
    }
  },
};

describe('the codes and tokens of a client', () => {
  test.each(KINDS)('tokens of one client are useless to others, and stay as they are: %s', async (kind) => {
    const victim = await createActor(kind);
    const objects = await objectsOf(victim);
    for (const by of attackers)
      for (const [attempt, make] of Object.entries(ATTEMPTS)) {
        try {
          await make(by, objects, victim);
        } catch (cause) {
          throw new Error(`a ${by.kind} client tries to ${attempt}`, { cause });
        }
        tried += 1;
      }
    expect((await redeem(victim, objects.code)).status).toBe(200);
    expect((await refresh(victim, objects.refreshToken)).status).toBe(200);
    expect((await poll(victim, objects.waitingDevice)).body.error).toBe('authorization_pending');
    expect((await poll(victim, objects.allowedDevice)).status).toBe(200);
    const requested = await ada.openAuthorize({
      client_id: victim.clientId,
      request_uri: objects.requestUri,
    });
    expect([200, 302]).toContain(requested.status);
  });

  test('each kind of client has attacked each kind in each way', () => {
    expect(tried).toBe(KINDS.length ** 2 * Object.keys(ATTEMPTS).length);
  });
});

describe('the applications of a user', () => {
  const ROOT = '/oauth/applications';
  const PEOPLE = ['ada', 'eve', 'bob'] as const;
  const pairs = [
    ['ada', 'eve'],
    ['eve', 'ada'],
  ] as const;
  const actionsOf = (clientId: string) =>
    routesOf(site.oauth)
      .filter(({ method, path }) => method === 'post' && path.startsWith(`${ROOT}/:id/`))
      .map(({ path }) => path.replace(':id', clientId));
  const people = new Map<string, Person>();
  beforeAll(async () => {
    for (const name of PEOPLE) {
      const person = await logInPerson(site, name);
      people.set(name, person);
    }
  });
  const personNamed = (name: string) => people.get(name)!;
  const stored = (clientId: string) => site.database.find('oauth_clients', clientId);
  const own = (ownerId: string, more = {}) => site.client({ name: `Of ${ownerId}`, ownerId, ...more });

  test.each(pairs)('an application page of %s finds no application of %s', async (attacker, owner) => {
    const { agent } = personNamed(attacker);
    const token = hiddenFields(await agent.get(`${ROOT}/new`));
    for (const type of ['public', 'confidential'] as const) {
      const { clientId } = await own(owner, { type });
      const before = await stored(clientId);
      for (const page of [
        '',
        '/edit',
        '/delete',
        '/disconnect',
        '/invitation',
        `/remove-owner?owner=${owner}`,
      ]) {
        const answer = await agent.get(`${ROOT}/${clientId}${page}`);
        expect(answer.text).not.toContain(`Of ${owner}`);
        expect([303, 404]).toContain(answer.status);
      }
      expect(actionsOf(clientId).length).toBeGreaterThan(12);
      for (const action of actionsOf(clientId))
        await postForm(agent, action, {
          ...token,
          name: 'Stolen',
          confirmation: clientId,
          owner,
          person: attacker,
          verified: 'true',
        });
      expect(await stored(clientId)).toEqual(before);
      expect((await agent.get(ROOT)).text).not.toContain(clientId);
    }
  });
});
