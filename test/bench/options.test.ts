import { describe, expect, it } from '@jest/globals';

import { CONTENDERS, WORKLOAD_NAMES } from './contender.js';
import { createCopier } from './fill.js';
import { makeLoad } from './load.js';
import { BUSY_LIMIT, busyShare, findBusyProblem } from './machine.js';
import { formatMemory, growthOf } from './memory.js';
import { parseOptions } from './options.js';
import { createProgress, formatProgress } from './progress.js';
import { WORKLOADS } from './workloads.js';

describe('options of the benchmark', () => {
  it('measures everything unless told otherwise', () => {
    const options = parseOptions([]);
    expect(options).toMatchObject({ mode: 'compare', rounds: 9, force: false });
    expect(options?.contenders).toEqual(CONTENDERS);
    expect(options?.workloads.map(({ name }) => name)).toEqual(WORKLOAD_NAMES);
  });

  it('takes fewer workloads and shorter rounds with --quick, and all that are named', () => {
    expect(parseOptions(['--quick'])?.workloads.map(({ name }) => name)).toEqual([
      'client_credentials',
      'guard',
      'code',
      'refresh',
    ]);
    expect(parseOptions(['--quick', '--workload', 'flow', '--rounds', '2'])).toMatchObject({
      rounds: 2,
      workloads: [{ name: 'flow' }],
    });
  });

  it('goes on up to twice the rounds where it is noisy, but not with --quick, which has to end soon', () => {
    expect(parseOptions([])).toMatchObject({ rounds: 9, maxRounds: 18 });
    expect(parseOptions(['--rounds', '4'])).toMatchObject({ maxRounds: 8 });
    expect(parseOptions(['--quick'])).toMatchObject({ rounds: 4, maxRounds: 4 });
  });

  it('takes lists and repeated options, and keeps the order of the tables', () => {
    expect(
      parseOptions(['--contender', 'ours,express', '--contender', 'node-http'])?.contenders.map(
        ({ name }) => name,
      ),
    ).toEqual(['node-http', 'express', 'ours']);
  });

  it('looks at ours alone for growth and memory', () => {
    expect(parseOptions(['--growth'])).toMatchObject({
      mode: 'growth',
      levels: [1000, 100_000, 1_000_000],
      contenders: [{ name: 'ours' }],
    });
    expect(parseOptions(['--memory', '--requests', '500'])).toMatchObject({ mode: 'memory', requests: 500 });
  });

  it('takes ours alone as several processes, the fewest first', () => {
    expect(parseOptions(['--processes', '4,1,4'])).toMatchObject({
      mode: 'processes',
      processes: [1, 4],
      contenders: [{ name: 'ours' }],
    });
  });

  it('checks what each site does most, in many short rounds', () => {
    const options = parseOptions(['--check']);
    expect(options).toMatchObject({ mode: 'check', rounds: 9, maxRounds: 36, roundSeconds: 0.5 });
    expect(options?.workloads.map(({ name }) => name)).toEqual([
      'client_credentials',
      'guard',
      'authorize',
      'code',
      'refresh',
    ]);
    expect(parseOptions(['--check', '--workload', 'par', '--base', 'v1'])).toMatchObject({
      workloads: [{ name: 'par' }],
      base: 'v1',
    });
  });

  it.each([
    [['--contender', 'nobody'], /no 'nobody'; there are node-http/],
    [['--workload', 'guards'], /no 'guards'; there are client_credentials/],
    [['--rounds', '2.5'], /--rounds: '2.5' must be a whole number above 0/],
    [['--seconds', '0'], /--seconds: '0' must be a number above 0/],
    [['--seconds', ''], /above 0/],
    [['--levels', '10,many'], /--levels: 'many'/],
    [['--growth', '--memory'], /--growth and --memory are runs of their own/],
    [['--processes', '1,4', '--startup'], /--processes and --startup are runs of their own/],
    [['--startup', '--commands'], /--startup and --commands are runs of their own/],
    [['--cold-start', '--memory'], /--memory and --cold-start are runs of their own/],
    [['--processes', '0'], /--processes: '0' must be a whole number above 0/],
    [['--processes', '1,4', '--contender', 'ours,express'], /ours alone/],
    [['--check', '--contender', 'express'], /ours alone/],
    [['--check', '--startup'], /--startup and --check are runs of their own/],
    [['--base', 'HEAD'], /--base: is for --check/],
    [['--fast'], /--fast/],
  ])('refuses %j', (parameters, message) => {
    expect(() => parseOptions(parameters)).toThrow(message);
  });

  it('gives nothing to run where help is asked for', () => {
    expect(parseOptions(['--help'])).toBeUndefined();
  });

  it('knows each workload once', () => {
    expect(WORKLOADS.map(({ name }) => name)).toEqual(WORKLOAD_NAMES);
  });
});

