import type { WorkloadOutcome } from '../compare.js';
import { type Figure, summarize, summarizeRatio } from '../statistics.js';
import { formatColumns, formatFigure, formatInterval } from './table.js';

/** The tolerance for noise, or for the price of new features: a share of the earlier CPU time. */
export const ALLOWED_LOSS = 0.05;

export interface CheckRow {
  readonly title: string;
  /** Microseconds of CPU time for one operation. */
  readonly before: Figure;
  readonly now: Figure;
  /** Round by round. */
  readonly ratio: Figure;
  readonly verdict: 'no loss' | 'LOSS' | 'not told';
}

/** Undefined if one of the two answered wrongly, or lacks the workload. */
export function checkRow({ title, outcomes }: WorkloadOutcome): CheckRow | undefined {
  const [before, now] = [cpuOf(outcomes.get('before')), cpuOf(outcomes.get('now'))];
  if (before === undefined || now === undefined) return undefined;
  // reported with its interval, however wide: the verdict goes by both ends
  const ratio = summarizeRatio(now, before, Infinity);
  return {
    title,
    before: summarize(before, Infinity),
    now: summarize(now, Infinity),
    ratio,
    verdict: verdictOf(ratio),
  };
}

function cpuOf(outcome: ReturnType<WorkloadOutcome['outcomes']['get']>): readonly number[] | undefined {
  if (outcome === undefined || 'refused' in outcome) return undefined;
  return outcome.rounds.map(({ cpuMicroseconds }) => cpuMicroseconds);
}

/** Loss or no loss, only if the ratio has that verdict at both ends of its interval. */
function verdictOf({ interval: [low, high] }: Figure): CheckRow['verdict'] {
  if (low > 1 + ALLOWED_LOSS) return 'LOSS';
  return high <= 1 + ALLOWED_LOSS ? 'no loss' : 'not told';
}

export function formatCheck(rows: readonly CheckRow[], base: string): string {
  const head = ['CPU µs for one operation', base.slice(0, 12), 'this tree', 'ratio', '', 'rounds', ''];
  const lines = rows.map(({ title, before, now, ratio, verdict }) => [
    title,
    formatFigure(before, 0),
    formatFigure(now, 0),
    ratio.median.toFixed(2),
    formatInterval(ratio),
    String(ratio.rounds.length),
    verdict,
  ]);
  return formatColumns([head, ...lines]);
}

export function lossesOf(rows: readonly CheckRow[]): string[] {
  return rows
    .filter(({ verdict }) => verdict === 'LOSS')
    .map(({ title, ratio }) => {
      const least = Math.round((ratio.interval[0] - 1) * 100);
      return `${title}: takes ${least} % more CPU time than before at least (95 % confidence)`;
    });
}
