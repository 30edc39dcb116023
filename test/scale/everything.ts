import request, { type Response } from 'supertest';

import type { ClientWithSecret } from '../../lib/index.js';
import { createDatabase } from '../../lib/storage/connection/database.js';
import { createInspection } from '../../lib/storage/index-inspection.js';
import { createUsers } from '../../lib/storage/other/users.js';
import { createStores } from '../../lib/storage/stores.js';
import { createTestKey, postAssertion, signAssertion } from '../support/assertions.js';
import { recordCommands, type RecordedCommand } from '../support/commands.js';
import {
  decideOn,
  DEVICE_CODE,
  deviceClient,
  poll,
  startDevice,
  storedDevice,
  typeCode,
} from '../support/device.js';
import { createProofKey, prove } from '../support/dpop.js';
import {
  codeQuery,
  createPerson,
  hiddenFields,
  logInPerson,
  type Person,
  type Query,
} from '../support/person.js';
import { pushed } from '../support/pushed-requests.js';
import { readAll } from '../support/read-all.js';
import { asClient, manage, METADATA, register } from '../support/registration.js';
import { openSite, REDIRECT_URI, type Site } from '../support/site.js';
import {
  basic,
  callApi,
  createPkce,
  obtainCode,
  obtainTokens,
  redeem,
  tokenRequest,
} from '../support/tokens.js';
import { until } from '../support/until.js';
import { doBeside } from './beside.js';
import { doDocumentedClient } from './documented-client.js';
import { doExchanges } from './exchanges.js';
import { JWT_API, MANY } from './full-site.js';
import { doNamedTokens } from './named-tokens.js';

/** A command with its cause, such as `token: code`. */
export interface CausedCommand extends RecordedCommand {
  readonly cause: string;
}

/** Does some work and records its commands to the database. */
export type Step = (cause: string, work: () => PromiseLike<unknown>) => Promise<void>;

const PAGE = '/oauth/applications';

/** Requests of clients and APIs, and of users in a flow, which a site serves all the time. */
export const HOT = /^(guard|token|authorize|introspect|revoke|device|par)\b/;

/** Runs each function of a site, its developers, its administrators and its code, once. */
export async function doEverything(site: Site): Promise<CausedCommand[]> {
  const commands: CausedCommand[] = [];
  const step: Step = async (cause, work) => {
    const recorded = await recordCommands(site.database, work);
    commands.push(...recorded.map((command) => ({ ...command, cause })));
  };
  const ada = await logInPerson(site, 'ada');
  const client = await site.client({ ownerId: 'ada' });
  await doAuthorizations(site, step, { ada, client });
  await doTokens(site, step, client);
  await doBoundTokens(site, step, client);
  await doDocumentedClient(step, ada);
  await doDevices(site, step, ada);
  await doTokenQuestions(site, step, client);
  await doPages(site, step, { ada, client });
  await doRegistration(site, step);
  await doCode(site, step);
  await doNamedTokens(site, step, ada);
  await doCommandLine(site, step);
  const stores = createStores(site.database.connection, { timeout: 5000 });
  await doExchanges(stores, step);
  await doBeside(step, stores);
  return commands;
}

function expectOk({ status, text }: Response): void {
  if (status !== 200) throw new Error(`${status}: ${text}`);
}

interface Who {
  readonly ada: Person;
  readonly client: ClientWithSecret;
}

const codeRequest = (client: ClientWithSecret, more = {}) => codeQuery(client, { state: 'x', ...more });

async function doAuthorizations(site: Site, step: Step, { ada }: Who): Promise<void> {
  const client = await site.client({ ownerId: 'ada' });
  await step('authorize: nobody is logged in', () => createPerson(site).openAuthorize(codeRequest(client)));
  await step('authorize: deny', () => ada.authorize(codeRequest(client), { decision: 'deny' }));
  await step('authorize: allow', () => ada.authorize(codeRequest(client)));
  await step('authorize: allowed before', () => ada.authorize(codeRequest(client, { scope: 'profile' })));
  await step('authorize: implicit', () => ada.authorize({ ...codeRequest(client), response_type: 'token' }));
  const trusted = await site.client({ trusted: true });
  await step('authorize: trusted', () => ada.authorize(codeRequest(trusted)));
  let query: Query = {};
  await step('par: push', async () => (query = await pushed(site, client)));
  await step('authorize: a pushed request', () => ada.authorize(query));
}

