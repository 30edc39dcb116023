import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { describe, expect, it } from '@jest/globals';

import type { Client } from './client.js';
import type { Instance, WorkloadOutcome } from './compare.js';
import type { ContenderDescription } from './contender.js';
import type { Workload } from './workloads.js';

describe('rounds', () => {
  const added: number[] = [];
  const OPTIONS = {
    rounds: 3,
    maxRounds: 6,
    roundSeconds: 0.001,
    warmupSeconds: 0.001,
    connections: 1,
    step: () => undefined,
    more: (steps: number) => void added.push(steps),
    isNoisy: (_outcome: WorkloadOutcome) => false,
  };
  /** Notes what is asked of whom; a contender named `bad` answers wrongly from its second round on. */
  const setUp = (...names: string[]) => {
    const requested: string[] = [];
    const prepared = new Map<string, number>();
    const workload = {
      name: 'guard',
      title: 'API call',
      open: (client: { name: string }) => ({
        prepare: () => {
          requested.push(client.name);
          prepared.set(client.name, (prepared.get(client.name) ?? 0) + 1);
          return Promise.resolve();
        },
        run: async () => {
          await new Promise((resolve) => setTimeout(resolve, 2));
          if (client.name === 'bad' && (prepared.get('bad') ?? 0) > 2) throw new Error('a wrong answer');
        },
      }),
    } as unknown as Workload;
    const instances = names.map((name) => ({
      name,
      title: name,
      client: { name },
      process: {
        description: { workloads: name === 'without' ? [] : ['guard'] },
        usage: () => Promise.resolve({ cpuMicroseconds: 1, residentBytes: 1 }),
      },
    })) as unknown as Instance[];
    return { requested, workload, instances };
  };

  it('takes the contenders in turn, round by round, those that have the workload', async () => {
    const { compare } = await import('./compare.js');
    const { requested, workload, instances } = setUp('a', 'without', 'b');
    const [result] = await compare(instances, [workload], OPTIONS);
    expect(requested).toEqual(['a', 'b', 'a', 'b', 'a', 'b', 'a', 'b']);
    expect([...(result?.outcomes.keys() ?? [])]).toEqual(['a', 'b']);
  });

  it('asks nothing more of who has answered wrongly, tells none of its figures, and goes on with the others', async () => {
    const { compare } = await import('./compare.js');
    const { requested, workload, instances } = setUp('a', 'bad');
    const [result] = await compare(instances, [workload], OPTIONS);
    expect(requested).toEqual(['a', 'bad', 'a', 'bad', 'a', 'bad', 'a']);
    expect(result?.outcomes.get('bad')).toEqual({ refused: 'a wrong answer' });
    expect(result?.outcomes.get('a')).toMatchObject({ rounds: [{}, {}, {}] });
  });

  it('takes more rounds of all where one is noisy, asking after each, and keeps every one of them', async () => {
    const { compare } = await import('./compare.js');
    const { requested, workload, instances } = setUp('a', 'b');
    const seen: number[] = [];
    added.length = 0;
    const isNoisy = ({ outcomes }: WorkloadOutcome) => {
      const b = outcomes.get('b');
      seen.push(b && 'rounds' in b ? b.rounds.length : NaN);
      return seen.length < 3;
    };
    const [result] = await compare(instances, [workload], { ...OPTIONS, isNoisy });
    expect(seen).toEqual([3, 4, 5]);
    expect(added).toEqual([2, 2]);
    expect(requested).toHaveLength(2 * (1 + 5));
    for (const name of ['a', 'b'])
      expect(result?.outcomes.get(name)).toMatchObject({ rounds: [{}, {}, {}, {}, {}] });
  });

  it('takes at most twice the rounds, each workload for itself', async () => {
    const { compare } = await import('./compare.js');
    const { workload, instances } = setUp('a');
    const quiet = { ...workload, name: 'code' } as Workload;
    const instance = {
      ...instances[0],
      process: { ...instances[0]?.process, description: { workloads: ['guard', 'code'] } },
    } as unknown as Instance;
    const results = await compare([instance], [workload, quiet], {
      ...OPTIONS,
      isNoisy: ({ name }) => name === 'guard',
    });
    expect(results.map(({ outcomes }) => outcomes.get('a'))).toEqual([
      { rounds: Array(6).fill(expect.anything()) },
      { rounds: Array(3).fill(expect.anything()) },
    ]);
  });
});

describe('the client that makes the load', () => {
  const DESCRIPTION = {
    workloads: [],
    paths: { token: '/token', authorize: '/authorize', introspect: '/introspect', api: '/api' },
    client: { id: 'shop', secret: 'of the shop' },
    redirectUri: 'https://print.example/callback',
    scope: 'photos:read',
    cookie: 'session=1',
    userId: 'ada',
    version: '1',
  };

  it.each([
    [
      'a token endpoint that fails',
      500,
      {},
      {},
      (client: Client) => client.clientCredentials('opaque'),
      /500 instead of 200/,
    ],
    [
      'an answer without a token',
      200,
      { token_type: 'Bearer' },
      {},
      (client: Client) => client.clientCredentials('opaque'),
      /no opaque token/,
    ],
    [
      'a JWT where the token is to be opaque',
      200,
      { access_token: 'a.b.c', token_type: 'Bearer' },
      {},
      (client: Client) => client.clientCredentials('opaque'),
      /no opaque token/,
    ],
    [
      'an opaque token where it is to be a JWT',
      200,
      { access_token: 'abc', token_type: 'Bearer' },
      {},
      (client: Client) => client.clientCredentials('jwt'),
      /no jwt token/,
    ],
    [
      'a code that gives no refresh token',
      200,
      { access_token: 'abc', token_type: 'bearer' },
      {},
      (client: Client) => client.redeem('code'),
      /no refresh token/,
    ],
    [
      'a refresh token that stays',
      200,
      { access_token: 'abc', token_type: 'Bearer', refresh_token: 'same' },
      {},
      (client: Client) => client.refresh('same'),
      /not rotated/,
    ],
    [
      'a token that is not active',
      200,
      { active: false },
      {},
      (client: Client) => client.introspect('abc'),
      /not the active token/,
    ],
    [
      'a redirect to the login page',
      302,
      {},
      { location: '/login' },
      (client: Client) => client.authorize(),
      /no redirect with a code but 302 \/login/,
    ],
    [
      'a redirect with an error',
      302,
      {},
      { location: 'https://print.example/callback?error=server_error' },
      (client: Client) => client.authorize(),
      /no redirect with a code/,
    ],
    [
      'an API that answers something else',
      200,
      { hello: 'world' },
      {},
      (client: Client) => client.callApi('/api', 'abc'),
      /no photos/,
    ],
  ])('refuses %s', async (_title, status, body, headers, ask, message) => {
    const { createClient, WrongAnswer } = await import('./client.js');
    const server = createServer((_req, res) => res.writeHead(status, headers).end(JSON.stringify(body)));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const client = createClient(
      {
        ...DESCRIPTION,
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      } satisfies ContenderDescription,
      1,
    );
    try {
      const error: unknown = await ask(client).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(WrongAnswer);
      expect((error as Error).message).toMatch(message);
    } finally {
      await client.close();
      server.close();
    }
  });
});
