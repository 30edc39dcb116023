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

  it('says between which rounds the median of ever so many would be, by the ranks of the sign test', () => {
    const ranks = (count: number) =>
      summarize(
        Array.from({ length: count }, (_, index) => count - index),
        1,
      ).interval;
    // from any table of 95 % intervals of the median
    expect([1, 5, 6, 9, 12, 20, 50].map(ranks)).toEqual([
      [1, 1],
      [1, 5],
      [1, 6],
      [2, 8],
      [3, 10],
      [6, 15],
      [18, 33],
    ]);
  });

  it('is spoiled by no bad round, and narrower by each that is taken', () => {
    const width = (rounds: readonly number[]) => {
      const [low, high] = summarize(rounds, 1).interval;
      return high - low;
    };
    const disturbed = [100, 102, 98, 101, 103, 97, 99, 100, 900];
    expect(summarize(disturbed, 0.1)).toMatchObject({ median: 100, isNoisy: false });
    expect(width([...disturbed, ...disturbed, ...disturbed])).toBeLessThan(width(disturbed));
  });

  it('calls a figure noisy where the interval is over the limit, not at it', () => {
    expect(summarize([90, 100, 110], 0.2).isNoisy).toBe(false);
    expect(summarize([90, 100, 110], 0.19).isNoisy).toBe(true);
  });

  it('compares round by round, so that what slows both down cancels out', () => {
    const ratio = summarizeRatio([200, 400, 800], [100, 200, 400], 0.1);
    expect(ratio).toMatchObject({ median: 2, interval: [2, 2], isNoisy: false });
    expect(summarize([200, 400, 800], 0.1).isNoisy).toBe(true);
  });

  it('has no ratio where the other one lacks rounds', () => {
    expect(summarizeRatio([1, 2], [], 0.1).isNoisy).toBe(true);
  });
});
