import { describe, expect, test } from '@jest/globals';
import express from 'express';

import { placesOf } from '../support/account-life.js';
import { connectTo } from '../support/database.js';
import { IS_LONG } from '../support/long-run.js';
import { codeQuery, createPerson } from '../support/person.js';
import { openSite, type SiteOptions } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import { callApi, redeem, tokenRequest } from '../support/tokens.js';
import { until } from '../support/until.js';

/** Pairs of each kind. */
const ROUNDS = IS_LONG ? 200 : 8;
/** A connection breaks after each command of the end; in the short form after every tenth. */
const STEP = IS_LONG ? 1 : 10;
const OPTIONS: SiteOptions = {
  personalAccessTokens: { serviceTokens: true },
  audit: { ttl: 3600 },
  security: { rateLimits: false },
};

/** The deleted users: their sessions are over. */
const deleted = new Set<string>();

const site = siteFor({
  ...OPTIONS,
  mountLogin(app) {
    app.post('/login', express.urlencoded({ extended: false }), (req, res, next) => {
      const { username } = req.body as { username: string };
      if (deleted.has(username)) return void res.sendStatus(401);
      req.logIn({ id: username }, (error?: unknown) => (error ? next(error) : res.sendStatus(200)));
    });
    app.use((req, _res, next) => {
      if (Object.values(req.user ?? {}).some((value) => deleted.has(String(value)))) req.user = undefined;
      next();
    });
  },
});
const client = fixture(() => site.client());

const scopes = ['photos:read'];
const grant = (userId: string) =>
  site.oauth.grants.create({ clientId: client.clientId, userId, refreshToken: true, remember: true });

/** Acts as a user while the account ends; resolves to the resulting access tokens. */
const RIVALS: Readonly<Record<string, (userId: string) => Promise<() => Promise<readonly string[]>>>> = {
  'a login and a consent': (userId) =>
    Promise.resolve(async () => {
      const person = createPerson(site);
      await person.logIn(userId);
      const location = await person.authorize(codeQuery(client)).catch(() => undefined);
      const code = location?.searchParams.get('code');
      if (code === null || code === undefined) return [];
      const { body } = await redeem(site, client, code);
      return [(body as { access_token?: string }).access_token].flatMap((token) => token ?? []);
    }),
  async 'a consent of a user who is logged in'(userId) {
    const person = createPerson(site);
    await person.logIn(userId);
    const page = await person.openAuthorize(codeQuery(client));
    return async () => {
      await person.choose(page);
      return [];
    };
  },
  async 'a refresh'(userId) {
    const { accessToken, refreshToken } = await grant(userId);
    return async () => {
      const fields = { grant_type: 'refresh_token', refresh_token: refreshToken };
      const { body } = await tokenRequest(site, client, fields);
      return [accessToken, (body as { access_token?: string }).access_token].flatMap((token) => token ?? []);
    };
  },
  async 'the rotation of a personal access token'(userId) {
    const { id, token } = await site.oauth.personalAccessTokens.create({ userId, name: 'Backup', scopes });
    return async () => {
      const rotated = await site.oauth.personalAccessTokens.rotate(id).catch(() => undefined);
      return [token, rotated?.token].flatMap((each) => each ?? []);
    };
  },
  async 'the transfer of an application'(userId) {
    const { clientId } = await site.client({ ownerId: userId });
    return async () => {
      await site.oauth.clients.addOwner(clientId, 'bob');
      await site.oauth.clients.removeOwner(clientId, userId);
      return [];
    };
  },
  async 'new owners of a service token'(userId) {
    const owners = [userId];
    const { id } = await site.oauth.personalAccessTokens.create({ owners, name: 'Deployment', scopes });
    return async () => {
      await site.oauth.personalAccessTokens.addOwner(id, 'bob').catch(() => undefined);
      return [];
    };
  },
};

describe.each(Object.entries(RIVALS))('%s at the moment of people.end', (what, prepare) => {
  test(`${what} at the moment of people.end leaves no data of the user, ${ROUNDS} times`, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const userId = `${what} ${round}`;
      const act = await prepare(userId);
      const begun = act();
      deleted.add(userId);
      const [came] = await Promise.allSettled([begun, site.oauth.people.end(userId)]);
      // the runs after the end find data stored since
      await until(async () => (await placesOf(site, userId)).length === 0);
      const tokens = came.status === 'fulfilled' ? came.value : [];
      for (const token of tokens) expect((await callApi(site, token)).status).toBe(401);
    }
  });
});

test('people.end that is killed after any of its commands completes at its next call', async () => {
  let isKilled = true;
  let kills = 0;
  // until an end completes before its connection breaks
  for (let killedAfter = 1; isKilled; killedAfter += STEP) {
    const userId = `killed after ${killedAfter}`;
    await grant(userId);
    await site.client({ ownerId: userId });
    const make = (more: object) =>
      site.oauth.personalAccessTokens.create({ name: 'Backup', scopes, ...more });
    const tokens = [await make({ userId }), await make({ owners: [userId] })];
    await site.oauth.audit.find();
    await using database = await connectTo(site.database.uri);
    const { connection } = database;
    const other = await openSite({ ...OPTIONS, issuer: site.url, database });
    let left = killedAfter;
    connection.getClient().on('commandStarted', () => {
      if ((left -= 1) === 0) void connection.close(true);
    });
    const [outcome] = await Promise.allSettled([other.oauth.people.end(userId)]);
    isKilled = outcome.status === 'rejected';
    kills += isKilled ? 1 : 0;
    await other.close().catch(() => undefined);
    await site.oauth.people.end(userId);
    await until(async () => (await placesOf(site, userId)).length === 0);
    for (const { token } of tokens) expect((await callApi(site, token)).status).toBe(401);
  }
  expect(kills).toBeGreaterThan(3);
});
