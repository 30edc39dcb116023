import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import { describe, expect, test } from '@jest/globals';

import type { ClientWithSecret } from '../../lib/index.js';
import { type OpenDatabase, openDatabase } from '../support/database.js';
import { openJwksServer } from '../support/jwks-server.js';
import { IS_LONG, reportProgress } from '../support/long-run.js';
import { startMongo } from '../support/mongodb.js';
import { createPerson, type Person } from '../support/person.js';
import { openSite, type Site } from '../support/site.js';
import { type SiteProcess, startSiteProcess } from '../support/site-process.js';
import { callApi, whoseGrantIs } from '../support/tokens.js';
import { type Answer, codeFor, post, withCode, withRefreshToken } from './asking.js';

const PROCESSES = IS_LONG ? 3 : 2;
/** The number of concurrent flows. */
const CLIENTS = 8;
const REFRESHES = 3;
const OPTIONS = {
  grantTypes: ['authorization_code', 'refresh_token'],
  security: { rateLimits: false },
  lifetimes: { authorizationCode: 600 },
  tokens: { reuseGrace: 60 },
  personalAccessTokens: true,
} as const;

/** This process issues codes and checks their fate; only the others are killed. */
interface Scene {
  readonly database: OpenDatabase;
  readonly site: Site;
  readonly client: ClientWithSecret;
  readonly person: Person;
  readonly living: SiteProcess[];
  readonly startOne: () => Promise<SiteProcess>;
  isOver: boolean;
  readonly seen: { kills: number; flows: number; lostAnswers: number; lostTwiceInARow: number };
}

/** @param mongo the server to use. Default: the MongoDB of the run */
async function openScene(mongo?: string): Promise<Scene> {
  const database = await openDatabase(undefined, mongo);
  const site = await openSite({ ...OPTIONS, database });
  const person = createPerson(site);
  await person.logIn();
  // the indexes exist already, so a process need not wait for them
  const startOne = () =>
    startSiteProcess({
      ...OPTIONS,
      unready: true,
      database: database.connection.name,
      ...(mongo && { mongo }),
    });
  return {
    database,
    site,
    person,
    startOne,
    client: await site.client({ trusted: true }),
    living: await Promise.all(Array.from({ length: PROCESSES }, startOne)),
    isOver: false,
    seen: { kills: 0, flows: 0, lostAnswers: 0, lostTwiceInARow: 0 },
  };
}

async function close({ database, site, living }: Scene): Promise<void> {
  await Promise.all(living.map((each) => each.stop()));
  await site.close();
  await database.close();
}

/** Kills one of the processes at any moment of its work, as soon as its successor has begun. */
async function killOne({ living, startOne }: Scene): Promise<void> {
  const [successor] = await Promise.all([startOne(), aWhile(20, 200)]);
  const [victim] = living.splice(Math.floor(Math.random() * living.length), 1, successor);
  await victim?.kill();
}

/** Waits for a random time. */
const aWhile = (atLeast: number, atMax: number) => delay(atLeast + Math.random() * (atMax - atLeast));

interface Repeated extends Answer {
  /** Whether an answer to the same request was lost before. */
  readonly isRepeated: boolean;
}

/** Like a client that follows the documentation: after no answer, or 503, it sends the request to the next process. */
async function ask({ living, client }: Scene, fields: Readonly<Record<string, string>>): Promise<Repeated> {
  for (let tries = 0; ; tries += 1) {
    const { url } = living[Math.floor(Math.random() * living.length)]!;
    try {
      const answer = await post(url, client, fields);
      if (answer.status !== 503) return { ...answer, isRepeated: tries > 0 };
    } catch {
      // killed while it answered, or before
    }
    await delay(20);
  }
}

/** Repeats a request to this process while its database is away. */
async function untilServed<T>(ask: () => Promise<T>, isServed: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask().catch(() => undefined);
    if (answer !== undefined && isServed(answer)) return answer;
    await delay(20);
  }
}

/** A code, and some refreshes: each is answered, at the first try or at a later one, and the last token is alive. */
async function codeAndRefreshes(scene: Scene): Promise<void> {
  const { site, person, client, seen } = scene;
  const isAlive = async (token: string) =>
    (
      await untilServed(
        () => callApi(site, token),
        ({ status }) => status !== 503,
      )
    ).status === 200;
  const code = await untilServed(
    () => codeFor(person, client),
    (each) => each !== null,
  );
  let last = await ask(scene, withCode(code ?? ''));
  seen.flows += 1;
  seen.lostAnswers += Number(last.isRepeated);
  expect([last.status, last.body.error]).toEqual([200, undefined]);
  for (let refreshes = 0; refreshes < REFRESHES; refreshes += 1) {
    const next = await ask(scene, withRefreshToken(last.body.refresh_token));
    seen.lostAnswers += Number(next.isRepeated);
    // a repeated request is not answered twice in a row, so that a thief in step with the client is noticed
    if (next.status === 400 && next.isRepeated && last.isRepeated) {
      seen.lostTwiceInARow += 1;
      expect(await isAlive(last.body.access_token)).toBe(false);
      return;
    }
    expect([next.status, next.body.error]).toEqual([200, undefined]);
    expect(next.body.refresh_token).not.toBe(last.body.refresh_token);
    last = next;
  }
  expect(await isAlive(last.body.access_token)).toBe(true);
  // of a repeated request only one try has stored its tokens
  const grants = site.database.collection('oauth_grants');
  const grant = await untilServed(
    () => grants.findOne(whoseGrantIs(last.body.access_token)),
    () => true,
  );
  expect(grant?.accessTokens).toHaveLength(1 + REFRESHES);
}

