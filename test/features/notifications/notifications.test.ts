import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import request from 'supertest';

import type { Notification } from '../../../lib/index.js';
import { letLimitEnd, letPass } from '../../support/clock.js';
import { DEVICE_GRANT_TYPES, deviceClient, PAGE, startDevice } from '../../support/device.js';
import { testFailing, whileFailing } from '../../support/fail-point.js';
import { IS_LONG, reportProgress } from '../../support/long-run.js';
import { codeQuery, hiddenFields, logInPerson, postForm, tickedScopes } from '../../support/person.js';
import { openSite } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { callApi, obtainTokens, redeem, refreshTokens } from '../../support/tokens.js';
import { until } from '../../support/until.js';

interface GrantDocument {
  readonly _id: string;
  readonly userId: string;
  readonly accessTokens: readonly object[];
}

const DAY = 86_400;
const REGISTRATIONS = IS_LONG ? 10_000 : 60;
let sent: Notification[] = [];
/** Lets the hook of the host fail. */
let fail: () => void = () => undefined;

const notify = (notification: Notification) => {
  fail();
  sent.push(notification);
};

const site = siteFor({
  personalAccessTokens: true,
  // the default is 1000, and above it unused clients block new ones
  registration: { open: true, maxClients: REGISTRATIONS + 1000 },
  grantTypes: [...DEVICE_GRANT_TYPES],
  security: { rateLimits: false },
  siteName: 'Lantern Photos',
  notify,
  people: { language: (userId) => (userId === 'grace' ? 'de' : undefined) },
});
const ada = fixture(() => logInPerson(site));
beforeEach(async () => {
  await site.oauth.grants.revoke({ userId: 'ada' });
  sent = [];
  fail = () => undefined;
});

/** Another process of the same site. */
const openOther = () =>
  openSite({
    issuer: site.url,
    database: site.database,
    personalAccessTokens: true,
    notify,
    unready: true,
  });
const kinds = () => sent.map(({ kind, userId }) => `${kind} ${userId}`);
const arrived = (count: number) => until(() => Promise.resolve(sent.length >= count));
/** Waits until all earlier messages have arrived: messages are sent in turn. */
async function nothingMore(): Promise<void> {
  const before = sent.length;
  await site.oauth.personalAccessTokens.create({ userId: 'marker', name: 'Marker', scopes: ['profile'] });
  await until(() => Promise.resolve(sent.some(({ userId }) => userId === 'marker')));
  await site.oauth.grants.revoke({ userId: 'marker' });
  sent = sent.filter(({ userId }) => userId !== 'marker');
  expect(sent).toHaveLength(before);
}
const authorize = (clientId: string, scope: string, more = {}) =>
  codeQuery(clientId, { state: 'xyz', scope, ...more });

