import { describe, expect, test } from '@jest/globals';

import { findBase } from '../base-tree.js';
import type { Outcome, WorkloadOutcome } from '../compare.js';
import { summarize, summarizeRatio } from '../statistics.js';
import { checkRow, formatCheck, lossesOf } from './check.js';
import { formatMarkdown } from './markdown.js';
import { createWorkloadReports, findRefusals, type Report, toJson } from './report.js';
import { formatReport } from './table.js';
import { judge, targetsOfComparison } from './targets.js';

const rounds = (...cpu: readonly number[]): Outcome => ({
  rounds: cpu.map((cpuMicroseconds) => ({
    requestsPerSecond: 1e6 / cpuMicroseconds,
    p50: 1.5,
    p99: 4,
    cpuMicroseconds,
    residentBytes: 80e6,
  })),
});
const steady = (value: number) => rounds(value, value, value);
const INSTANCES = [
  ['express', 'limit'],
  ['hand-written', 'limit'],
  ['ours', 'ours'],
  ['node-oauth', 'peer'],
].map(([name, kind]) => ({ name, title: `all of ${name}`, entry: { name, kind } }));

function reportOf(outcomes: Readonly<Record<string, Outcome>>, name = 'code'): Report {
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
    settings: { 'seconds a round': 2, connections: 16 },
    versions: { express: '5.3.0' },
    baselines: { 'hand-written': 'by hand' },
    workloads: createWorkloadReports({
      instances: INSTANCES as never,
      outcomes: [{ name, title: `title of ${name}`, outcomes: new Map(Object.entries(outcomes)) }],
      counts: new Map([['ours', new Map([[name, { commands: 2, sequence: ['find', 'update'] }]])]]),
      baselines: { express: 'express', 'hand-written': 'hand-written' },
    }),
  };
}
const ALL = {
  express: steady(100),
  'hand-written': steady(400),
  ['ours']: steady(500),
  'node-oauth': steady(700),
};

describe('a figure over several rounds', () => {
  // from any table of 95 % intervals of the median, which go by the ranks of the sign test
  test.each([
    [1, [1, 1]],
    [5, [1, 5]],
    [6, [1, 6]],
    [9, [2, 8]],
    [12, [3, 10]],
    [20, [6, 15]],
    [50, [18, 33]],
  ])('a benchmark figure has the interval of its median by %i ranks', (count, interval) => {
    const values = Array.from({ length: count }, (_, index) => count - index);
    expect(summarize(values, 1)).toMatchObject({ median: (count + 1) / 2, interval });
  });

  test('a benchmark figure is noisy if its interval is wider than the limit, or without rounds', () => {
    expect(summarize([90, 100, 110], 0.2).isNoisy).toBe(false);
    expect(summarize([90, 100, 110], 0.19).isNoisy).toBe(true);
    expect([summarize([], 0.1).isNoisy, summarizeRatio([1, 2], [], 0.1).isNoisy]).toEqual([true, true]);
  });

  test('a benchmark ratio is computed round by round, so that a disturbance cancels out', () => {
    const ratio = summarizeRatio([200, 400, 800], [100, 200, 400], 0.1);
    expect(ratio).toMatchObject({ median: 2, interval: [2, 2], isNoisy: false });
  });
});

describe('npm run bench -- --check', () => {
  const outcomeOf = (now: Outcome, before: Outcome = steady(100)): WorkloadOutcome => ({
    name: 'guard',
    title: 'API call',
    outcomes: new Map([
      ['before', before],
      ['now', now],
    ]),
  });
  const near = (value: number) => rounds(...Array.from({ length: 9 }, (_, round) => value + (round % 3) - 1));
  const before = rounds(...Array<number>(9).fill(100));
  const disturbed = [100, 300, 120, 500, 100, 250, 130, 100, 400];

  test.each([
    ['equally fast', near(100), 'no loss', before],
    ['faster', near(80), 'no loss', before],
    ['a little slower, as for new features', near(103), 'no loss', before],
    ['slower', near(110), 'LOSS', before],
    ['too noisy to tell', rounds(90, 100, 130, 95, 125, 90, 120, 99, 121), 'not told', before],
    [
      'slower in each of the rounds',
      rounds(...disturbed.map((cpu) => cpu * 1.2)),
      'LOSS',
      rounds(...disturbed),
    ],
    ['refused', { refused: '500' }, undefined, before],
  ])('npm run bench -- --check judges a workload that is %s', (_what, now, verdict, earlier) => {
    expect(checkRow(outcomeOf(now, earlier))?.verdict).toBe(verdict);
  });

  test('npm run bench -- --check prints a row for each workload, and the least size of a loss', () => {
    const row = checkRow(outcomeOf(near(120), before))!;
    expect(formatCheck([row], 'c0ffee'.repeat(7))).toMatch(/^API call +100 +120 +1\.20 .* LOSS$/m);
    expect(lossesOf([row])).toEqual([
      'API call: takes 19 % more CPU time than before at least (95 % confidence)',
    ]);
  });

  test('npm run bench -- --check compares with an existing commit only', async () => {
    expect(await findBase('HEAD')).toMatch(/^[0-9a-f]{40}$/);
    await expect(findBase('no-such-commit')).rejects.toThrow("there is no commit 'no-such-commit' here");
  });
});