interface Killing {
  readonly kill: () => Promise<void>;
  /** Default: a code and some refreshes. */
  readonly flow?: (scene: Scene) => Promise<void>;
}

/** Flows go on, one after the other in each lane, while `kill` is called several times. */
async function killBeside(
  scene: Scene,
  kills: number,
  { kill, flow = codeAndRefreshes }: Killing,
): Promise<void> {
  const { seen } = scene;
  const stopTelling = reportProgress(() => JSON.stringify(seen));
  const lanes = Array.from({ length: CLIENTS }, async () => {
    while (!scene.isOver) await flow(scene);
  });
  const killing = async () => {
    for (; seen.kills < kills; seen.kills += 1) await kill();
  };
  await Promise.all([killing().finally(() => (scene.isOver = true)), ...lanes]).finally(stopTelling);
  if (IS_LONG) console.info(JSON.stringify(seen));
  expect(seen.flows).toBeGreaterThan(kills);
  // with only a few kills, all of them may come when nobody waits
  if (IS_LONG) expect(seen.lostAnswers).toBeGreaterThan(0);
}

/** Reports that a token has leaked, as often as needed: processes are killed while they answer. */
async function reportLeak({ living, seen }: Scene, token: string): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const { url } = living[Math.floor(Math.random() * living.length)]!;
    const answer = await fetch(`${url}/oauth/leaked-token`, {
      method: 'POST',
      body: new URLSearchParams({ token }),
    }).catch(() => undefined);
    if (answer?.status === 200) return void (seen.lostAnswers += Number(tries > 0));
    await delay(20);
  }
}

/** A token is made, replaced and reported at once; no value of it is accepted after the answer to the report. */
async function makeAndReport(scene: Scene): Promise<void> {
  const { site, seen } = scene;
  const tokens = site.oauth.personalAccessTokens;
  seen.flows += 1;
  const { id, token } = await tokens.create({
    userId: `person ${seen.flows}`,
    name: 'Job',
    scopes: ['profile'],
  });
  const replacing = tokens.rotate(id).catch(() => undefined);
  const [next] = await Promise.all([replacing, reportLeak(scene, token)]);
  for (const value of [token, ...(next ? [next.token] : [])]) {
    // 503 says nothing about the token
    const { status } = await untilServed(
      () => callApi(site, value),
      (answer) => answer.status !== 503,
    );
    expect(status).toBe(401);
  }
}

describe('kills during reports of leaked tokens', () => {
  const kills = IS_LONG ? 100 : 1;
  test(`${kills} kills during reports leave no value of a reported token alive`, async () => {
    const scene = await openScene();
    await killBeside(scene, kills, { kill: () => killOne(scene), flow: makeAndReport });
    await close(scene);
  });
});

/**
 * Only for the long form: in CI, webhooks/stored-before-the-answer finds a message that is not stored in time,
 * stress/database-down the losses of a killed database.
 */
const describeLong = IS_LONG ? describe : () => undefined;

describeLong('kills during notices about expiring tokens', () => {
  const kills = 100;
  test(`${kills} kills during notices about expiring tokens lose no message`, async () => {
    const database = await openDatabase();
    const site = await openSite({ personalAccessTokens: true, security: { rateLimits: false }, database });
    const people = Array.from({ length: 2000 }, (_, index) => `person ${index}`);
    for (const userId of people)
      await site.oauth.personalAccessTokens.create({
        userId,
        name: 'Job',
        scopes: ['profile'],
        expiresIn: 30 * 86_400,
      });
    const start = (round: number) =>
      // each user whose notice began after the previous kill is notified alone
      startSiteProcess({
        personalAccessTokens: true,
        notifies: true,
        unready: true,
        clock: 24 * 86_400 + round * 700,
        database: database.connection.name,
      });
    const notified = database.collection('told');
    for (let round = 0; round < kills; round += 1) {
      const victim = await start(round);
      await aWhile(0, 60);
      await victim.kill();
    }
    const last = await start(kills);
    await untilServed(
      async () => (await notified.distinct('userId')).length,
      (count) => count === people.length,
    );
    await last.stop();
    // repeated notices have one id, which the hook of a host sees
    const ids = await notified.distinct('id');
    console.info(JSON.stringify({ kills, calls: await notified.countDocuments(), ids: ids.length }));
    expect(ids).toHaveLength(people.length);
    await site.close();
    await database.close();
  });
});

