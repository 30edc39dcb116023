import { describe, expect, it } from '@jest/globals';

import type { StartupRow } from '../startup.js';
import { type Figure, summarize } from '../statistics.js';
import { type Cell, createWorkloadReports, type WorkloadReport } from './report.js';
import {
  formatTargets,
  judge,
  type Target,
  targetsOfComparison,
  targetsOfGrowth,
  targetsOfMemory,
  targetsOfStartup,
} from './targets.js';

const NAMES = [
  ['express', 'limit'],
  ['hand-written', 'limit'],
  ['ours', 'ours'],
  ['node-oauth', 'peer'],
  ['other', 'peer'],
] as const;

/** CPU time and requests per second of each contender, in three rounds. */
function workloadOf(
  name: string,
  figures: Readonly<Record<string, readonly [cpu: number[], perSecond: number] | undefined>>,
  commands: readonly string[] = [],
): WorkloadReport {
  const [report] = createWorkloadReports({
    instances: NAMES.map(([contender, kind]) => ({
      name: contender,
      title: `the ${contender}`,
      entry: { name: contender, kind },
    })) as never,
    outcomes: [
      {
        name: name as 'code',
        title: name,
        outcomes: new Map(
          Object.entries(figures).map(([contender, values]) => [
            contender,
            values === undefined
              ? { refused: 'wrong' }
              : {
                  rounds: values[0].map((cpuMicroseconds) => ({
                    requestsPerSecond: values[1],
                    p50: 1,
                    p99: 1,
                    cpuMicroseconds,
                    residentBytes: 1,
                  })),
                },
          ]),
        ),
      },
    ],
    counts: new Map([
      ['ours', new Map([[name as 'code', { commands: commands.length, bytes: 1, sequence: commands }]])],
    ]),
    baselinesOf: () => ({ express: 'express', 'hand-written': 'hand-written' }),
  });
  if (report === undefined) throw new Error('no report');
  return report;
}
const steady = (value: number) => [value, value, value];
const find = (targets: readonly Target[], title: RegExp) =>
  targets.filter((target) => title.test(target.title));

describe('a target', () => {
  const figure = (...rounds: number[]): Figure => summarize(rounds, 0.1);

  it('is met at its limit and missed above it, by a share that is said', () => {
    expect(judge(figure(1.3, 1.3, 1.3), { max: 1.3 })).toEqual({
      result: 'met',
      detail: '1.30 ×',
    });
    expect(judge(figure(1.43, 1.43, 1.43), { max: 1.3 })).toEqual({
      result: 'not met',
      detail: '1.43 ×, 10 % over',
    });
    expect(judge(figure(1.304, 1.304, 1.304), { max: 1.3 })).toEqual({
      result: 'not met',
      detail: '1.30 ×, 0.3 % over',
    });
    expect(judge(figure(1.8, 1.8, 1.8), { least: 2 })).toEqual({
      result: 'not met',
      detail: '1.80 ×, 10 % under',
    });
    expect(judge(figure(2, 2, 2), { least: 2 })).toMatchObject({ result: 'met' });
  });

  it('is not told where its limit is within the interval', () => {
    expect(judge(figure(1, 1.25, 1.5), { max: 1.3 })).toEqual({
      result: 'not told',
      detail: '1.25 × (1.00 to 1.50)',
    });
    expect(judge(figure(1.2, 1.6, 1.9), { max: 1.3 })).toMatchObject({ result: 'not told' });
    expect(judge(figure(1.9, 2.1, 2.2), { least: 2 })).toMatchObject({ result: 'not told' });
  });

  it('is told in spite of noise where the whole interval is on one side', () => {
    expect(judge(figure(0.5, 0.7, 0.9), { max: 1.3 })).toEqual({
      result: 'met',
      detail: '0.70 × (0.50 to 0.90)',
    });
    expect(judge(figure(1.4, 1.9, 2.6), { max: 1.3 })).toMatchObject({
      result: 'not met',
      detail: '1.90 × (1.40 to 2.60), 46 % over',
    });
  });

  it('is not told of what was not measured', () => {
    for (const none of [undefined, figure(), figure(NaN)])
      expect(judge(none, { max: 1 })).toEqual({ result: 'not told', detail: 'not in this run' });
  });
});

