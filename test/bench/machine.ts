import { type CpuInfo, cpus, loadavg, totalmem } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

export type Machine = ReturnType<typeof describeMachine>;

/** If more than this share of all cores is busy before the run, other programs would be measured as well. */
export const BUSY_LIMIT = 0.15;

export function describeMachine() {
  const [first] = cpus();
  return {
    cpu: first?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryBytes: totalmem(),
    platform: `${process.platform} ${process.arch}`,
    node: process.versions.node,
    /** Of the last minute, before the run began. */
    loadAverage: loadavg()[0] ?? 0,
  };
}

/** The busy share of all cores during this time. */
export async function measureBusyShare(milliseconds = 1500): Promise<number> {
  const before = cpus();
  await delay(milliseconds);
  return busyShare(before, cpus());
}

export function busyShare(
  before: readonly Pick<CpuInfo, 'times'>[],
  after: readonly Pick<CpuInfo, 'times'>[],
): number {
  const total = sumOf(after, allOf) - sumOf(before, allOf);
  const idle = sumOf(after, ({ times }) => times.idle) - sumOf(before, ({ times }) => times.idle);
  return total === 0 ? 0 : 1 - idle / total;
}

/** The reason why the machine is not fit for measurements now; undefined if it is fit. */
export function findBusyProblem(share: number, loadAverage: number): string | undefined {
  if (share <= BUSY_LIMIT) return undefined;
  return `the machine is busy: ${Math.round(share * 100)} % of its cores at work before the benchmark began (limit ${BUSY_LIMIT * 100} %, load average ${loadAverage.toFixed(2)}); wait until it is quiet, or go on with --force`;
}

function allOf({ times }: Pick<CpuInfo, 'times'>): number {
  return times.user + times.nice + times.sys + times.idle + times.irq;
}

function sumOf(
  cores: readonly Pick<CpuInfo, 'times'>[],
  value: (core: Pick<CpuInfo, 'times'>) => number,
): number {
  return cores.reduce((sum, core) => sum + value(core), 0);
}
