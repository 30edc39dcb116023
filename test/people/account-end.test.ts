import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Schema } from 'mongoose';

import { createUsers, type EndedAccount, type OAuthEvent } from '../../lib/index.js';
import { liveAt, markedPlaces, openAccountSite, PEOPLE, placesOf } from '../support/account-life.js';
import { runCli } from '../support/cli.js';
import { letPass } from '../support/clock.js';
import { connectTo } from '../support/database.js';
import { openLogoutReceiver } from '../support/logout.js';
import { KEY_SECRET, openSite } from '../support/site.js';
import { fixture } from '../support/site-for.js';
import { callApi, tokenRequest } from '../support/tokens.js';
import { until } from '../support/until.js';

const events: OAuthEvent[] = [];
const site = fixture(() => openAccountSite());
beforeAll(() => {
  site.oauth.events.on('*', (event) => void events.push(event));
});
beforeEach(() => void events.splice(0));

/** As a client may send it: nobody can check the signature of an expired one. */
const idTokenOf = (sub: string) =>
  [{ alg: 'none' }, { sub }, 'signature']
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');

const ADA = PEOPLE[0];
const stored = (name: string) => site.database.collection(`oauth_${name}`);

describe('the life of a user', () => {
  let planned: EndedAccount;
  const receiver = fixture(() => openLogoutReceiver());
  beforeAll(async () => {
    await liveAt(site, { userId: ADA, other: 'bob', logoutUri: `${receiver.url}/logout` });
    await site.oauth.audit.find();
  });

  test('each stored path with the id of the user belongs to a collection row marked `people`', async () => {
    expect(await placesOf(site, ADA)).toEqual(markedPlaces());
  });

  test('people.export returns the data of the user, without hashes and other users', async () => {
    const exported = await site.oauth.people.export(ADA);
    const { records } = exported;
    const names = Object.keys(records).filter((name) =>
      records[name]!.some((each) => Object.keys(each).length > 0),
    );
    expect(names.sort()).toEqual(
      [
        ...['audit', 'clients', 'consents', 'grants', 'pushed_requests', 'received_events', 'sign_ins'],
        ...['stream_subjects', 'users', 'webhooks'],
      ].map((name) => `oauth_${name}`),
    );
    // nothing without an explanation
    expect(Object.values(records).flat()).not.toContainEqual({});
    expect(records.oauth_users).toEqual([{ username: ADA, name: ADA, createdAt: expect.any(Date) }]);
    expect(records.oauth_grants).toContainEqual(
      expect.objectContaining({
        grantId: expect.any(String),
        userId: ADA,
        namedToken: { name: 'Backup' },
        authorization: { scopes: ['photos:read'] },
      }),
    );
    expect(records.oauth_clients).toContainEqual(
      expect.objectContaining({ clientId: expect.any(String), name: 'Alone' }),
    );
    const invitation = { typed: ADA, as: 'owner', expiresAt: expect.any(Date) };
    expect(records.oauth_clients).toContainEqual({
      clientId: expect.any(String),
      invitations: [invitation],
    });
    expect(records.oauth_grants).toContainEqual({ grantId: expect.any(String), invitations: [invitation] });
    expect(records.oauth_webhooks).toContainEqual(expect.objectContaining({ type: 'token.issued' }));
    expect(records.oauth_pushed_requests).toContainEqual(
      expect.objectContaining({ clientId: expect.any(String) }),
    );
    const text = JSON.stringify(exported);
    expect(text).not.toMatch(/"(bob|grace|eve)"|hash|sealed/i);
    expect(Object.values((await site.oauth.people.export('nobody')).records).flat()).toEqual([]);
  });

  test('a dry run of people.end reports the effects, and changes nothing', async () => {
    const before = await placesOf(site, ADA);
    planned = await site.oauth.people.end(ADA, { dryRun: true });
    expect(await placesOf(site, ADA)).toEqual(before);
    expect(events).toEqual([]);
    const { applications, serviceTokens, liveGrants } = planned;
    // of the two connected apps, the trusted one, the device and the personal token: service tokens count separately
    expect(liveGrants).toBe(5);
    expect({
      blocked: applications.blocked.length,
      left: applications.left.length,
      ended: serviceTokens.ended.length,
      kept: serviceTokens.left.length,
      grants: planned.documents.oauth_grants?.length,
    }).toEqual({ blocked: 2, left: 2, ended: 2, kept: 1, grants: 6 });
  });

  test('after people.end no document has the id of the user, and other users keep their data', async () => {
    const countOfOther = async () => [
      (await site.oauth.clients.listOfOwner('bob')).length,
      (await site.oauth.personalAccessTokens.list({ ownerId: 'bob' })).length,
    ];
    const ofOther = await countOfOther();
    const audited = await stored('audit').countDocuments({
      $or: [{ userId: ADA }, { actorId: ADA }, { actors: ADA }],
    });
    const ended = await createUsers(site.database.connection).delete(ADA);
    // the client hears of the logout before its message goes
    await until(() => receiver.tokens.length > 0);
    await until(async () => (await stored('webhooks').countDocuments()) === 0);
    expect(await placesOf(site, ADA)).toEqual([]);
    expect(await countOfOther()).toEqual(ofOther);
    const { pseudonym, liveGrants } = ended;
    // the plan, not the messages and log entries since
    for (const name of ['oauth_sign_ins', 'oauth_grants', 'oauth_consents', 'oauth_pushed_requests'])
      expect([name, ended.documents[name]?.toSorted()]).toEqual([name, planned.documents[name]?.toSorted()]);
    expect(ended.documents.oauth_sign_ins).toHaveLength(1);
    expect(liveGrants).toBe(5);
    expect(pseudonym).toMatch(/^deleted-user:[\w-]{43}$/);
    const entries = await stored('audit')
      .find({ $or: [{ userId: pseudonym }, { actorId: pseudonym }, { actors: pseudonym }] })
      .toArray();
    // and the entry of the end itself
    expect(entries).toHaveLength(audited + 1);
    expect(entries.filter(({ ip }) => ip !== undefined)).toEqual([]);
    expect(await stored('clients').countDocuments({ ownerId: pseudonym, blocked: { $exists: true } })).toBe(
      2,
    );
    expect(events.map(({ type, userId, count }) => [type, userId, count])).toEqual([
      ['account.ended', ADA, 6],
    ]);
  });

  test('a second people.end has no effect', async () => {
    const { applications, serviceTokens, documents } = await site.oauth.people.end(ADA);
    expect({ applications, serviceTokens, grants: documents.oauth_grants ?? [] }).toEqual({
      applications: { blocked: [], deleted: [], transferred: [], left: [] },
      serviceTokens: { ended: [], transferred: [], left: [] },
      grants: [],
    });
  });
});

