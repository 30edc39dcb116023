import { describe, expect, it } from '@jest/globals';

import type { Outcome, Round, WorkloadOutcome } from '../compare.js';
import { formatMarkdown } from './markdown.js';
import { createWorkloadReports, type Report } from './report.js';

const rounds = (...cpu: number[]): { rounds: Round[] } => ({
  rounds: cpu.map((cpuMicroseconds) => ({
    requestsPerSecond: 1000,
    p50: 1.5,
    p99: 4,
    cpuMicroseconds,
    residentBytes: 80e6,
  })),
});

const INSTANCES = [
  ['express', 'limit'],
  ['hand-written', 'limit'],
  ['ours', 'ours'],
  ['oidc-provider', 'peer'],
].map(([name, kind]) => ({ name, title: `all of ${name}`, entry: { name, kind } }));

function reportOf(outcomes: WorkloadOutcome['outcomes']): Report {
  const counted = (commands: number) => new Map([['code' as const, { commands, bytes: 1, sequence: [] }]]);
  return {
    date: '2026-11-21',
    mode: 'compare',
    machine: {
      cpu: 'CPU <of> the | test',
      cores: 2,
      memoryBytes: 2 ** 34,
      platform: 'linux x64',
      node: '20.19.0',
      loadAverage: 0.1,
      busyShare: 0.01,
    },
    database: 'MongoDB 8',
    settings: { 'rounds asked for': 3, 'seconds a round': 2, connections: 16 },
    versions: { express: '5.3.0', ['ours']: '0.1.0' },
    baselines: {},
    workloads: createWorkloadReports({
      instances: INSTANCES as never,
      outcomes: [{ name: 'code', title: 'Code to tokens', outcomes }],
      counts: new Map([
        ['express', counted(0)],
        ['hand-written', counted(3)],
        ['ours', counted(3)],
        ['oidc-provider', counted(7.5)],
      ]),
      baselinesOf: () => ({ 'hand-written': 'hand-written' }),
    }),
  };
}
const tablesOf = (report: Report) =>
  formatMarkdown(report)
    .split('\n\n')
    .filter((part) => part.startsWith('|'));

describe('the summary in Markdown', () => {
  const ALL = reportOf(
    new Map([
      ['express', rounds(100, 100, 100)],
      ['hand-written', rounds(400, 400, 400)],
      ['ours', rounds(500, 500, 500)],
      ['oidc-provider', rounds(1200, 1200, 1200)],
    ]),
  );

  it('tells first how this package compares with each of the others, round by round, with the interval', () => {
    const [multiples] = tablesOf(
      reportOf(
        new Map<string, Outcome>([
          ['express', rounds(100, 200, 100)],
          ['hand-written', { refused: 'wrong' }],
          ['ours', rounds(500, 500, 600)],
        ]),
      ),
    );
    expect(multiples?.split('\n')).toEqual([
      '|  | Express | by hand | oidc-provider |',
      '| --- | ---: | ---: | ---: |',
      '| Code to tokens | 5.00 (2.50–6.00) | refused | – |',
    ]);
  });

  it('has a table of CPU time with the multiple of the same by hand, one of requests per second, one of commands', () => {
    const [, cpu, perSecond, commands] = tablesOf(ALL);
    expect(cpu?.split('\n')).toEqual([
      '|  | Express | by hand | **this package** | oidc-provider |',
      '| --- | ---: | ---: | ---: | ---: |',
      '| Code to tokens | 100 (0.25 ×) | 400 (1.00 ×) | **500 (1.25 ×)** | 1200 (3.00 ×) |',
    ]);
    expect(perSecond).toContain('| Code to tokens | 1000 | 1000 | **1000** | 1000 |');
    expect(commands?.split('\n').at(-1)).toBe('| Code to tokens | 3 | **3** | 7.5 |');
  });

  it('has as many cells in each row, whatever could be told', () => {
    const some = reportOf(
      new Map<string, Outcome>([
        ['express', rounds(100, 100, 100)],
        ['hand-written', { refused: 'wrong' }],
        ['ours', rounds(500, 500, 500)],
      ]),
    );
    for (const table of tablesOf(some)) {
      const widths = table.split('\n').map((line) => line.split('|').length);
      expect(new Set(widths).size).toBe(1);
    }
    expect(tablesOf(some)[1]?.split('\n').at(-1)).toBe('| Code to tokens | 100 | refused | **500** | – |');
  });

  it('has a dash in the place of what is too noisy, of this package as of others', () => {
    const of = (express: number[], own: number[]) =>
      tablesOf(
        reportOf(
          new Map([
            ['express', rounds(...express)],
            ['ours', rounds(...own)],
          ]),
        ),
      )[1]?.split('\n');
    expect(of([100, 200, 300], [500, 500, 500])?.at(-1)).toBe('| Code to tokens | – | – | **500** | – |');
    expect(of([100, 100, 100], [500, 900, 200])?.at(-1)).toBe('| Code to tokens | 100 | – | – | – |');
  });

  it('tells no multiple that is too noisy', () => {
    const noisy = reportOf(
      new Map([
        ['hand-written', rounds(300, 400, 500)],
        ['ours', rounds(500, 500, 500)],
      ]),
    );
    expect(tablesOf(noisy)[1]).toContain('**500** |');
  });

  it('has date, machine, database, versions and rounds beneath, and lets nothing be markup that others have named', () => {
    const foot = formatMarkdown(ALL).trimEnd().split('\n').at(-1);
    expect(foot).toContain(
      '2026-11-21, CPU &lt;of> the \\| test, 2 cores, 16 GB, linux x64, Node 20.19.0, MongoDB 8.',
    );
    expect(foot).toContain('Medians of 3 interleaved rounds of 2 s, 16 connections.');
    expect(foot).toContain('Versions: Express 5.3.0, this package 0.1.0.');
  });
});
