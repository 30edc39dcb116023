import { beforeEach, describe, expect, test } from '@jest/globals';
import express, { type Express } from 'express';
import session from 'express-session';
import { Passport, type PassportStatic } from 'passport';
import request from 'supertest';

import { type ClientWithSecret, createUsers, localLogin } from '../../../lib/index.js';
import { createFailureLimit, failureKey, reserveAll } from '../../../lib/shared/limits/failure-limit.js';
import { letPass } from '../../support/clock.js';
import { commandsDuring } from '../../support/commands.js';
import { hiddenFields, postForm } from '../../support/person.js';
import type { Site } from '../../support/site.js';
import { siteFor } from '../../support/site-for.js';
import { basic, postToken, tokenRequest } from '../../support/tokens.js';

const LIMIT = 4;
const COUNT = 'findAndModify oauth_limits';

/** Two processes of one authorization server, with separate memories. */
const options = {
  issuer: 'http://127.0.0.1:3000',
  grantTypes: ['client_credentials', 'password'] as const,
  security: { rateLimits: { token: LIMIT, login: LIMIT } },
};
const one = siteFor(options);
const other = siteFor(() => ({ ...options, database: one.database }));
let client: ClientWithSecret;
beforeEach(async () => {
  client = await one.client({ redirectUris: [] });
});

const guessSecret = async (site: Site): Promise<number> =>
  (
    await postToken(site, { grant_type: 'client_credentials' }).set(
      'Authorization',
      basic(client.clientId, 'a guess'),
    )
  ).status;
const ask = (site: Site) => tokenRequest(site, client, { grant_type: 'client_credentials' });

async function repeat(times: number, attempt: () => Promise<number>): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < times; i += 1) statuses.push(await attempt());
  return statuses;
}

describe('failures in several processes', () => {
  test('a caller with too many failures in one process is stopped in the other', async () => {
    expect(await repeat(LIMIT + 1, () => guessSecret(one))).toEqual([401, 401, 401, 401, 429]);
    // the second failure is reported to the database, and its answer has the shared count
    expect(await repeat(3, () => guessSecret(other))).toEqual([401, 401, 429]);
  });

  test('a caller who alternates between processes gets one more try at most', async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 2 * LIMIT; i += 1) statuses.push(await guessSecret(i % 2 === 0 ? one : other));
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(LIMIT + 1);
    expect(statuses.slice(-2)).toEqual([429, 429]);
  });

  test('guesses at a password count in all processes, by user name', async () => {
    const guess = async (site: Site) =>
      (await tokenRequest(site, client, { grant_type: 'password', username: 'ada', password: 'a guess' }))
        .status;
    expect(await repeat(LIMIT + 1, () => guess(one))).toEqual([400, 400, 400, 400, 429]);
    expect(await repeat(3, () => guess(other))).toEqual([400, 400, 429]);
  });

  test('wrong passwords on the bundled login page count in all processes', async () => {
    const openLogin = () => {
      const passport = new Passport() as PassportStatic;
      return express()
        .use(session({ secret: 'x', resave: false, saveUninitialized: false }), passport.session())
        .use(localLogin({ passport, users: createUsers(one.database.connection) }));
    };
    const guess = async (app: Express) => {
      const agent = request.agent(app);
      const form = hiddenFields(await agent.get('/login').expect(200));
      return (await postForm(agent, '/login', { ...form, username: 'ada', password: 'a guess' })).status;
    };
    const [first, second] = [openLogin(), openLogin()];
    expect((await repeat(LIMIT + 1, () => guess(first))).at(-1)).toBe(429);
    expect((await repeat(3, () => guess(second))).map((status) => status === 429)).toEqual([
      false,
      false,
      true,
    ]);
  });

  test('failures count until the window is over, in each process and in the database', async () => {
    await repeat(LIMIT, () => guessSecret(one));
    expect(await repeat(3, () => guessSecret(other))).toEqual([401, 401, 429]);
    letPass(61);
    expect(await repeat(LIMIT + 1, () => guessSecret(other))).toEqual([401, 401, 401, 401, 429]);
  });

  test('a stored failure is a hash, a number and an expiry', async () => {
    await repeat(3, () => guessSecret(one));
    const stored = await one.oauth.models.Failures.find().lean();
    const { _id, points, expire } = stored.at(-1)!;
    expect(_id).toMatch(/^[a-z ]+:[\w-]{43}$/);
    expect(points).toBe(3);
    expect(expire).toBeInstanceOf(Date);
    expect(JSON.stringify(stored)).not.toContain('127.0.0.1');
    expect(JSON.stringify(stored)).not.toContain(client.clientId);
  });
});

