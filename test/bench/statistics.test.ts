import { describe, expect, it } from '@jest/globals';

import { median, quantile, summarize, summarizeRatio } from './statistics.js';

describe('figures over several rounds', () => {
  it('takes the middle value, and the mean of both where there are two', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });

  it('sorts numbers as numbers', () => {
    expect(median([10, 9, 100])).toBe(10);
  });

  it('finds quantiles between two values', () => {
    expect(quantile([0, 10], 0.99)).toBeCloseTo(9.9);
    expect(quantile([7], 0.99)).toBe(7);
  });

  it('knows nothing of no rounds, and says that this is noise', () => {
    expect(median([])).toBeNaN();
    expect(summarize([], 0.1).isNoisy).toBe(true);
  });

  it('takes the middle half of the rounds for the spread, so that one bad round spoils nothing', () => {
    expect(summarize([100, 102, 98, 101, 900], 0.1)).toMatchObject({ median: 101, isNoisy: false });
    expect(summarize([90, 100, 110], 0.2).spread).toBeCloseTo(0.1);
  });

  it('calls a figure noisy where the spread is over the limit, not at it', () => {
    expect(summarize([90, 100, 110], 0.1).isNoisy).toBe(false);
    expect(summarize([90, 100, 110], 0.09).isNoisy).toBe(true);
  });

  it('compares round by round, so that what slows both down cancels out', () => {
    const ratio = summarizeRatio([200, 400, 800], [100, 200, 400], 0.1);
    expect(ratio).toMatchObject({ median: 2, spread: 0, isNoisy: false });
    expect(summarize([200, 400, 800], 0.1).isNoisy).toBe(true);
  });

  it('has no ratio where the other one lacks rounds', () => {
    expect(summarizeRatio([1, 2], [], 0.1).isNoisy).toBe(true);
  });
});