describe('a person is notified', () => {
  test('a person is notified of a new app once, and not when they come back to it', async () => {
    const client = await site.client({ name: 'Ink & <b>Paper</b>' });
    await ada.authorize(authorize(client.clientId, 'photos:read'));
    await arrived(1);
    expect(sent).toEqual([
      {
        id: expect.stringMatching(/^msg_/),
        userId: 'ada',
        kind: 'newApp',
        subject: 'Ink & <b>Paper</b> can now use your account at Lantern Photos',
        text: expect.stringContaining('- See your photos'),
        html: expect.stringContaining('Ink &amp; &lt;b&gt;Paper&lt;/b&gt;'),
        url: `${site.url}/oauth/authorizations/${client.clientId}`,
        language: 'en',
      },
    ]);
    // remembered: no consent page, no message
    const again = await ada.openAuthorize(authorize(client.clientId, 'photos:read'));
    expect(again.headers.location).toContain('code=');
    await nothingMore();
  });

  test('a person is notified of additional scopes only', async () => {
    const client = await site.client();
    const first = await ada.authorize(authorize(client.clientId, 'photos:read'));
    await arrived(1);
    await redeem(site, client, String(first.searchParams.get('code'))).expect(200);
    letPass(60);
    await ada.authorize(authorize(client.clientId, 'photos:read photos:write'));
    await arrived(2);
    expect(kinds()).toEqual(['newApp ada', 'moreScopes ada']);
    expect(sent[1]?.text).toContain('- Add and delete photos');
    expect(sent[1]?.text).not.toContain('- See your photos');
    letPass(60);
    // a second consent to the same scopes sends no message
    await ada.authorize(authorize(client.clientId, 'photos:read', { prompt: 'consent' }));
    await nothingMore();
  });

  test('a person is notified of a new device', async () => {
    const client = await deviceClient(site);
    const { user_code } = await startDevice(site, client);
    const agent = ada.agent;
    const form = await agent.get(PAGE);
    const found = await postForm(agent, PAGE, { ...hiddenFields(form), user_code });
    const requested = await agent.get(String(found.headers.location));
    await postForm(agent, PAGE, {
      ...hiddenFields(requested),
      granted_scope: tickedScopes(requested),
      decision: 'allow',
    });
    await arrived(1);
    expect(kinds()).toEqual(['newDevice ada']);
  });

  test('a person is notified of a new token in their language, and of a leaked one', async () => {
    const { token, id } = await site.oauth.personalAccessTokens.create({
      userId: 'grace',
      name: 'Sicherung',
      scopes: ['photos:read'],
    });
    await arrived(1);
    expect(sent[0]).toMatchObject({
      kind: 'newToken',
      language: 'de',
      subject: 'Neues Zugangstoken bei Lantern Photos: Sicherung',
      url: `${site.url}/oauth/access-tokens/${id}`,
    });
    expect(JSON.stringify(sent)).not.toContain(token);
    await Promise.all(
      Array.from({ length: 20 }, () => request(site.server).post('/oauth/leaked-token').send({ token })),
    );
    await arrived(2);
    expect(kinds()).toEqual(['newToken grace', 'tokenLeaked grace']);
    await nothingMore();
  });

  test('a person is notified of each leaked token, however many are in one report', async () => {
    const tokens = await Promise.all(
      Array.from({ length: 25 }, (_, index) =>
        site.oauth.personalAccessTokens.create({
          userId: 'careless',
          name: `Job ${index}`,
          scopes: ['profile'],
        }),
      ),
    );
    await request(site.server)
      .post('/oauth/leaked-token')
      .send(tokens.map(({ token }) => ({ token })))
      .expect(200);
    await until(() => sent.filter(({ kind }) => kind === 'tokenLeaked').length >= tokens.length);
  });

  test('a person is notified of a blocked token', async () => {
    const { id } = await site.oauth.personalAccessTokens.create({
      userId: 'ada',
      name: 'Backup',
      scopes: ['photos:read'],
    });
    await site.oauth.personalAccessTokens.block(id, { reason: 'it calls too often' });
    await arrived(2);
    // both messages are sent in parallel, in either order
    expect(sent.find(({ kind }) => kind === 'tokenBlocked')).toMatchObject({
      userId: 'ada',
      subject: 'Your access token Backup at Lantern Photos is blocked',
      url: `${site.url}/oauth/access-tokens/${id}`,
    });
  });

  test('each owner is notified of a new service token', async () => {
    await site.oauth.personalAccessTokens.create({
      owners: ['ada', 'bob'],
      name: 'Job',
      scopes: ['profile'],
    });
    await arrived(2);
    expect(kinds().sort()).toEqual(['newToken ada', 'newToken bob']);
  });

  test('a person is notified of a refresh token that was used twice', async () => {
    const client = await site.client();
    const { refresh_token } = await obtainTokens(site, client);
    const refresh = () => refreshTokens(site, client, refresh_token);
    await refresh().expect(200);
    await refresh().expect(400);
    await arrived(2);
    expect(kinds()).toEqual(['newApp ada', 'reuseDetected ada']);
  });

  test('a person is notified if their application is blocked', async () => {
    const client = await site.client({ ownerId: 'bob' });
    await site.oauth.clients.block(client.clientId, { reason: 'spam' });
    await arrived(1);
    expect(kinds()).toEqual(['appBlocked bob']);
    expect(sent[0]?.url).toBe(`${site.url}/oauth/applications/${client.clientId}`);
  });

  test('one of several processes notifies a person once before a token expires', async () => {
    const { id } = await site.oauth.personalAccessTokens.create({
      userId: 'ada',
      name: 'Monthly',
      scopes: ['profile'],
      expiresIn: 30 * DAY,
    });
    await arrived(1);
    letPass(24 * DAY);
    const others = await Promise.all([1, 2, 3].map(() => openOther()));
    await until(() =>
      Promise.resolve(sent.some(({ kind, userId }) => kind === 'tokenExpiring' && userId === 'ada')),
    );
    await Promise.all(others.map((other) => other.close()));
    sent = sent.filter(({ userId }) => userId === 'ada');
    expect(sent.map(({ kind }) => kind)).toEqual(['newToken', 'tokenExpiring']);
    expect(sent[1]).toMatchObject({ userId: 'ada', url: `${site.url}/oauth/access-tokens/${id}` });
  });

  test('a person is notified of each of 25 tokens before it expires', async () => {
    const tokens = Array.from({ length: 25 }, (_, index) => `Monthly ${index}`);
    for (const name of tokens)
      await site.oauth.personalAccessTokens.create({
        userId: 'diligent',
        name,
        scopes: ['profile'],
        expiresIn: 30 * DAY,
      });
    letPass(24 * DAY);
    const other = await openOther();
    const reminders = () =>
      sent.filter(({ kind, userId }) => kind === 'tokenExpiring' && userId === 'diligent');
    await until(() => Promise.resolve(reminders().length >= tokens.length));
    await other.close();
    expect(new Set(reminders().map(({ subject }) => subject)).size).toBe(tokens.length);
    await site.oauth.grants.revoke({ userId: 'diligent' });
  });

  test('a person is notified of an expiring token among more than one batch of them', async () => {
    const { id } = await site.oauth.personalAccessTokens.create({
      userId: 'ada',
      name: 'Monthly',
      scopes: ['profile'],
      expiresIn: 30 * DAY,
    });
    const grants = site.database.collection<GrantDocument>('oauth_grants');
    const one = (await grants.findOne({ _id: id }))!;
    // more than one batch
    const people = Array.from({ length: 120 }, (_, index) => `one of many ${index}`);
    await grants.insertMany(
      people.map((userId) => ({
        ...one,
        ...{ _id: userId, userId },
        accessTokens: one.accessTokens.map((token) => ({ ...token, hash: userId })),
      })),
    );
    letPass(24 * DAY);
    const other = await openOther();
    const reminded = () =>
      new Set(sent.flatMap(({ kind, userId }) => (kind === 'tokenExpiring' ? [userId] : [])));
    await until(() => Promise.resolve(people.every((userId) => reminded().has(userId))));
    await other.close();
    await grants.deleteMany({ _id: { $in: people } });
  });

  test('a person is notified of an expiring token after a process failed to store the message', async () => {
    const { id } = await site.oauth.personalAccessTokens.create({
      userId: 'ada',
      name: 'Monthly',
      scopes: ['profile'],
      expiresIn: 30 * DAY,
    });
    await arrived(1);
    letPass(24 * DAY);
    const insertMany = jest
      .spyOn(site.oauth.models.Webhook!, 'insertMany')
      .mockRejectedValue(new Error('away'));
    const first = await openOther();
    await until(() => Promise.resolve(insertMany.mock.calls.length > 0));
    await first.close();
    insertMany.mockRestore();
    expect(sent).toHaveLength(1);
    // the first process may still be at work: no other one takes over before its lease ends
    const second = await openOther();
    await second.close();
    expect(sent).toHaveLength(1);
    letPass(601);
    const third = await openOther();
    await until(() => Promise.resolve(sent.some(({ kind }) => kind === 'tokenExpiring')));
    await third.close();
    expect(sent.map(({ kind, url }) => [kind, url])).toEqual([
      ['newToken', `${site.url}/oauth/access-tokens/${id}`],
      ['tokenExpiring', `${site.url}/oauth/access-tokens/${id}`],
    ]);
    // and no process notifies again
    letPass(3600);
    const fourth = await openOther();
    await fourth.close();
    await nothingMore();
  });
});

