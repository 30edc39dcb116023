import { once } from 'node:events';
import { createServer, type OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';

import { describe, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';

import { databaseUri } from '../support/database.js';
import { type Client, createClient, WrongAnswer } from './client.js';
import { compare, type Instance, type WorkloadOutcome } from './compare.js';
import { CommandLog } from './count-commands.js';
import { makeLoad } from './load.js';
import { busyShare, findBusyProblem } from './machine.js';
import { parseOptions } from './options.js';
import { measureStartup, readStartup, startupSubjects } from './startup.js';
import type { Workload } from './workloads.js';

test.each<[string, object]>([
  ['', { mode: 'compare', rounds: 9, maxRounds: 18 }],
  ['--quick --workload flow', { rounds: 4, maxRounds: 4, workloads: [{ name: 'flow' }] }],
  ['--check', { rounds: 9, maxRounds: 36, roundSeconds: 0.5, workloads: { length: 5 } }],
  ['--check --workload par --base v1', { workloads: [{ name: 'par' }], base: 'v1' }],
  ['--startup', { mode: 'startup', rounds: 25 }],
])('npm run bench -- %s is read', (line, expected) => {
  expect(parseOptions(line.split(' ').filter(Boolean))).toMatchObject(expected);
});

test.each([
  ['--contender nobody', /no 'nobody'; there are express/],
  ['--workload guards', /no 'guards'; there are client_credentials/],
  ['--rounds 2.5', /--rounds: '2.5' must be a whole number above 0/],
  ['--seconds 0', /--seconds: '0' must be a number above 0/],
  ['--memory --startup', /--memory and --startup are runs of their own/],
  ['--check --contender express', /ours alone/],
  ['--base HEAD', /--base: is for --check/],
  ['--fast', /--fast/],
])('npm run bench -- %s is refused', (line, message) => {
  expect(() => parseOptions(line.split(' '))).toThrow(message);
});

test('a machine is too busy if other programs use more than 15 % of its cores', () => {
  const core = (busy: number, idle: number) => ({ times: { user: busy, nice: 0, sys: 0, idle, irq: 0 } });
  const share = busyShare([core(10, 10), core(0, 20)], [core(40, 30), core(10, 60)]);
  expect(share).toBeCloseTo(0.4);
  expect(findBusyProblem(share, 5)).toMatch(/40 % of its cores.*load average 5\.00.*--force/);
  expect(findBusyProblem(0.15, 5)).toBeUndefined();
});

describe('the load', () => {
  test('a benchmark load makes each run once, within its concurrency, until the first error', async () => {
    let [running, max, runs] = [0, 0, 0];
    const run = async () => {
      max = Math.max(max, (running += 1));
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      if ((runs += 1) === 30) throw new Error('a wrong answer');
    };
    expect(await makeLoad(run, 25, 4)).toMatchObject({ requests: 25 });
    expect([runs, max]).toEqual([25, 4]);
    await expect(makeLoad(run, 1000, 4)).rejects.toThrow('a wrong answer');
    expect(runs).toBeLessThan(40);
  });

  const OPTIONS = { rounds: 3, maxRounds: 6, roundSeconds: 0.001, warmupSeconds: 0.001, connections: 1 };
  /** A contender named `bad` answers wrongly from its second round on. */
  const run = async (names: readonly string[], isNoisy: (outcome: WorkloadOutcome) => boolean) => {
    const requested: string[] = [];
    const workload: Workload = {
      name: 'guard',
      title: 'API call',
      open: (client) => ({
        prepare: () => Promise.resolve(void requested.push(client as never)),
        run: async () => {
          await new Promise((resolve) => setImmediate(resolve));
          if (requested.filter((name) => name === 'bad').length > 2 && (client as unknown) === 'bad')
            throw new Error('a wrong answer');
        },
      }),
    };
    const instances = names.map((name) => ({
      name,
      title: name,
      client: name,
      process: {
        description: { workloads: name === 'without' ? [] : ['guard'] },
        usage: () => Promise.resolve({ cpuMicroseconds: 1, residentBytes: 1 }),
      },
    })) as unknown as Instance[];
    const silent = { step: () => undefined, more: () => undefined };
    const [result] = await compare(instances, [workload], { ...OPTIONS, ...silent, isNoisy });
    const taken = [...(result?.outcomes ?? [])].map(
      ([name, outcome]) => [name, 'rounds' in outcome ? outcome.rounds.length : outcome.refused] as const,
    );
    return { order: requested.join(' ').replace(/(\w+)( \1)+/g, '$1'), taken };
  };

  test('a benchmark takes the contenders with the workload in turn, round by round', async () => {
    const { order, taken } = await run(['a', 'without', 'b'], () => false);
    expect(order).toBe('a b a b a b a b');
    expect(taken).toEqual([
      ['a', 3],
      ['b', 3],
    ]);
  });

  test('a benchmark skips a contender after a wrong answer, and continues with the others', async () => {
    expect((await run(['a', 'bad'], () => false)).taken).toEqual([
      ['a', 3],
      ['bad', 'a wrong answer'],
    ]);
  });

  test.each([
    [5, 5],
    [100, 6],
  ])('a benchmark runs until %i rounds are not noisy, at most twice as many', async (quietAfter, count) => {
    const { taken } = await run(['a', 'b'], ({ outcomes }) => {
      const b = outcomes.get('b');
      return b !== undefined && 'rounds' in b && b.rounds.length < quietAfter;
    });
    expect(taken).toEqual([
      ['a', count],
      ['b', count],
    ]);
  });
});

/** What it answers to any request. */
interface Answer {
  readonly status?: number;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: object;
}
const bearer = (token: string, more = {}): Answer => ({
  body: { access_token: token, token_type: 'Bearer', ...more },
});

test.each<[string, Answer, (client: Client) => Promise<unknown>, RegExp]>([
  ['a failing token endpoint', { status: 500 }, (client) => client.redeem('code'), /500 instead of 200/],
  [
    'a JWT as opaque token',
    bearer('a.b.c'),
    (client) => client.clientCredentials('opaque'),
    /no opaque token/,
  ],
  ['an opaque token as JWT', bearer('abc'), (client) => client.clientCredentials('jwt'), /no jwt token/],
  [
    'a code without a refresh token',
    bearer('abc', { token_type: 'bearer' }),
    (client) => client.redeem('code'),
    /no refresh token/,
  ],
  [
    'a refresh token that is not rotated',
    bearer('abc', { refresh_token: 'same' }),
    (client) => client.refresh('same'),
    /not rotated/,
  ],
  ['an inactive token', { body: { active: false } }, (client) => client.introspect('abc'), /not the active/],
  [
    'a redirect with an error',
    { status: 302, headers: { location: 'https://print.example/callback?error=server_error' } },
    (client) => client.authorize(),
    /no redirect with a code/,
  ],
  ['an API with another answer', {}, (client) => client.callApi('/api', 'abc'), /no photos/],
])(
  'the client of the load refuses %s',
  async (_title, { status = 200, headers = {}, body = {} }, ask, message) => {
    const server = createServer((_req, res) => res.writeHead(status, headers).end(JSON.stringify(body)));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const client = createClient(
      {
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        workloads: [],
        paths: { token: '/token', authorize: '/authorize', introspect: '/introspect', api: '/api' },
        client: { id: 'shop', secret: 'of the shop' },
        redirectUri: 'https://print.example/callback',
        scope: 'photos:read',
        cookie: 'session=1',
        userId: 'ada',
        version: '1',
      },
      1,
    );
    const error: unknown = await ask(client).catch((thrown: unknown) => thrown);
    await client.close();
    server.close();
    expect(error).toBeInstanceOf(WrongAnswer);
    expect((error as Error).message).toMatch(message);
  },
);

test('an import of the built package is measured in a fresh process, beside its baseline', async () => {
  const subjects = await startupSubjects();
  expect(subjects.map(({ imports }) => imports.at(-1))).toEqual([
    undefined,
    'express',
    'mongoose',
    expect.stringMatching(/^file:.*\/dist\/index\.cjs$/),
    expect.stringMatching(/^file:.*\/dist\/guard\.cjs$/),
  ]);
  const silent = { step: () => undefined, more: () => undefined };
  const rows = await measureStartup(subjects.slice(1, 4), { rounds: 1, maxRounds: 1, ...silent });
  expect(rows[2]?.ratios?.importCpuMilliseconds?.rounds[0]).toBeGreaterThan(0);
  await expect(readStartup({ name: 'none', title: 'nothing', imports: ['not-there'] })).rejects.toThrow(
    /importing nothing fails: [\s\S]*not-there/,
  );
});

test("the commands of a driver's log are counted, without change streams and markers", async () => {
  const log = new CommandLog();
  const mongo = await new MongoClient(databaseUri('bench_command_log'), {
    mongodbLogPath: { write: (entry) => log.read(inspect(entry, { compact: true, breakLength: Infinity })) },
    mongodbLogComponentSeverities: { command: 'debug' },
  }).connect();
  const collection = mongo.db().collection('things');
  try {
    await collection.insertMany([{ a: 1 }, { a: 2 }]);
    await collection.find({}, { batchSize: 1 }).toArray();
    await collection.updateOne({ _id: 'marker 5f0c' as never }, { $set: { a: 3 } });
    await collection.updateOne({ a: 1 }, { $set: { a: 3 } });
    const stream = collection.watch();
    await stream.tryNext();
    await stream.tryNext();
    const names = log.take();
    await stream.close();
    expect(names.filter((name, index) => name !== names[index - 1])).toEqual([
      'insert',
      'find',
      'getMore',
      'update',
    ]);
    expect(names.filter((name) => name === 'update')).toHaveLength(1);
  } finally {
    await mongo.db().dropDatabase();
    await mongo.close();
  }
});
