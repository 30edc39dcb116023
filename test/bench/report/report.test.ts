import { describe, expect, it } from '@jest/globals';

import type { Instance, Round, WorkloadOutcome } from '../compare.js';
import { drawChart } from './chart.js';
import { createWorkloadReports, findRefusals, isNoisyCell, type Report, toJson } from './report.js';
import { formatReport } from './table.js';

const rounds = (...cpu: number[]): Round[] =>
  cpu.map((cpuMicroseconds) => ({
    requestsPerSecond: 1000,
    p50: 1.5,
    p99: 4,
    cpuMicroseconds,
    residentBytes: 80e6,
  }));

const INSTANCES = [
  { name: 'express', title: 'Express, fixed answer', entry: { name: 'express', kind: 'limit' } },
  { name: 'ours', title: 'ours & <theirs>', entry: { name: 'ours', kind: 'ours' } },
  { name: 'peer', title: 'a peer', entry: { name: 'peer', kind: 'peer' } },
] as unknown as Instance[];

function reportOf(outcomes: WorkloadOutcome['outcomes']): Report {
  const workloads = createWorkloadReports({
    instances: INSTANCES,
    outcomes: [{ name: 'code', title: 'Code to tokens', outcomes }],
    counts: new Map([
      ['ours', new Map([['code', { commands: 3, bytes: 3072.4, sequence: ['find', 'find', 'update'] }]])],
    ]),
    baselinesOf: () => ({ express: 'express' }),
  });
  return {
    date: '2026-11-21',
    mode: 'compare',
    machine: {
      cpu: 'CPU <of> the & test',
      cores: 2,
      memoryBytes: 2 ** 34,
      platform: 'linux x64',
      node: '20.19.0',
      loadAverage: 0.1,
      busyShare: 0.01,
    },
    database: 'MongoDB 8',
    settings: { rounds: 3 },
    versions: {},
    baselines: { express: 'express' },
    workloads,
  };
}

const STEADY = reportOf(
  new Map([
    ['express', { rounds: rounds(100, 101, 99) }],
    ['ours', { rounds: rounds(500, 505, 495) }],
  ]),
);
const NOISY = reportOf(
  new Map([
    ['express', { rounds: rounds(100, 101, 99) }],
    ['ours', { rounds: rounds(500, 900, 200) }],
    ['peer', { rounds: rounds(700, 700, 700) }],
  ]),
);
const WRONG = reportOf(
  new Map([
    ['express', { rounds: rounds(100, 101, 99) }],
    ['ours', { refused: 'POST /oauth/token: 500 instead of 200' }],
    ['peer', { rounds: rounds(700, 700, 700) }],
  ]),
);