testFailing.each([
  ['the message is not stored', 'insert'],
  ['the token is not read', 'find'],
] as const)('a person is notified in the end, and once, if %s at first', async (_what, command) => {
  const failures = () => site.errors.filter(({ detail }) => detail?.includes('it waits and is stored again'));
  const { id } = await site.oauth.personalAccessTokens.create({
    userId: 'ada',
    name: 'Backup',
    scopes: ['profile'],
  });
  await arrived(1);
  const { length } = failures();
  const blocked = { type: 'token.blocked', clientId: `personal_access_token:${id}`, grantId: id } as never;
  await whileFailing(site.database, { command, failure: { errorCode: 8000 } }, async () => {
    await site.oauth.events.emit('token.blocked', blocked);
    await until(() => Promise.resolve(failures().length > length));
  });
  await arrived(2);
  await nothingMore();
  expect(kinds()).toEqual(['newToken ada', 'tokenBlocked ada']);
});

describe('nobody is notified', () => {
  test(`nobody is notified of ${REGISTRATIONS} registrations`, async () => {
    let registered = 0;
    const stopTelling = reportProgress(() => `${registered} of ${REGISTRATIONS} registrations`);
    for (; registered < REGISTRATIONS; registered += 60)
      await Promise.all(
        Array.from({ length: Math.min(60, REGISTRATIONS - registered) }, (_, index) =>
          request(site.server)
            .post('/oauth/register')
            .send({
              client_name: `App ${registered + index}`,
              redirect_uris: [`https://app-${registered + index}.example/cb`],
            })
            .expect(201),
        ),
      );
    stopTelling();
    const { Client } = site.oauth.models;
    const stored = await Client.countDocuments({ name: /^App / });
    if (IS_LONG) console.info(`${stored} clients have registered`);
    expect(stored).toBe(REGISTRATIONS);
    await nothingMore();
  });

  test('a person gets at most twenty messages of one kind in an hour', async () => {
    for (let made = 0; made < 25; made++) {
      const { id } = await site.oauth.personalAccessTokens.create({
        userId: 'eve',
        name: `Token ${made}`,
        scopes: ['profile'],
      });
      await site.oauth.personalAccessTokens.revoke(id);
    }
    await until(() => Promise.resolve(sent.length >= 20));
    await nothingMore();
    expect(sent).toHaveLength(20);
  });
});