describe('targets of a comparison', () => {
  const CODE = workloadOf(
    'code',
    {
      express: [steady(100), 900],
      'hand-written': [steady(400), 700],
      ['ours']: [steady(500), 600],
      'node-oauth': [steady(900), 310],
      other: [steady(700), 500],
    },
    ['find', 'find', 'update'],
  );
  const targets = targetsOfComparison([CODE]);

  it('tell CPU time beside the same by hand, and commands', () => {
    expect(find(targets, /^code: CPU time at most 1.3 × the same by hand/)).toMatchObject([
      { result: 'met', detail: '1.25 ×' },
    ]);
    expect(find(targets, /^code: at most 3 commands/)).toMatchObject([
      { result: 'met', detail: '3: find, find, update' },
    ]);
    expect(
      find(
        targetsOfComparison([workloadOf('guard', { ['ours']: [steady(1), 1] }, ['find', 'find'])]),
        /^guard: at most 1 command /,
      ),
    ).toMatchObject([{ result: 'not met', detail: '2: find, find' }]);
  });

  it('tell whether ours is ahead of the nearest peer', () => {
    expect(find(targets, /less CPU time than every peer/)).toMatchObject([
      { result: 'met', detail: '0.71 × of the other' },
    ]);
    expect(find(targets, /more a second than every peer/)).toMatchObject([
      { result: 'met', detail: '1.20 × of the other' },
    ]);
    const behind = targetsOfComparison([
      workloadOf('code', {
        ['ours']: [steady(500), 600],
        'node-oauth': [steady(400), 660],
        other: [steady(250), 601],
      }),
    ]);
    expect(find(behind, /less CPU time than every peer/)).toMatchObject([
      { result: 'not met', detail: '2.00 ×, 100 % over of the other' },
    ]);
    expect(find(behind, /more a second than every peer/)).toMatchObject([
      { result: 'not met', detail: '0.91 ×, 9 % under of the node-oauth' },
    ]);
  });

  it('do not tell that ours is ahead of every peer where one has no figures, but do where one lacks the workload', () => {
    const refused = targetsOfComparison([
      workloadOf('code', {
        ['ours']: [steady(500), 600],
        'node-oauth': undefined,
        other: [steady(900), 300],
      }),
    ]);
    expect(find(refused, /every peer/)).toMatchObject([
      { result: 'not told', detail: 'no figures of the node-oauth' },
      { result: 'not told' },
    ]);
    const lacking = targetsOfComparison([
      workloadOf('code', { ['ours']: [steady(500), 600], other: [steady(900), 300] }),
    ]);
    expect(find(lacking, /every peer/)).toMatchObject([{ result: 'met' }, { result: 'met' }]);
  });

  it('tell what a JWT costs beside an opaque token, and the whole flow beside the best peer', () => {
    const run = targetsOfComparison([
      workloadOf('client_credentials', { ['ours']: [steady(100), 1] }),
      workloadOf('client_credentials-jwt', { ['ours']: [steady(150), 1] }),
      workloadOf('flow', {
        ['ours']: [steady(500), 1],
        'node-oauth': [steady(1000), 1],
        other: [steady(1250), 1],
      }),
    ]);
    expect(find(run, /with a JWT at most 1.4 ×/)).toMatchObject([
      { result: 'not met', detail: '1.50 ×, 7 % over' },
    ]);
    expect(find(run, /^flow: CPU time at most 0.45 ×/)).toMatchObject([
      { result: 'not met', detail: '0.50 ×, 11 % over of the node-oauth' },
    ]);
  });

  it('tell codes a second beside @node-oauth/express-oauth-server', () => {
    expect(find(targets, /^code: at least 2 ×/)).toMatchObject([
      { result: 'not met', detail: '1.94 ×, 3.2 % under' },
    ]);
  });

  it('do not leave out what this run cannot tell', () => {
    expect(find(targets, /^(guard|refresh|client_credentials)/).map(({ result }) => result)).toEqual(
      Array(13).fill('not told'),
    );
    expect(find(targets, /1 000 000|import/).map(({ detail }) => detail)).toEqual([
      '--growth tells',
      '--memory tells',
      '--startup tells',
    ]);
  });
});

describe('targets of the other runs', () => {
  const cell = (name: string, rounds: number[]): Cell => ({
    name,
    title: name,
    kind: 'ours',
    figures: { ratios: { smallest: summarize(rounds, 0.1) } } as never,
  });
  const workload = {
    name: 'guard',
    title: 'guard',
    rounds: 3,
    cells: [
      cell('ours@1000', steady(1)),
      cell('ours@100000', steady(1.5)),
      cell('ours@1000000', steady(1.26)),
    ],
  } as const;

  it('compare 1 million grants with 1 thousand', () => {
    expect(targetsOfGrowth([workload], [1000, 100_000, 1_000_000])).toMatchObject([
      {
        title: expect.stringMatching(/^guard: /),
        result: 'not met',
        detail: '1.26 ×, 5 % over',
      },
    ]);
    expect(targetsOfGrowth([workload], [1000, 20_000])).toMatchObject([
      { result: 'not told', detail: 'the levels are others' },
    ]);
  });

  it('compare memory after 1 million requests with that after 100 thousand', () => {
    const readings = (last: number) => [
      { requests: 100_000, residentBytes: 100 },
      { requests: 1_000_000, residentBytes: last },
    ];
    expect(targetsOfMemory(readings(109))).toMatchObject([
      { result: 'met', detail: '1.09 ×' },
      { title: expect.stringMatching(/by hand/), result: 'not told' },
    ]);
    expect(targetsOfMemory(readings(121), [{ requests: 100_000, residentBytes: 80 }])).toMatchObject([
      { result: 'not met', detail: '1.21 ×, 10 % over' },
      { result: 'not met', detail: '1.25 ×, 4.2 % over' },
    ]);
    expect(
      targetsOfMemory([
        { requests: 10, residentBytes: 1 },
        { requests: 100, residentBytes: 1 },
      ]),
    ).toMatchObject([
      { result: 'not told', detail: '100 requests are not 1 000 000' },
      { result: 'not told' },
    ]);
    expect(targetsOfMemory([])).toMatchObject([{ result: 'not told' }, { result: 'not told' }]);
  });

  it('compare the import with that of express and mongoose, by time and by CPU time', () => {
    const row = {
      name: 'ours',
      title: 'ours',
      figures: {},
      ratios: {
        importMilliseconds: summarize(steady(0.9), 0.1),
        importCpuMilliseconds: summarize(steady(1.6), 0.1),
        milliseconds: summarize(steady(1), 0.1),
      },
    } satisfies StartupRow;
    expect(targetsOfStartup([row]).map(({ result, detail }) => [result, detail])).toEqual([
      ['met', '0.90 ×'],
      ['not met', '1.60 ×, 60 % over'],
    ]);
  });

  it('stand in lines below the table', () => {
    const lines = formatTargets([
      { title: 'one', result: 'met', detail: '1.00 ×' },
      { title: 'another', result: 'not met', detail: '2.00 ×, 100 % over' },
    ]).split('\n');
    expect(lines).toEqual([
      '',
      'Targets',
      'one      met      1.00 ×',
      'another  NOT MET  2.00 ×, 100 % over',
    ]);
  });
});
