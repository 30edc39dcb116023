import type { Instance, Outcome, WorkloadOutcome } from '../compare.js';
import type { CommandCount } from '../count-commands.js';
import type { Machine } from '../machine.js';
import { type Figure, median, summarize, summarizeRatio } from '../statistics.js';

/** If the interval of the median is wider than this share of it, the machine was too noisy. */
export const WIDEST = {
  requestsPerSecond: 0.15,
  p50: 0.15,
  p99: 0.5,
  cpuMicroseconds: 0.1,
  ratio: 0.1,
} as const;

export interface Figures {
  readonly requestsPerSecond: Figure;
  /** Milliseconds. */
  readonly p50: Figure;
  readonly p99: Figure;
  /** Of the server's process for one operation. */
  readonly cpuMicroseconds: Figure;
  /** Of the server's process after the last round. */
  readonly residentBytes: number;
  /** Its CPU time as a multiple of another contender's, by that name. */
  readonly ratios: Readonly<Record<string, Figure>>;
}

/** One contender in one workload: figures, or the reason why there are none. */
export interface Cell {
  readonly name: string;
  readonly title: string;
  readonly kind: string;
  readonly figures?: Figures;
  readonly database?: CommandCount;
  readonly refused?: string;
  readonly isUnsupported?: true;
}

export interface WorkloadReport {
  readonly name: string;
  readonly title: string;
  /** The number of rounds of each contender. */
  readonly rounds: number;
  readonly cells: readonly Cell[];
}

export interface Report {
  readonly date: string;
  readonly mode: string;
  readonly machine: Machine & { readonly busyShare: number };
  readonly database: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly versions: Readonly<Record<string, string>>;
  /** The baselines of ratios, by name, with their titles in the table. */
  readonly baselines: Readonly<Record<string, string>>;
  readonly workloads: readonly WorkloadReport[];
}

export interface ReportParts {
  readonly instances: readonly Instance[];
  readonly outcomes: readonly WorkloadOutcome[];
  /** By instance and workload. */
  readonly counts: ReadonlyMap<string, ReadonlyMap<string, CommandCount>>;
  /** The baseline of all instances: an instance's name, by the name of the ratio. */
  readonly baselines: Readonly<Record<string, string>>;
}

export function createWorkloadReports({
  instances,
  outcomes,
  counts,
  baselines,
}: ReportParts): WorkloadReport[] {
  return outcomes.map(({ name, title, outcomes: byInstance }) => ({
    name,
    title,
    rounds: Math.max(
      0,
      ...[...byInstance.values()].map((outcome) => ('refused' in outcome ? 0 : outcome.rounds.length)),
    ),
    cells: instances.map((instance) => {
      const cell = { name: instance.name, title: instance.title, kind: instance.entry.kind };
      const outcome = byInstance.get(instance.name);
      if (outcome === undefined) return { ...cell, isUnsupported: true };
      if ('refused' in outcome) return { ...cell, refused: outcome.refused };
      const database = counts.get(instance.name)?.get(name);
      return {
        ...cell,
        figures: createFigures(outcome, byInstance, baselines),
        ...(database && { database }),
      };
    }),
  }));
}

function createFigures(
  { rounds }: Exclude<Outcome, { refused: string }>,
  others: ReadonlyMap<string, Outcome>,
  baselines: Readonly<Record<string, string>>,
): Figures {
  const cpu = rounds.map(({ cpuMicroseconds }) => cpuMicroseconds);
  const ratios: Record<string, Figure> = {};
  for (const [ratio, name] of Object.entries(baselines)) {
    const other = others.get(name);
    if (other === undefined || 'refused' in other) continue;
    ratios[ratio] = summarizeRatio(
      cpu,
      other.rounds.map(({ cpuMicroseconds }) => cpuMicroseconds),
      WIDEST.ratio,
    );
  }
  return {
    requestsPerSecond: summarize(
      rounds.map((round) => round.requestsPerSecond),
      WIDEST.requestsPerSecond,
    ),
    p50: summarize(
      rounds.map((round) => round.p50),
      WIDEST.p50,
    ),
    p99: summarize(
      rounds.map((round) => round.p99),
      WIDEST.p99,
    ),
    cpuMicroseconds: summarize(cpu, WIDEST.cpuMicroseconds),
    residentBytes: median(rounds.slice(-1).map((round) => round.residentBytes)),
    ratios,
  };
}

/** Whether the table has a dash for a noisy figure. */
export function isNoisyCell({ figures }: Cell): boolean {
  if (figures === undefined) return false;
  const { requestsPerSecond, p50, p99, cpuMicroseconds, ratios } = figures;
  return [requestsPerSecond, p50, p99, cpuMicroseconds, ...Object.values(ratios)].some(
    (figure) => figure.isNoisy,
  );
}

/** The contenders with a wrong answer, and so without figures, in sentences; empty without any. */
export function findRefusals({ workloads }: Pick<Report, 'workloads'>): string[] {
  return workloads.flatMap(({ title, cells }) =>
    cells.flatMap((cell) =>
      cell.refused === undefined ? [] : [`${title}: no figures of ${cell.title}: ${cell.refused}`],
    ),
  );
}

/** The report for a file; if the machine was too noisy it has the rounds, and null instead of a median. */
export function toJson(report: object): string {
  const withoutNoise = (_key: string, value: unknown) =>
    isNoisyFigure(value) ? { ...value, median: null } : value;
  return `${JSON.stringify(report, withoutNoise, 2)}\n`;
}

function isNoisyFigure(value: unknown): value is Figure {
  return typeof value === 'object' && value !== null && 'isNoisy' in value && value.isNoisy === true;
}
