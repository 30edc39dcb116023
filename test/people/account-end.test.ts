import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import mongoose from 'mongoose';

import { createUsers, type OAuthEvent } from '../../lib/index.js';
import { liveAt, markedPlaces, openAccountSite, placesOf } from '../support/account-life.js';
import { letPass } from '../support/clock.js';
import { type LogoutReceiver, openLogoutReceiver } from '../support/logout.js';
import { openSite, type Site } from '../support/site.js';
import { callApi, tokenRequest } from '../support/tokens.js';
import { until } from '../support/until.js';

let site: Site;
const events: OAuthEvent[] = [];
beforeAll(async () => {
  site = await openAccountSite();
  site.oauth.events.on('*', (event) => void events.push(event));
});
afterAll(() => site.close());
beforeEach(() => void events.splice(0));

const stored = (name: string) => site.database.connection.collection(`oauth_${name}`);

describe('the life of a user', () => {
  let receiver: LogoutReceiver;
  beforeAll(async () => {
    receiver = await openLogoutReceiver();
    await liveAt(site, { userId: 'ada', other: 'bob', logoutUri: `${receiver.url}/logout` });
    await site.oauth.audit.find();
  });
  afterAll(() => receiver.close());

  test('each path that has the id of the user is marked by a row of its collection, and no other path', async () => {
    expect(await placesOf(site, 'ada')).toEqual(markedPlaces());
  });

  test('people.export gives what is stored about the user, without hashes and other users', async () => {
    const exported = await site.oauth.people.export('ada');
    const { records } = exported;
    const names = Object.keys(records).filter((name) =>
      records[name]!.some((each) => Object.keys(each).length > 0),
    );
    expect(names.sort()).toEqual(
      ['audit', 'clients', 'consents', 'grants', 'sign_ins', 'users'].map((name) => `oauth_${name}`),
    );
    expect(records.oauth_users).toEqual([{ username: 'ada', name: 'ada', createdAt: expect.any(Date) }]);
    expect(records.oauth_grants).toContainEqual(
      expect.objectContaining({
        userId: 'ada',
        namedToken: { name: 'Backup' },
        authorization: { scopes: ['photos:read'] },
      }),
    );
    const text = JSON.stringify(exported);
    expect(text).not.toMatch(/"(bob|grace|eve)"|hash|sealed/i);
    expect(Object.values((await site.oauth.people.export('nobody')).records).flat()).toEqual([]);
  });

  test('a dry run of people.end says what the end would do, and does nothing', async () => {
    const before = await placesOf(site, 'ada');
    const planned = await site.oauth.people.end('ada', { dryRun: true });
    expect(await placesOf(site, 'ada')).toEqual(before);
    expect(events).toEqual([]);
    const { applications, serviceTokens } = planned;
    expect({
      blocked: applications.blocked.length,
      left: applications.left.length,
      ended: serviceTokens.ended.length,
      kept: serviceTokens.left.length,
      grants: planned.documents.oauth_grants?.length,
    }).toEqual({ blocked: 2, left: 2, ended: 2, kept: 1, grants: 4 });
    // as many as the end itself tells of, below
  });

  test('after people.end no document has the id of the user, and others keep what is theirs', async () => {
    const countOfOther = async () => [
      (await site.oauth.clients.listOfOwner('bob')).length,
      (await site.oauth.personalAccessTokens.list({ ownerId: 'bob' })).length,
    ];
    const ofOther = await countOfOther();
    const audited = await stored('audit').countDocuments({
      $or: [{ userId: 'ada' }, { actorId: 'ada' }, { actors: 'ada' }],
    });
    const ended = await createUsers(site.database.connection).delete('ada');
    // the client hears of the logout before its message goes
    await until(() => receiver.tokens.length > 0);
    await until(async () => (await stored('webhooks').countDocuments()) === 0);
    expect(await placesOf(site, 'ada')).toEqual([]);
    expect(await countOfOther()).toEqual(ofOther);
    const { pseudonym } = ended;
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
      ['account.ended', 'ada', 4],
    ]);
  });

  test('a second people.end finds nothing more', async () => {
    const { applications, serviceTokens, documents } = await site.oauth.people.end('ada');
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
      // an id of its own: the runs after the end go on while the next user lives
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
  test('leaves a message in which the id of the user is only a term of the protocol', async () => {
    const messages = site.database.connection.collection<{ _id: string; payload: string }>('oauth_webhooks');
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
      // no JSON: the id is looked for in the whole text
      { ...givenUp, _id: 'cut off', payload: '{"type":"grant.revoked","userId":"host"' },
    ]);
    await site.oauth.people.end('host');
    expect(await messages.find({ endpoint: 'hooks' }).toArray()).toMatchObject([{ payload }]);
    await messages.deleteMany({});
  });

  test('finds what features have stored that are off now', async () => {
    await site.oauth.grants.create({ clientId: (await site.client()).clientId, userId: 'former' });
    await site.oauth.audit.find();
    const signIn = {
      userId: 'former',
      clientId: 'print-shop',
      sid: 'session',
      expiresAt: new Date(Date.now() + 60_000),
    };
    await stored('sign_ins').insertOne(signIn);
    expect(await placesOf(site, 'former')).toContain('oauth_audit userId');
    const connection = await mongoose.createConnection(site.database.uri).asPromise();
    const without = await openSite({ issuer: site.url, database: { ...site.database, connection } });
    await without.oauth.people.end('former');
    expect(await placesOf(site, 'former')).toEqual([]);
    await without.close();
  });

  test('neither ends nor transfers a service token that has ended', async () => {
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

  test('an export names what somebody is only invited to by its id alone', async () => {
    const { clientId } = await site.client({ ownerId: 'bob', name: 'Secret plans' });
    const invitation = { userId: 'guest', invitedBy: 'bob', typed: 'guest', at: new Date() };
    await stored('clients').updateOne({ _id: clientId as never }, { $set: { invitations: [invitation] } });
    expect((await site.oauth.people.export('guest')).records.oauth_clients).toEqual([{}]);
  });

  test.each([
    ['a misspelt option', { application: 'block' }, "people.end: unknown option 'application'"],
    ['another word', { applications: 'keep' }, "must be 'block', 'delete' or { transferTo"],
    ['the user as the new owner', { applications: { transferTo: 'ada' } }, 'transferTo is the user'],
  ])('refuses %s', async (_what, options, message) => {
    await expect(site.oauth.people.end('ada', options as never)).rejects.toThrow(message);
  });

  test.each([[undefined], [''], [{ $ne: '' }]])('refuses the id %j', async (id) => {
    await expect(site.oauth.people.end(id as never)).rejects.toThrow('people.end: userId must');
    await expect(site.oauth.people.export(id as never)).rejects.toThrow('people.export: userId must');
  });
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