describe('a busy machine', () => {
  const core = (busy: number, idle: number) => ({ times: { user: busy, nice: 0, sys: 0, idle, irq: 0 } });

  it('is known by the share of all cores at work', () => {
    expect(busyShare([core(10, 10), core(0, 20)], [core(40, 30), core(10, 60)])).toBeCloseTo(0.4);
    expect(busyShare([core(1, 1)], [core(1, 1)])).toBe(0);
  });

  it('is refused over the limit, with what to do about it', () => {
    expect(findBusyProblem(BUSY_LIMIT, 5)).toBeUndefined();
    expect(findBusyProblem(0.5, 5)).toMatch(/50 % of its cores.*load average 5\.00.*--force/);
  });
});

describe('load', () => {
  it('makes each run once, with no more at a time than there are callers', async () => {
    let running = 0;
    let max = 0;
    let runs = 0;
    const result = await makeLoad(
      async () => {
        runs += 1;
        max = Math.max(max, (running += 1));
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
      },
      25,
      4,
    );
    expect([runs, max, result.requests]).toEqual([25, 4, 25]);
  });

  it('ends with the first error', async () => {
    let runs = 0;
    const load = makeLoad(
      () => {
        runs += 1;
        return runs === 3 ? Promise.reject(new Error('a wrong answer')) : Promise.resolve();
      },
      1000,
      2,
    );
    await expect(load).rejects.toThrow('a wrong answer');
    await new Promise((resolve) => setImmediate(resolve));
    expect(runs).toBeLessThan(10);
  });
});

describe('copies of a grant', () => {
  const SECRET = 'h'.repeat(43);
  const template = new Map([
    [
      'codes',
      [{ _id: 'g'.repeat(22), hash: SECRET, clientId: 'c'.repeat(22), userId: 'ada', method: 'S256' }],
    ],
    [
      'tokens',
      [
        {
          _id: 't'.repeat(22),
          grantId: 'g'.repeat(22),
          tokens: [{ hash: 'x'.repeat(43), expiresAt: new Date(0) }],
          redirectUri: 'https://print.example/callback',
        },
      ],
    ],
  ]);
  const copy = createCopier(new Set(['c'.repeat(22)]), 'ada');

  it('have ids, hashes and a person of their own, each as long as before', () => {
    const [one, other] = [copy(template), copy(template)].map((clone) => clone.get('codes')?.[0]);
    expect(one?._id).toHaveLength(22);
    expect(one?.hash).not.toBe(SECRET);
    expect(one?.hash).toHaveLength(43);
    expect(new Set([one?._id, other?._id, 'g'.repeat(22)]).size).toBe(3);
    expect(one?.userId).toMatch(/^user-/);
  });

  it('still know each other, and what was there before', () => {
    const clone = copy(template);
    const [code] = clone.get('codes') ?? [];
    const [token] = clone.get('tokens') ?? [];
    expect(token?.grantId).toBe(code?._id);
    expect(code).toMatchObject({ clientId: 'c'.repeat(22), method: 'S256' });
    expect(token).toMatchObject({
      redirectUri: 'https://print.example/callback',
      tokens: [{ expiresAt: new Date(0) }],
    });
  });
});

describe('what is told', () => {
  it('says how far a run is and how long it will take', () => {
    expect(formatProgress(25, 100, 30_000)).toBe('[ 25 %, 30 s, 90 s to go]');
    expect(formatProgress(0, 100, 1000)).toBe('[  0 %, 1 s]');
  });

  it('counts steps that come later', () => {
    const lines: string[] = [];
    const progress = createProgress(4, {
      isTTY: true,
      columns: 80,
      write: (line: string) => lines.push(line),
    } as unknown as NodeJS.WriteStream);
    progress.step('one');
    progress.more(4);
    for (const step of ['two', 'three', 'four', 'five']) progress.step(step);
    expect(lines.at(-1)).toMatch(/\[ 50 %.*five/);
  });

  it('says how resident memory has grown', () => {
    const readings = [
      { requests: 100, residentBytes: 100e6 },
      { requests: 1000, residentBytes: 105e6 },
    ];
    expect(growthOf(readings)).toBeCloseTo(1.05);
    expect(formatMemory('ours', readings)).toMatch(/1000 requests +105\.0 MB\n1\.05 ×/);
  });
});