describe('after the end of an account', () => {
  test.each([
    ['block', [400, 401]],
    ['delete', [401, 401]],
    [{ transferTo: 'bob' }, [200, 200]],
  ] as const)(
    'with applications: %j an application of the user and a service token answer %j',
    async (applications, [client, serviceToken]) => {
      // a new id for each: the runs after the end continue while the next user lives
      const userId = `user of ${JSON.stringify(applications)}`;
      const grantTypes = ['client_credentials', 'authorization_code'];
      const own = await site.client({ ownerId: userId, grantTypes });
      const make = (more: object) =>
        site.oauth.personalAccessTokens.create({ name: 'Backup', scopes: ['profile'], ...more });
      const service = await make({ owners: [userId] });
      await site.oauth.people.end(userId, { applications });
      const { status } = await tokenRequest(site, own, { grant_type: 'client_credentials' });
      expect(status).toBe(client);
      expect((await callApi(site, service.token)).status).toBe(serviceToken);
    },
  );
});

describe('people.end', () => {
  test('people.end keeps a message in which the id of the user is only a word of the protocol', async () => {
    const messages = site.database.collection<{ _id: string; payload: string }>('oauth_webhooks');
    const payload = JSON.stringify({ type: 'grant.revoked', reason: 'host' });
    const givenUp = {
      endpoint: 'hooks',
      attempts: 1,
      triedSince: new Date(),
      expiresAt: new Date(Date.now() + 60_000),
    };
    await messages.insertMany([
      { ...givenUp, _id: 'other', payload },
      { ...givenUp, _id: 'own', payload: JSON.stringify({ type: 'grant.revoked', userId: 'host' }) },
      // no JSON: the id is sought in the whole text
      { ...givenUp, _id: 'cut off', payload: '{"type":"grant.revoked","userId":"host"' },
    ]);
    await site.oauth.people.end('host');
    expect(await messages.find({ endpoint: 'hooks' }).toArray()).toMatchObject([{ payload }]);
    await messages.deleteMany({});
  });

  test('people.end reaches documents of features that are off now', async () => {
    await site.oauth.grants.create({ clientId: (await site.client()).clientId, userId: 'former' });
    await site.oauth.audit.find();
    const signIn = {
      _id: 'a sign-in' as never,
      userId: 'former',
      clientId: 'print-shop',
      sid: 'session',
      expiresAt: new Date(Date.now() + 60_000),
    };
    await stored('sign_ins').insertOne(signIn);
    expect(await placesOf(site, 'former')).toContain('oauth_audit userId');
    await using database = await connectTo(site.database.uri);
    await using without = await openSite({ issuer: site.url, database });
    await without.oauth.people.end('former');
    expect(await placesOf(site, 'former')).toEqual([]);
  });

  test('people.end neither ends nor transfers a service token that has ended', async () => {
    const { id } = await site.oauth.personalAccessTokens.create({
      owners: ['owner'],
      name: 'Former deployment',
      scopes: ['photos:read'],
    });
    await site.oauth.personalAccessTokens.revoke(id);
    const revokedAt = async () => (await stored('grants').findOne({ _id: id as never }))?.revokedAt as Date;
    const before = await revokedAt();
    letPass(60);
    const { serviceTokens } = await site.oauth.people.end('owner');
    expect([serviceTokens, await revokedAt()]).toEqual([{ ended: [], transferred: [], left: [] }, before]);
  });

  test("people.export of an invited user has the client's id and the invitation alone", async () => {
    const { clientId } = await site.client({ ownerId: 'bob', name: 'Secret plans' });
    const invitations = ['guest', 'eve'].map((userId) => ({ userId, invitedBy: 'bob', typed: userId }));
    await stored('clients').updateOne({ _id: clientId as never }, { $set: { invitations } });
    expect((await site.oauth.people.export('guest')).records.oauth_clients).toEqual([
      { clientId, invitations: [{ typed: 'guest' }] },
    ]);
  });

  test.each([
    ['claims', { claims: JSON.stringify({ userinfo: { sub: { values: ['someone', 'named'] } } }) }],
    ['login_hint', { login_hint: 'named' }],
    ['id_token_hint', { id_token_hint: idTokenOf('named') }],
  ])(
    'people.end deletes a pushed request with the user in its %s, and no other',
    async (name, fields: Record<string, string>) => {
      const { clientId } = await site.client();
      const claims = JSON.stringify({ userinfo: { name: null }, id_token: { acr: { value: 'named so' } } });
      const pushed = { clientId, promptKey: '', expiresAt: new Date(Date.now() + 60_000) };
      const all = [{ claims, state: 'named so' }, fields].map((parameters, index) => ({
        ...{ ...pushed, _id: `${name} ${index}`, keptUntil: pushed.expiresAt },
        parameters: new URLSearchParams(parameters).toString(),
      }));
      await stored('pushed_requests').insertMany(all as never);
      const waiting = () => stored('pushed_requests').countDocuments({ clientId });
      expect(await waiting()).toBe(2);
      await site.oauth.people.end('named');
      expect(await waiting()).toBe(1);
    },
  );

  test.each([
    ['delete', 'deleted', { ownerId: undefined }],
    [{ transferTo: 'bob' }, 'transferred', { ownerId: 'bob' }],
  ] as const)(
    'people.end with applications: %j continues after an end that blocked them',
    async (applications, fate, left) => {
      const userId = `blocked before ${fate}`;
      const { clientId } = await site.client({ ownerId: userId });
      const blocked = await site.oauth.people.end(userId);
      expect(blocked.applications.blocked).toEqual([clientId]);
      const planned = await site.oauth.people.end(userId, { applications, dryRun: true });
      const ended = await site.oauth.people.end(userId, { applications });
      expect([planned.applications[fate], ended.applications[fate]]).toEqual([[clientId], [clientId]]);
      expect({ ownerId: (await site.oauth.clients.find(clientId))?.ownerId }).toEqual(left);
    },
  );

  test('people.end refuses a transfer to an unknown user before any change', async () => {
    const { clientId } = await site.client({ ownerId: 'leaving' });
    const applications = { transferTo: 'bobb' };
    for (const dryRun of [true, false])
      await expect(site.oauth.people.end('leaving', { applications, dryRun })).rejects.toThrow(
        "people.end: transferTo: there is no user 'bobb'",
      );
    expect((await site.oauth.clients.find(clientId))?.ownerId).toBe('leaving');
    expect(await site.oauth.audit.find({ userId: 'leaving' })).not.toContainEqual(
      expect.objectContaining({ type: 'account.ended' }),
    );
  });

  test('people.end reads documents in batches, each with the time limit of a command', async () => {
    const entries = Array.from({ length: 450 }, () => ({
      type: 'login.failed',
      time: new Date(),
      userId: 'busy',
      expiresAt: new Date(Date.now() + 3_600_000),
    }));
    await stored('audit').insertMany(entries);
    const { clientId } = await site.client();
    const grant = { clientId, userId: 'busy', grantType: 'host', authorization: {}, createdAt: new Date() };
    const grants = entries.map(({ expiresAt }, index) => ({ ...grant, _id: `busy ${index}`, expiresAt }));
    await stored('grants').insertMany(grants as never);
    await using database = await connectTo(site.database.uri);
    await using other = await openSite({ issuer: site.url, database });
    const sizes: number[] = [];
    database.connection.getClient().on('commandSucceeded', ({ reply }) => {
      const { cursor } = reply as { cursor?: { firstBatch?: unknown[]; nextBatch?: unknown[] } };
      sizes.push((cursor?.firstBatch ?? cursor?.nextBatch ?? []).length);
    });
    const { records } = await other.oauth.people.export('busy');
    const { documents, liveGrants } = await other.oauth.people.end('busy', { dryRun: true });
    expect([records.oauth_audit?.length, records.oauth_grants?.length]).toEqual([450, 450]);
    expect([documents.oauth_audit?.length, documents.oauth_grants?.length, liveGrants]).toEqual([
      450, 450, 450,
    ]);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(200);
    await other.oauth.people.end('busy');
    expect(await placesOf(site, 'busy')).toEqual([]);
  });

  test.each([
    ['a misspelt option', { application: 'block' }, "people.end: unknown option 'application'"],
    ['an unknown word', { applications: 'keep' }, "must be 'block', 'delete' or { transferTo"],
    ['the user as the new owner', { applications: { transferTo: 'ada' } }, 'transferTo is the user'],
  ])('people.end refuses %s', async (_what, options, message) => {
    await expect(site.oauth.people.end('ada', options as never)).rejects.toThrow(message);
  });

  test.each([[undefined], [''], [{ $ne: '' }]])('people.end and people.export refuse id %j', async (id) => {
    await expect(site.oauth.people.end(id as never)).rejects.toThrow('people.end: userId must');
    await expect(site.oauth.people.export(id as never)).rejects.toThrow('people.export: userId must');
  });
});

