import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import bcrypt from 'bcrypt';

import { createUsers } from '../../lib/storage/other/users.js';
import { openDatabase } from '../support/database.js';
import { fixture } from '../support/site-for.js';

const usersAt = (rounds: number) => createUsers(database.connection, { rounds });
const hashOf = async (username: string) =>
  String((await database.collection('oauth_users').findOne({ username }))?.passwordHash);

const database = fixture(() => openDatabase());
beforeEach(async () => {
  await database.collection('oauth_users').deleteMany({});
  await usersAt(6).create({ username: 'ada', password: 'correct horse' });
  await usersAt(4).create({ username: 'zoe', password: 'battery staple' });
});

/** The rounds that bcrypt has computed since. */
async function workDuring(attempt: () => Promise<unknown>): Promise<number> {
  const compare = jest.spyOn(bcrypt, 'compare');
  const hash = jest.spyOn(bcrypt, 'hash');
  await attempt();
  const costs = [
    ...compare.mock.calls.map(([, stored]) => bcrypt.getRounds(String(stored))),
    ...hash.mock.calls.map(([, cost]) => Number(cost)),
  ];
  compare.mockRestore();
  hash.mockRestore();
  return costs.reduce((sum, cost) => sum + 2 ** cost, 0);
}

describe('the time of a wrong password reveals nothing', () => {
  test.each([
    ['the cost was raised to', 8],
    ['the cost was lowered to', 4],
    ['the cost is', 6],
  ])('%s %s: a wrong password costs the same for users of any cost and none', async (_how, rounds) => {
    for (const [username, password] of [
      ['ada', 'wrong password'],
      ['zoe', 'wrong password'],
      ['nobody', 'wrong password'],
      ['ada', 'x'.repeat(100)],
      ['ada\0', 'wrong password'],
    ] as const) {
      // each is the first attempt of a process
      const users = usersAt(rounds);
      expect(await workDuring(() => users.verify(username, password))).toBe(2 ** Math.max(rounds, 6));
    }
  });

  test('a wrong password costs the same if there are no users', async () => {
    await database.collection('oauth_users').deleteMany({});
    expect(await workDuring(() => usersAt(5).verify('nobody', 'wrong password'))).toBe(2 ** 5);
  });
});

describe('a login with the right password', () => {
  test.each([8, 4])('a right password is stored at the new cost %s, once', async (rounds) => {
    const users = usersAt(rounds);
    const before = await hashOf('ada');
    expect(await users.verify('ada', 'correct horse')).toMatchObject({ username: 'ada' });
    const after = await hashOf('ada');
    expect(after).not.toBe(before);
    expect(bcrypt.getRounds(after)).toBe(rounds);
    expect(await users.verify('ada', 'correct horse')).toMatchObject({ username: 'ada' });
    expect(await hashOf('ada')).toBe(after);
    expect(await users.verify('ada', 'wrong password')).toBeNull();
  });

  test('a login does not restore a password that was changed meanwhile', async () => {
    const other = await bcrypt.hash('another one', 4);
    const real = bcrypt.hash.bind(bcrypt) as (data: string, cost: number) => Promise<string>;
    const hash = jest.spyOn(bcrypt, 'hash').mockImplementation((async (data: string, cost: number) => {
      await database
        .collection('oauth_users')
        .updateOne({ username: 'ada' }, { $set: { passwordHash: other } });
      return real(data, cost);
    }) as never);
    await usersAt(8).verify('ada', 'correct horse');
    hash.mockRestore();
    expect(await hashOf('ada')).toBe(other);
  });
});

describe('many passwords at once', () => {
  /** The most hashes that are computed at a time, and the results of the attempts. */
  async function during(attempts: () => readonly Promise<unknown>[]) {
    let [running, max] = [0, 0];
    const real = bcrypt.hash.bind(bcrypt) as (data: string, cost: number) => Promise<string>;
    const hash = jest.spyOn(bcrypt, 'hash').mockImplementation((async (data: string, cost: number) => {
      max = Math.max(max, (running += 1));
      const result = await real(data, cost);
      running -= 1;
      return result;
    }) as never);
    const results = await Promise.allSettled(attempts());
    hash.mockRestore();
    return { max, results };
  }

  function expectSomeRefused(results: readonly PromiseSettledResult<unknown>[]): void {
    const refused = results.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    for (const { reason } of refused as PromiseRejectedResult[])
      expect(reason).toMatchObject({ error: 'temporarily_unavailable', status: 503 });
  }

  test('two of many logins and a sign-up are computed, some wait, the others are refused', async () => {
    const users = usersAt(4);
    await users.verify('ada', 'warm up');
    const { max, results } = await during(() => [
      users.create({ username: 'new', password: 'long enough' }),
      ...Array.from({ length: 100 }, (_, index) => users.verify(`nobody ${index}`, 'a guess')),
    ]);
    expect(max).toBe(2);
    expectSomeRefused(results);
  });

  test('two of many sign-ups are computed, the others wait or are refused', async () => {
    const users = usersAt(4);
    await users.verify('ada', 'warm up');
    const { max, results } = await during(() =>
      Array.from({ length: 100 }, (_, index) =>
        users.create({ username: `new ${index}`, password: 'long enough' }),
      ),
    );
    expect(max).toBe(2);
    expectSomeRefused(results);
  });
});