/** Tokens that are bound to a key, and a route for them. */
async function doBoundTokens(site: Site, step: Step, client: ClientWithSecret): Promise<void> {
  const key = await createProofKey();
  let token = '';
  const proof = await prove(key, 'POST', `${site.url}/oauth/token`);
  await step('token: bound to a key', async () => {
    const sent = tokenRequest(site, client, { grant_type: 'client_credentials' }).set('DPoP', proof);
    token = ((await sent.expect(200)).body as { access_token: string }).access_token;
  });
  const displayed = await prove(key, 'GET', `${site.url}/api/me`, { accessToken: token });
  await step('guard: bound to a key', () =>
    request(site.server)
      .get('/api/me')
      .set({ Authorization: `DPoP ${token}`, DPoP: displayed })
      .expect(200),
  );
}

async function doTokens(site: Site, step: Step, client: ClientWithSecret): Promise<void> {
  const wrong = () =>
    tokenRequest(site, { ...client, clientSecret: 'wrong' }, { grant_type: 'client_credentials' });
  await step('token: wrong secrets', async () => {
    for (let tries = 0; tries < 3; tries += 1) await wrong().expect(401);
  });
  const { challenge, code_verifier } = createPkce();
  const code = await obtainCode(site, client, { query: challenge });
  let tokens = { refresh_token: '', access_token: '' };
  const keep = ({ body }: Response) => void (tokens = body);
  await step('token: code', () => redeem(site, client, code, { code_verifier }).expect(200).then(keep));
  const refresh = (refreshToken: string) =>
    tokenRequest(site, client, { grant_type: 'refresh_token', refresh_token: refreshToken });
  const first = tokens.refresh_token;
  await step('guard: opaque', () => callApi(site, tokens.access_token).then(expectOk));
  await step('token: refresh', () => refresh(first).expect(200).then(keep));
  await step('token: refresh whose answer was lost', () => refresh(first).expect(200).then(keep));
  await step('token: refresh with fewer scopes', () =>
    tokenRequest(site, client, {
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
      scope: 'profile',
    }).expect(200),
  );
  await step('token: refresh token used again', () => refresh(first).expect(400));
  await step('guard: revoked', () => callApi(site, tokens.access_token));
  await step('token: code again', () => redeem(site, client, code, { code_verifier }).expect(400));
  await step('token: unknown client', () =>
    tokenRequest(site, { ...client, clientId: 'unknown' }, { grant_type: 'client_credentials' }),
  );
  const capped = await site.client({ tokensPerHour: MANY });
  await step('caps: a client that has some', () =>
    tokenRequest(site, capped, { grant_type: 'client_credentials' }).expect(200),
  );
  await step('token: client_credentials', () =>
    tokenRequest(site, client, { grant_type: 'client_credentials' }).expect(200),
  );
  await step('token: password', () =>
    tokenRequest(site, client, {
      grant_type: 'password',
      username: 'ada',
      password: 'password of ada',
    }).expect(200),
  );
  await step('token: JWT', () =>
    tokenRequest(site, client, { grant_type: 'client_credentials', resource: JWT_API })
      .expect(200)
      .then(keep),
  );
  await step('guard: JWT', () => callApi(site, tokens.access_token, '/albums').then(expectOk));
  const key = await createTestKey();
  const { clientId } = await site.client({ jwks: { keys: [key.publicJwk] } });
  await step('token: private_key_jwt', async () =>
    postAssertion(site, await signAssertion(site, clientId, key)).expect(200),
  );
}