describe('the cost of failures', () => {
  const during = (work: () => PromiseLike<unknown>) =>
    commandsDuring(one.database, work).then((commands) =>
      commands.filter((command) => command.endsWith('oauth_limits')),
    );

  test('a right request costs no command, also after a failure', async () => {
    expect(await during(() => ask(one).expect(200))).toEqual([]);
    await repeat(2, () => guessSecret(one));
    expect(await during(() => ask(one).expect(200))).toEqual([]);
  });

  test('further failures cost one command each, the first one and stopped requests none', async () => {
    const costs: string[][] = [];
    for (let i = 0; i < LIMIT + 2; i += 1) costs.push(await during(() => guessSecret(one)));
    expect(costs).toEqual([[], [COUNT], [COUNT], [COUNT], [], []]);
  });
});

test('a failure that the database cannot store counts in this process, and the caller gets its error', async () => {
  const counterOf = () => () => Promise.reject(new Error('the database is down'));
  const limit = createFailureLimit({ failures: 2, window: 60, shared: { name: 'a', store: { counterOf } } });
  await limit.consume('key');
  const attempt = await limit.reserve('key');
  await expect(attempt.fail()).rejects.toThrow('the database is down');
  await expect(limit.reserve('key')).rejects.toMatchObject({ status: 429 });
});

describe('an attempt', () => {
  test('an attempt counts from its beginning, and no longer after a success', async () => {
    const limit = createFailureLimit({ failures: 2, window: 60 });
    const [first, second] = [await limit.reserve('key'), await limit.reserve('key')];
    await expect(limit.reserve('key')).rejects.toMatchObject({
      status: 429,
      headers: { 'Retry-After': '1' },
    });
    first.refund();
    await second.fail();
    const third = await limit.reserve('key');
    await third.fail();
    await expect(limit.reserve('key')).rejects.toMatchObject({
      status: 429,
      headers: { 'Retry-After': '60' },
    });
  });

  test('an attempt that is refunded after the window gives no more tries in the next one', async () => {
    const limit = createFailureLimit({ failures: 1, window: 60 });
    const slow = await limit.reserve('key');
    letPass(61);
    slow.refund();
    await limit.consume('key');
    await expect(limit.consume('key')).rejects.toMatchObject({ status: 429 });
  });

  test('an attempt that one of several limits refuses counts in none of them', async () => {
    const [wide, narrow] = [2, 1].map((failures) => createFailureLimit({ failures, window: 60 }));
    const limits = [
      { limit: wide!, key: 'a' },
      { limit: narrow!, key: 'b' },
    ];
    await (await reserveAll(limits)).fail();
    await expect(reserveAll(limits)).rejects.toMatchObject({ status: 429 });
    (await wide!.reserve('a')).refund();
  });
});

describe('an address', () => {
  const keyOf = (ip: string) => failureKey({ ip }, 'ada');

  test.each([
    ['2001:db8:1:2::1', '2001:db8:1:3:ffff::2'],
    ['192.0.2.1', '::ffff:192.0.2.1'],
    ['fe80::1%eth0', 'fe80::2'],
  ])('the address %s counts with %s', (first, second) => {
    expect(keyOf(first)).toBe(keyOf(second));
  });

  test.each([
    ['192.0.2.1', '192.0.2.2'],
    ['2001:db8:1:2::1', '2001:db8:1:102::1'],
    ['', '192.0.2.1'],
  ])('the address %p counts apart from %s', (first, second) => {
    expect(keyOf(first)).not.toBe(keyOf(second));
  });
});

test('a clock that is set back delays nobody for longer than the window', async () => {
  const limit = createFailureLimit({ failures: 1, window: 60 });
  await limit.consume('ada');
  letPass(-86_400);
  await expect(limit.consume('ada')).rejects.toMatchObject({ status: 429, headers: { 'Retry-After': '60' } });
});