describe('kills during token requests', () => {
  const ofProcesses = Number(process.env.KILLS ?? (IS_LONG ? 1000 : 2));
  test(`${ofProcesses} kills of processes leave each client its tokens, issued once`, async () => {
    const scene = await openScene();
    await killBeside(scene, ofProcesses, { kill: () => killOne(scene) });
    await close(scene);
  });

  // a MongoDB from outside is not ours to kill
  if (IS_LONG && process.env.MONGODB_URI === undefined)
    test('50 kills of the database leave each client its tokens, issued once', async () => {
      const mongo = await startMongo({ log: () => undefined });
      const scene = await openScene(mongo.uri);
      const kill = async () => {
        await aWhile(500, 1500);
        await mongo.kill?.();
        await mongo.start?.();
      };
      await killBeside(scene, 50, { kill });
      await close(scene);
      await mongo.stop();
    });
});

/** The identity of each reported change: the event, and its grant or client. */
const REPORTED = ['grant.revoked', 'refresh.reused', 'token.blocked', 'token.issued', 'client.blocked'];

describe('kills a moment after a request', () => {
  const kills = Number(process.env.KILLS ?? (IS_LONG ? 600 : 2));
  test(`${kills} kills a moment after a request lose no message of a completed change`, async () => {
    const database = await openDatabase();
    const receiver = await openJwksServer();
    const reported = new Map<string, Set<string>>();
    receiver.answer((req, res) => {
      let body = '';
      req.on('data', (part) => (body += String(part)));
      req.on('end', () => {
        const { type, data } = JSON.parse(body) as Message;
        const key = `${type} ${data.grantId ?? data.clientId}`;
        reported.set(key, (reported.get(key) ?? new Set()).add(String(req.headers['webhook-id'])));
        res.writeHead(204).end();
      });
    });
    const options = { personalAccessTokens: true, security: { rateLimits: false } } as const;
    const site = await openSite({ ...options, database });
    const person = createPerson(site);
    await person.logIn();
    const start = (clock = 0) =>
      startSiteProcess({
        ...options,
        tokens: { reuseGrace: 0 },
        unready: true,
        clock,
        database: database.connection.name,
        webhooks: [
          {
            url: `http://127.0.0.1:${receiver.port}/`,
            secret: `whsec_${randomBytes(32).toString('base64')}`,
            allowPrivateAddresses: true,
            events: REPORTED,
          },
        ],
      });
    for (let round = 0; round < kills; round += 1) {
      const client = await site.client({ trusted: true });
      const tokens = async () =>
        (await post(site.url, client, withCode((await codeFor(person, client)) ?? ''))).body;
      const [reused, givenBack] = [await tokens(), await tokens()];
      await post(site.url, client, withRefreshToken(reused.refresh_token));
      const { token } = await site.oauth.personalAccessTokens.create({
        userId: `leaked ${round}`,
        name: 'Job',
        scopes: ['profile'],
      });
      const { clientId: blocked } = await site.client();
      const victim = await start();
      // the first run of any code takes longer than the life of a process from here on
      await post(victim.url, client, withRefreshToken('none'));
      await post(victim.url, client, { token: 'none' }, '/oauth/revoke');
      const requests = [
        post(victim.url, client, withRefreshToken(reused.refresh_token)),
        post(victim.url, client, { token: givenBack.refresh_token }, '/oauth/revoke'),
        fetch(`${victim.url}/oauth/leaked-token`, { method: 'POST', body: new URLSearchParams({ token }) }),
      ];
      void Promise.allSettled(requests);
      victim.change({ blocks: blocked, makesTokenOf: `person ${round}` });
      await aWhile(0, 500);
      await victim.kill();
    }
    // an unreported change is reported a minute later, and a killed process's message once its lease is over
    const last = await start(600);
    await untilServed(
      () => database.collection('oauth_webhooks').countDocuments(),
      (count) => count === 0,
    );
    await last.stop();
    const grants = await database.collection('oauth_grants').find().toArray();
    const clients = await database.collection('oauth_clients').find().toArray();
    const made = [
      ...grants.filter(({ revokedAt }) => revokedAt).map(({ _id }) => `grant.revoked ${String(_id)}`),
      ...grants
        .filter(({ userId }) => /^person \d/.test(String(userId)))
        .map(({ _id }) => `token.issued ${String(_id)}`),
      ...clients.filter(({ blocked }) => blocked).map(({ _id }) => `client.blocked ${String(_id)}`),
    ];
    const doubles = [...reported.values()].filter(({ size }) => size > 1).length;
    const lost = made.filter((change) => !reported.has(change));
    if (kills > 2) {
      console.info(JSON.stringify({ kills, made: made.length, lost: lost.length, doubles }));
      // otherwise the processes die before any change
      expect(made.length).toBeGreaterThan(kills);
    }
    expect(lost).toEqual([]);
    expect(doubles).toBe(0);
    await site.close();
    await receiver.close();
    await database.close();
  });
});

interface Message {
  readonly type: string;
  readonly data: { readonly grantId?: string; readonly clientId?: string };
}