test('a hook that throws fails no request and is called again with the same id', async () => {
  fail = () => {
    throw new Error('the mail server is away');
  };
  const { token } = await site.oauth.personalAccessTokens.create({
    userId: 'ada',
    name: 'Backup',
    scopes: ['profile'],
  });
  expect((await callApi(site, token)).status).toBe(200);
  await until(() => Promise.resolve(site.errors.some(({ detail }) => detail?.includes('mail server'))));
  const waiting = await site.oauth.models.Webhook!.find({}).lean();
  const message = waiting.find(({ payload }) => payload.includes('"Backup"'));
  fail = () => undefined;
  letPass(60);
  await until(() => Promise.resolve(sent.some(({ subject }) => subject.includes('Backup'))));
  const ids = sent.filter(({ subject }) => subject.includes('Backup')).map(({ id }) => id);
  expect(ids).toEqual([String(message?._id)]);
});

test('hooks that never end delay neither other messages nor the end of the process', async () => {
  let forgotten = 0;
  // the time limit of a hook
  letLimitEnd(30_000, 'at once');
  const patient = await openSite({
    personalAccessTokens: true,
    notify: ({ userId }) => {
      if (userId !== 'forgotten') return void sent.push({ userId } as Notification);
      forgotten += 1;
      return new Promise<void>(() => undefined);
    },
  });
  const make = (userId: string) =>
    patient.oauth.personalAccessTokens.create({ userId, name: 'Backup', scopes: ['profile'] });
  for (let count = 0; count < 5; count += 1) await make('forgotten');
  await until(() => Promise.resolve(forgotten >= 4));
  await make('ada');
  await arrived(1);
  await patient.close();
  expect(patient.errors.map(({ detail }) => detail)).toContainEqual(expect.stringContaining('notify failed'));
});

test('the redemption of a code sends no message beside that of the consent', async () => {
  const client = await site.client();
  const url = await ada.authorize(authorize(client.clientId, 'photos:read'));
  await redeem(site, client, String(url.searchParams.get('code'))).expect(200);
  await arrived(1);
  await nothingMore();
  expect(kinds()).toEqual(['newApp ada']);
});