test('people.export has the fields of the site, except those with select: false', async () => {
  const add = (schema: Schema) => schema.add({ email: String, secret: { type: String, select: false } });
  const other = await openSite({ schemas: { grant: add } });
  const { connection, uri } = other.database;
  const fields = { email: 'ada@example.com', secret: 'of the second factor' };
  const users = createUsers(connection, { rounds: 4, schema: add });
  const { id } = await users.create({ username: 'ada', password: 'a long password', ...fields });
  await other.oauth.grants.create({ clientId: (await other.client()).clientId, userId: id });
  await connection.collection('oauth_grants').updateMany({}, { $set: fields });
  const { records } = await other.oauth.people.export(id);
  for (const name of ['oauth_users', 'oauth_grants'])
    expect(records[name]).toEqual([expect.objectContaining({ email: fields.email })]);
  expect(JSON.stringify(records)).not.toMatch(/hash|second factor/i);
  // a process without the schema cannot tell which fields are public
  const { stdout, stderr } = await runCli(['users', 'export', id], { uri, env: { KEY_SECRET } });
  expect(JSON.parse(stdout)).toMatchObject({ records: { oauth_users: [{ username: 'ada' }] } });
  expect(stdout).not.toMatch(/hash|second factor|ada@example/i);
  expect(stderr).toContain('oauth.people.export');
  await other.close();
});