describe('the report of a comparison', () => {
  const wrong = reportOf({ ...ALL, ['ours']: { refused: 'POST /oauth/token: 500' } });
  const noisy = reportOf({ ...ALL, ['ours']: rounds(500, 900, 200) });

  test('a benchmark report has the machine, the ratios, the commands, and rows without figures', () => {
    const { 'node-oauth': _, ...others } = ALL;
    const table = formatReport(reportOf(others));
    expect(table).toContain(
      '2026-11-21, CPU <of> the | test, 2 cores, 16 GB, linux x64, Node 20.19.0, MongoDB 8',
    );
    expect(table).toMatch(/^all of ours +2000 .* 500 +±0 % +1\.25 +2 +80$/m);
    expect(table).toMatch(/^all of node-oauth +–$/m);
  });

  test('a benchmark report has no figures of a contender with a wrong answer, and quotes it', () => {
    expect(formatReport(wrong)).toMatch(/^all of ours.* REFUSED$/m);
    expect(findRefusals(wrong)).toEqual(['title of code: no figures of all of ours: POST /oauth/token: 500']);
    expect(findRefusals(noisy)).toEqual([]);
  });

  test('a benchmark report has a dash for a noisy figure, and its rounds in the file', () => {
    expect(formatReport(noisy)).toMatch(/^all of ours.* – /m);
    const { workloads } = JSON.parse(toJson(noisy)) as Report;
    expect(workloads[0]?.cells[2]?.figures?.cpuMicroseconds).toMatchObject({
      median: null,
      rounds: [500, 900, 200],
    });
  });

  test('a benchmark report in Markdown has ratios with their interval, and escapes names', () => {
    const text = formatMarkdown(
      reportOf({ ...ALL, express: rounds(100, 200, 100), ['ours']: rounds(500, 500, 600) }),
    );
    expect(text).toContain('| title of code | 5.00 (2.50–6.00) | 1.25 (1.25–1.50) | 0.71 (0.71–0.86) |');
    expect(text).toContain('CPU &lt;of> the \\| test');
    const refused = reportOf({ ...ALL, 'node-oauth': { refused: 'POST /oauth/token: 500' } });
    expect(formatMarkdown(refused)).toContain(
      '| title of code | 5.00 (5.00–5.00) | 1.25 (1.25–1.25) | refused |',
    );
  });
});

describe('a target', () => {
  test.each([
    ['is met at its limit', [1.3, 1.3, 1.3], 'met', '1.30 ×'],
    ['is missed above its limit', [1.304, 1.304, 1.304], 'not met', '1.30 ×, 0.3 % over'],
    ['is not told if its limit is within the interval', [1, 1.25, 1.5], 'not told', '1.25 × (1.00 to 1.50)'],
    ['is told if the whole interval is on one side', [0.5, 0.7, 0.9], 'met', '0.70 × (0.50 to 0.90)'],
    ['has no verdict without a figure', [], 'not told', 'not in this run'],
  ])('a benchmark target %s', (_title, values, result, detail) => {
    expect(judge(summarize(values, 0.1), { max: 1.3 })).toEqual({ result, detail });
  });

  test.each<[string, Readonly<Record<string, Outcome>>, RegExp, object]>([
    ['CPU time beside the hand-written server', ALL, /^code: CPU time at most 1.3 ×/, { detail: '1.25 ×' }],
    ['commands', ALL, /^code: at most 3 commands/, { result: 'met', detail: '2: find, update' }],
    [
      'the nearest peer',
      ALL,
      /less CPU time than every peer/,
      { result: 'met', detail: '0.71 × of all of node-oauth' },
    ],
    [
      'a peer that is ahead',
      { ...ALL, 'node-oauth': steady(250) },
      /less CPU time than every peer/,
      { result: 'not met', detail: '2.00 ×, 100 % over of all of node-oauth' },
    ],
    [
      'a peer without figures',
      { ...ALL, 'node-oauth': { refused: 'wrong' } },
      /less CPU time than every peer/,
      { result: 'not told' },
    ],
    ['codes a second beside @node-oauth', ALL, /^code: at least 2 ×/, { result: 'not met' }],
    ['figures missing in this run', ALL, /^refresh: CPU time/, { result: 'not told' }],
    ['figures of another kind of run', ALL, /1 000 000 requests/, { detail: '--memory tells' }],
  ])('the benchmark targets include %s', (_what, outcomes, title, verdict) => {
    const targets = targetsOfComparison(reportOf(outcomes).workloads);
    expect(targets.filter((target) => title.test(target.title))).toMatchObject([verdict]);
  });
});