async function doDevices(site: Site, step: Step, ada: Person): Promise<void> {
  const client = await deviceClient(site, { grantTypes: [DEVICE_CODE, 'refresh_token'] });
  let device = await startDevice(site, client);
  await step('device: authorization', async () => (device = await startDevice(site, client)));
  await step('device: poll', () => poll(site, client, device).expect(400));
  await step('device: a wrong code', () => typeCode(ada, 'BCDF-GHJK'));
  await step('device: allow', () => decideOn(ada, device));
  let tokens: { access_token: string } | undefined;
  await step('device: tokens', async () => {
    tokens = (await poll(site, client, device).expect(200)).body;
  });
  await step('device: a response that was lost', () => poll(site, client, device).expect(200));
  await step('device: its first use', () => callApi(site, String(tokens?.access_token)));
  await step('device: the code again', () => poll(site, client, device).expect(400));
  if ((await storedDevice(site, device))?.revokedAt === undefined)
    throw new Error('the device flow went another way than it should');
}

async function doTokenQuestions(site: Site, step: Step, client: ClientWithSecret): Promise<void> {
  const { access_token: access, refresh_token: refresh } = await obtainTokens(site, client, {
    query: { scope: 'profile' },
  });
  const api = await site.client({ introspection: true, grantTypes: ['client_credentials'] });
  const post = (path: string, by: ClientWithSecret, token: string) =>
    request(site.server)
      .post(`/oauth/${path}`)
      .type('form')
      .set('Authorization', basic(by.clientId, by.clientSecret ?? ''))
      .send({ token })
      .expect(200);
  await step('introspect: access token', () => post('introspect', api, access));
  await step('introspect: refresh token', () => post('introspect', api, refresh));
  await step('revoke: access token', () => post('revoke', client, access));
  await step('revoke: refresh token', () => post('revoke', client, refresh));
  await step('metadata', () =>
    request(site.server).get('/.well-known/oauth-authorization-server').expect(200),
  );
  await step('jwks', () => request(site.server).get('/oauth/jwks').expect(200));
  await step('logo of a client: named, looked at', async () => {
    // no public address, so it is found missing at once
    const { clientId } = await site.client({ logoUri: 'https://localhost:1/logo.png' });
    const logos = site.database.collection<{ _id: string }>('oauth_client_logos');
    await until(async () => Number(await logos.countDocuments({ _id: clientId })) === 1);
    await request(site.server).get(`/oauth/client-logo?client_id=${clientId}&v=x`).expect(404);
  });
}

async function doPages(site: Site, step: Step, { ada, client }: Who): Promise<void> {
  const grace = await logInPerson(site, 'grace');
  const open = ({ agent }: Person, path: string) => agent.get(path).expect(200);
  const send = async ({ agent }: Person, page: string, action: string, more: object = {}) =>
    agent
      .post(action)
      .type('form')
      .send({ ...hiddenFields(await agent.get(page)), ...more });
  const values = {
    name: 'Another name',
    type: 'confidential',
    redirect_uris: REDIRECT_URI,
    scope: ['profile'],
    grant_type: ['authorization_code'],
  };
  const own = `${PAGE}/${client.clientId}`;

  await step('page: one’s applications', () => open(ada, PAGE));
  await step('page: register an application', () => send(ada, `${PAGE}/new`, PAGE, values));
  await step('page: an application', () => open(ada, own));
  await step('page: change an application', () => send(ada, `${own}/edit`, `${own}/edit`, values));
  await step('page: rotate a secret', () => send(ada, own, `${own}/rotate-secret`));
  await step('page: end old secrets', () => send(ada, own, `${own}/end-old-secret`));
  const guest = await logInPerson(site, 'bob');
  const invited = async (person: Person) => hiddenFields(await open(person, `${own}/invitation`)).invitation;
  const inviteGuest = () => send(ada, own, `${own}/invite`, { person: 'bob', as: 'owner' });
  await step('page: invite somebody', inviteGuest);
  await step('page: one’s invitations', () => open(guest, PAGE));
  await step('page: take an invitation back', async () =>
    send(ada, own, `${own}/withdraw`, { invitation: await invited(guest) }),
  );
  await inviteGuest();
  await step('page: decline an invitation', async () =>
    send(guest, `${own}/invitation`, `${own}/decline`, { invitation: await invited(guest) }),
  );
  await inviteGuest();
  await step('page: accept an invitation', () => send(guest, `${own}/invitation`, `${own}/accept`));
  await step('page: leave an application', () =>
    send(guest, `${own}/remove-owner?owner=bob`, `${own}/remove-owner`),
  );
  await step('page: applications, a search', () => open(grace, `${PAGE}?list=all&q=frame`));
  await step('page: applications, blocked', () => open(grace, `${PAGE}?list=blocked`));
  // more than a page of each list shows
  for (let count = 0; count < 30; count += 1) await register(site).expect(201);
  for (const list of ['all', 'self-registered', 'unused', 'unverified']) {
    const next = async (path: string) =>
      /id="applications-next" href="([^"]+)"/
        .exec((await open(grace, path)).text)?.[1]
        ?.replaceAll('&amp;', '&') ?? 'no next part';
    let path = '';
    await step(`page: applications, ${list}`, async () => (path = await next(`${PAGE}?list=${list}`)));
    await step(
      `page: applications, ${list}, the next part`,
      async () => (path = await next(path).catch(() => path)),
    );
    await step(`page: applications, ${list}, back`, async () => {
      const { text } = await open(grace, path.includes('after') ? path : `${PAGE}?list=${list}`);
      const [, back = ''] = /id="applications-previous" href="([^"]+)"/.exec(text) ?? [];
      if (back !== '') await open(grace, back.replaceAll('&amp;', '&'));
    });
  }
  const shop = await site.client();
  await obtainTokens(site, shop);
  await step('page: connected applications', () => open(ada, '/oauth/authorizations'));
  const connected = `/oauth/authorizations/${shop.clientId}`;
  await step('page: connected applications by name', () => open(ada, '/oauth/authorizations?q=a'));
  await step('page: a connected application', () => open(ada, connected));
  await step('page: take a scope back', () =>
    send(ada, connected, `${connected}/scopes`, { shown_scope: 'photos:read', scope: 'profile' }),
  );
  await step('page: end the access of one', () =>
    send(ada, '/oauth/authorizations', '/oauth/authorizations/revoke', { client_id: client.clientId }),
  );
  await step('page: end the access of all', () =>
    send(ada, '/oauth/authorizations', '/oauth/authorizations/revoke-all'),
  );
  await step('page: delete an application', () =>
    send(ada, `${own}/delete`, `${own}/delete`, { confirmation: client.clientId }),
  );
}