test('users.delete refuses a transfer to a user outside createUsers, and deletes nobody', async () => {
  const other = await openSite();
  const users = createUsers(other.database.connection, { rounds: 4 });
  const [ada, bob] = [
    await users.create({ username: 'ada', password: 'a long password' }),
    await users.create({ username: 'bob', password: 'a long password' }),
  ];
  const { clientId } = await other.client({ ownerId: ada.id });
  await expect(users.delete(ada.id, { applications: { transferTo: 'bob' } })).rejects.toThrow(
    "there is no user 'bob'",
  );
  expect(await users.findById(ada.id)).toMatchObject({ username: 'ada' });
  await users.delete(ada.id, { applications: { transferTo: bob.id } });
  expect((await other.oauth.clients.find(clientId))?.ownerId).toBe(bob.id);
  expect(await users.findById(ada.id)).toBeNull();
  await other.close();
});

test('users.delete refuses a connection without an authorization server, and deletes nobody', async () => {
  const other = await openSite();
  const users = createUsers(other.database.connection, { rounds: 4 });
  const { id } = await users.create({ username: 'ada', password: 'a long password' });
  await expect(users.delete(id, { applications: 'keep' as never })).rejects.toThrow("must be 'block'");
  await expect(users.delete(id, { applications: { transferTo: id } })).rejects.toThrow(
    'transferTo is the user',
  );
  await other.oauth.close();
  await expect(users.delete(id)).rejects.toThrow('there is no authorization server on this connection');
  expect(await users.findById(id)).toMatchObject({ username: 'ada' });
  await other.close();
});