describe('the report', () => {
  it('tells the ratio to what it is compared with, and the commands that were counted', () => {
    const cell = STEADY.workloads[0]?.cells[1];
    expect(cell?.figures?.ratios.express?.median).toBeCloseTo(5);
    expect(cell?.database).toMatchObject({ commands: 3, sequence: ['find', 'find', 'update'] });
    expect(findRefusals(STEADY)).toEqual([]);
  });

  it('keeps a row for each contender, and marks what one lacks', () => {
    expect(
      STEADY.workloads[0]?.cells.map(({ name, isUnsupported }) => [name, isUnsupported ?? false]),
    ).toEqual([
      ['express', false],
      ['ours', false],
      ['peer', true],
    ]);
    expect(formatReport(STEADY)).toMatch(/^a peer +–$/m);
  });

  it('puts machine, database, date and settings above the table', () => {
    const table = formatReport(STEADY);
    expect(table).toContain(
      '2026-11-21, CPU <of> the & test, 2 cores, 16 GB, linux x64, Node 20.19.0, MongoDB 8',
    );
    expect(table).toContain('rounds 3');
  });

  it('aligns figures to the right', () => {
    const [header = '', express = '', own = ''] = formatReport(STEADY).split('\n').slice(-4);
    const end = header.indexOf('CPU µs') + 'CPU µs'.length;
    expect(express.slice(0, end)).toMatch(/ 100$/);
    expect(own.slice(0, end)).toMatch(/ 500$/);
  });

  it('has a dash and no more in the place of a figure that is too noisy, and keeps the rounds in the file', () => {
    expect(formatReport(NOISY)).toMatch(/^ours.* – /m);
    expect(formatReport(NOISY)).not.toMatch(/^ours.*( 500 |noisy)/m);
    const { workloads } = JSON.parse(toJson(NOISY)) as Report;
    expect(workloads[0]?.cells[1]?.figures?.cpuMicroseconds).toMatchObject({
      median: null,
      rounds: [500, 900, 200],
      isNoisy: true,
    });
    expect(workloads[0]?.cells[2]?.figures?.cpuMicroseconds.median).toBe(700);
    expect(findRefusals(NOISY)).toEqual([]);
  });

  it('knows what it cannot tell, so that more rounds can be taken', () => {
    expect(STEADY.workloads[0]?.cells.map(isNoisyCell)).toEqual([false, false, false]);
    expect(NOISY.workloads[0]?.cells.map(isNoisyCell)).toEqual([false, true, false]);
    expect(WRONG.workloads[0]?.cells.map(isNoisyCell)).toEqual([false, false, false]);
  });

  it('marks a ratio that is over its limit, not one that is within or noisy', () => {
    const own = (report: Report) => /^ours.*$/m.exec(formatReport(report))?.[0];
    expect(own({ ...STEADY, limits: { express: 4.9 } })).toMatch(/ 5\.00 > 4\.9! /);
    expect(own({ ...STEADY, limits: { express: 5 } })).toMatch(/ 5\.00 /);
    expect(own({ ...STEADY, limits: { express: 5 } })).not.toContain('!');
    expect(own({ ...NOISY, limits: { express: 1 } })).not.toContain('!');
  });

  it('says how many rounds there were', () => {
    expect(formatReport(STEADY)).toContain('Code to tokens (3 rounds)');
    expect(
      reportOf(
        new Map([
          ['express', { refused: 'wrong' }],
          ['ours', { rounds: rounds(1, 1, 1, 1) }],
        ]),
      ).workloads[0]?.rounds,
    ).toBe(4);
  });

  it('has no figures of what gave a wrong answer, and says which one', () => {
    expect(WRONG.workloads[0]?.cells[1]?.figures).toBeUndefined();
    expect(formatReport(WRONG)).toMatch(/^ours.* REFUSED$/m);
    expect(findRefusals(WRONG)).toEqual([
      'Code to tokens: no figures of ours & <theirs>: POST /oauth/token: 500 instead of 200',
    ]);
  });

  it('has no ratio to a contender that was refused', () => {
    const refused = reportOf(
      new Map([
        ['express', { refused: 'wrong' }],
        ['ours', { rounds: rounds(500, 505, 495) }],
      ]),
    );
    expect(refused.workloads[0]?.cells[1]?.figures?.ratios).toEqual({});
  });
});

describe('the chart', () => {
  it('has a title, a description with every figure, the date and the machine', () => {
    const chart = drawChart(STEADY);
    expect(chart).toMatch(/role="img" aria-labelledby="chart-title chart-description"/);
    expect(chart).toMatch(/<title id="chart-title">CPU time/);
    expect(chart).toMatch(
      /<desc id="chart-description">Code to tokens: Express, fixed answer 100 µs; .*500 µs, 3 commands; a peer does not have it\.<\/desc>/,
    );
    expect(chart).toContain('2026-11-21');
  });

  it('escapes what others have named', () => {
    const chart = drawChart(STEADY);
    expect(chart).toContain('ours &amp; &lt;theirs&gt;');
    expect(chart).toContain('CPU &lt;of&gt; the &amp; test');
    expect(chart).not.toMatch(/<theirs>|<of>/);
  });

  it('draws bars in proportion', () => {
    const widths = [
      ...drawChart(STEADY).matchAll(/<rect class="(?:limit|ours)" x="\d+" y="\d+" width="(\d+)"/g),
    ].map(([, width]) => Number(width));
    expect(widths).toHaveLength(2);
    expect((widths[1] ?? 0) / (widths[0] ?? 1)).toBeCloseTo(5, 1);
  });

  it('leaves out a workload of which it cannot tell our figure', () => {
    expect(drawChart(NOISY)).not.toContain('Code to tokens');
    expect(drawChart(NOISY)).not.toMatch(/<rect class="(ours|limit)"/);
  });

  it('leaves out what else is too noisy', () => {
    const chart = drawChart(
      reportOf(
        new Map([
          ['express', { rounds: rounds(100, 200, 300) }],
          ['ours', { rounds: rounds(500, 505, 495) }],
        ]),
      ),
    );
    expect(chart).toMatch(/<rect class="ours"/);
    expect(chart).not.toMatch(/<rect class="limit"|Express, fixed answer/);
  });

  it('draws no bar of what gave a wrong answer, and says so', () => {
    expect(drawChart(WRONG)).toContain('gave a wrong answer');
    expect(drawChart(WRONG)).not.toMatch(/<rect class="ours"/);
  });
});