async function doRegistration(site: Site, step: Step): Promise<void> {
  const { registration } = site.oauth;
  let token = '';
  await step(
    'registration: make an initial access token',
    async () => ({ token } = await registration.createInitialAccessToken({ expiresIn: 60, uses: 2 })),
  );
  const registered = { client_id: '', registration_access_token: '', client_secret: '' };
  const closed = await openSite({
    database: site.database,
    issuer: site.url,
    registration: {},
    onError: () => undefined,
  });
  await step('registration: by it', () =>
    register(closed, METADATA, token)
      .expect(201)
      .then(({ body }) => Object.assign(registered, body)),
  );
  await closed.close();
  await step('registration: revoke it', () => registration.revokeInitialAccessToken(token));
  await step('registration: anybody', () =>
    register(site)
      .expect(201)
      .then(({ body }) => Object.assign(registered, body)),
  );
  const ada = await logInPerson(site, 'ada');
  const used = await asClient(site, registered);
  await step('authorize: the first use of a client that registered itself', () =>
    ada.authorize(codeRequest(used)),
  );
  await step('registration: read', () => manage(site, 'get', registered).expect(200));
  await step('registration: replace', () =>
    manage(site, 'put', registered, { ...METADATA, client_id: registered.client_id, client_name: 'Renamed' })
      .expect(200)
      .then(({ body }) => Object.assign(registered, body)),
  );
  await step('registration: delete', () => manage(site, 'delete', registered).expect(204));
}

