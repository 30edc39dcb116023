import { describe, expect, it } from '@jest/globals';

import { findBase } from './base-tree.js';
import type { WorkloadOutcome } from './compare.js';
import { checkRow, formatCheck, lossesOf } from './report/check.js';

const BASE = 'c0ffee'.repeat(7).slice(0, 40);
const outcomeOf = (now: readonly number[], before = now.map(() => 100)): WorkloadOutcome => {
  const rounds = (cpu: readonly number[]) => ({
    rounds: cpu.map((cpuMicroseconds) => ({ cpuMicroseconds })) as never,
  });
  return {
    name: 'guard',
    title: 'API call',
    outcomes: new Map([
      ['before', rounds(before)],
      ['now', rounds(now)],
    ]),
  };
};
const steady = (value: number) => Array.from({ length: 9 }, (_, round) => value + (round % 3) - 1);

describe('whether something was lost', () => {
  it.each([
    ['as it was', steady(100), 'no loss'],
    ['quicker', steady(80), 'no loss'],
    ['a little slower, as new things may be', steady(103), 'no loss'],
    ['slower', steady(110), 'LOSS'],
    ['slower, or not: too noisy', [90, 100, 130, 95, 125, 90, 120, 99, 121], 'not told'],
  ])('%s', (_what, now, verdict) => {
    expect(checkRow(outcomeOf(now))?.verdict).toBe(verdict);
  });

  it('is told round by round: what disturbs a round disturbs both', () => {
    const disturbed = [100, 300, 120, 500, 100, 250, 130, 100, 400];
    expect(
      checkRow(
        outcomeOf(
          disturbed.map((cpu) => cpu * 1.2),
          disturbed,
        ),
      ),
    ).toMatchObject({
      verdict: 'LOSS',
      ratio: { median: expect.closeTo(1.2) },
    });
  });

  it('is not told of what was answered wrongly, or is not there before', () => {
    const { outcomes, ...rest } = outcomeOf(steady(100));
    expect(
      checkRow({ ...rest, outcomes: new Map([...outcomes, ['now', { refused: '500' }]]) }),
    ).toBeUndefined();
    expect(checkRow({ ...rest, outcomes: new Map([['now', outcomes.get('now')!]]) })).toBeUndefined();
  });

  it('is said in a table, and of a loss how much it is at least', () => {
    const rows = [outcomeOf(steady(100)), outcomeOf(steady(120))].map((outcome) => checkRow(outcome)!);
    expect(formatCheck(rows, BASE)).toMatch(/^API call +100 +100 +1\.00 +±1 % +9 +no loss$/m);
    expect(formatCheck(rows, BASE)).toMatch(/^API call +100 +120 +1\.20 .* LOSS$/m);
    expect(lossesOf(rows)).toEqual([
      'API call: takes 19 % more CPU time than before at least (95 % confidence)',
    ]);
  });
});

describe('the commit to compare with', () => {
  it('can be named', async () => {
    expect(await findBase('HEAD')).toMatch(/^[0-9a-f]{40}$/);
  });

  it('has to be there', async () => {
    await expect(findBase('no-such-commit')).rejects.toThrow(
      "--base: there is no commit 'no-such-commit' here",
    );
  });
});