/** The functions for the code of the host. */
async function doCode(site: Site, step: Step): Promise<void> {
  const { clients, grants, keys, audit } = site.oauth;
  const { clientId } = await clients.create({
    name: 'From code',
    redirectUris: [REDIRECT_URI],
    ownerId: 'somebody',
    accessTokenTtl: 60,
  });
  await step('code: clients', async () => {
    await clients.find(clientId);
    await clients.update(clientId, { name: 'Changed' });
    await clients.rotateSecret(clientId);
    await clients.revokeOldSecrets(clientId);
    await clients.listOfOwner('somebody');
  });
  await step('code: revoke all of a user at a client', () => grants.revoke({ userId: 'ada', clientId }));
  await step('code: revoke all of a user', () => grants.revoke({ userId: 'ada' }));
  await step('code: revoke all of a client', () => grants.revoke({ clientId }));
  await step('code: owners of a client', async () => {
    await clients.addOwner(clientId, 'ada');
    await clients.addOwner(clientId, 'bob');
    await clients.removeOwner(clientId, 'bob');
  });
  await step('code: block and unblock a client', async () => {
    await clients.block(clientId, { reason: 'It sends spam.' });
    await clients.unblock(clientId);
  });
  await step('code: delete a client', () => clients.delete(clientId));
  await step('code: keys', async () => {
    await keys.rotate();
    // the key that still signs, before its successor does
    const [, signing] = await keys.list();
    await keys.revoke(signing?.kid ?? 'none');
  });
  const since = new Date(Date.now() - 60_000);
  for (const query of [
    {},
    { since },
    { userId: 'ada' },
    { userId: 'ada', since },
    { clientId },
    { clientId, since },
    { userId: 'ada', clientId },
  ]) {
    await step(`code: audit by ${Object.keys(query).join(', ') || 'nothing'}`, () => audit.find(query));
  }
  await step('code: people', async () => {
    await site.oauth.people.export('somebody');
    await site.oauth.people.end('somebody', { dryRun: true });
    // it runs again a second later, in the step of that moment: not here
    const { setTimeout: begin } = globalThis;
    globalThis.setTimeout = ((work: () => void, pause = 0) =>
      begin(work, pause === 1000 ? 2 ** 31 - 1 : pause)) as typeof setTimeout;
    try {
      await site.oauth.people.end('somebody');
    } finally {
      globalThis.setTimeout = begin;
    }
  });
  const users = createUsers(site.database.connection, { rounds: 4 });
  const { id } = await users.create({ username: 'linus', password: 'a long password' });
  await step('login: bundled', async () =>
    users.findById((await users.verify('linus', 'a long password'))?.id ?? id),
  );
}

/** The commands of the command line, which is a separate process. */
async function doCommandLine(site: Site, step: Step): Promise<void> {
  const { connection } = site.database;
  const { clients, grants, migrated, auditLog } = createStores(connection, { timeout: 5000 });
  // as with too many registrations, which have a separate test
  await step('registration: make room', () => clients.removeOldestUnused(new Date(0)));
  // while the database does not answer
  const before = { grantId: 'other-grant-5', expiresAt: new Date() };
  const write = {
    accessToken: { hash: 'none', expiresAt: new Date() },
    now: new Date(),
    expiresAt: new Date(),
  };
  await step('token: a step whose answer was lost', () => grants.confirmTokens(before, write));
  await step('token: tokens nobody was told of', () => grants.undoTokens(before, write));
  for (const query of [
    { userId: 'ada' },
    { clientId: 'other-client-5', since: new Date(0) },
    { until: new Date() },
  ])
    await step('command line: audit export', () => readAll(auditLog.readAll(query)));
  await step('command line: how long the audit keeps entries', () => auditLog.findLife('command_line'));
  await step('command line: grants list', () => grants.listLive({ userId: 'ada' }, new Date(), 100));
  await step('command line: clients list', () => clients.list(100));
  await step('command line: clients list --after', () => clients.list(100, 'other-client-5'));
  const many = { ...before, clientId: 'other-client-5', grantType: 'migrated', accessTokens: [] };
  await step('command line: migrate', async () => {
    await grants.insertAll([
      { ...many, authorization: { scopes: [], resources: [] }, createdAt: new Date() },
    ]);
    await migrated.note([{ _id: 'other-thing-5', kind: 'client' }]);
    await migrated.findAll(['other-thing-5', 'other-thing-6']);
    await migrated.finish('other-thing-5', new Date());
  });
  await step('guard: a token of another server', () => callApi(site, 'a'.repeat(40)));
  const inspection = createInspection(createDatabase(connection, 5000));
  await step('command line: doctor', async () => {
    for (const collection of inspection.collections)
      await inspection.countExpired(collection, new Date(Date.now() - 3600_000), 1000);
  });
}
