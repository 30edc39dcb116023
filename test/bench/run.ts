import { join } from 'node:path';

import {
  compare,
  countSteps,
  type Instance,
  startInstance,
  stopInstance,
  type WorkloadOutcome,
} from './compare.js';
import { BASELINES } from './contender.js';
import { type CommandCount, countCommands } from './count-commands.js';
import { uriOf } from './database.js';
import { formatMemory, growthOf, type MemoryReading, readMemory } from './memory.js';
import type { BenchOptions } from './options.js';
import { createProgress } from './progress.js';
import { formatMarkdown } from './report/markdown.js';
import {
  createWorkloadReports,
  findRefusals,
  isNoisyCell,
  type Report,
  type ReportParts,
  toJson,
  type WorkloadReport,
} from './report/report.js';
import { formatReport } from './report/table.js';
import { formatTargets, type Target, targetsOfComparison, targetsOfMemory } from './report/targets.js';
import type { RunResult } from './run-result.js';
import type { Surroundings } from './surroundings.js';
import { QUICK_STOCK, STOCK, WORKLOADS } from './workloads.js';

/** All contenders side by side, each with a separate database. */
export async function runComparison(options: BenchOptions, surroundings: Surroundings): Promise<RunResult> {
  const { contenders, connections } = options;
  surroundings.say(`Starting ${contenders.map(({ title }) => title).join(', ')}`);
  const instances = await startAll(
    contenders.map((entry) =>
      startInstance(entry, {
        databaseUri: uriOf(surroundings.databaseUri, `bench_${entry.name}`),
        connections,
        nodeOptions: nodeOptionsOf(options),
      }),
    ),
  );
  try {
    surroundings.say('Counting commands to the database');
    const counts = new Map<string, ReadonlyMap<string, CommandCount>>();
    await Promise.all(
      contenders.map(
        async (entry) =>
          void counts.set(
            entry.name,
            await countCommands(
              entry,
              options.workloads,
              uriOf(surroundings.databaseUri, `bench_${entry.name}_counted`),
            ),
          ),
      ),
    );
    const workloads = await measure(instances, options, {
      counts,
      baselines: Object.fromEntries(BASELINES.map((name) => [name, name])),
    });
    const report: Report = {
      ...describeRun(options, surroundings, instances),
      baselines: Object.fromEntries(BASELINES.map((name) => [name, name])),
      workloads,
    };
    const targets = options.profile ? [] : targetsOfComparison(workloads);
    return {
      text: withTargets(formatReport(report), targets),
      files: {
        'results.json': toJson({ ...report, targets }),
        'results.md': formatMarkdown(report),
      },
      refusals: findRefusals(report),
    };
  } finally {
    await Promise.all(instances.map(stopInstance));
  }
}

interface MemoryResult {
  readonly contender: string;
  readonly title: string;
  readonly readings: readonly MemoryReading[];
  readonly growth: number;
}

/** Resident memory over many requests, one contender after another. */
export async function runMemory(options: BenchOptions, surroundings: Surroundings): Promise<RunResult> {
  const flow = WORKLOADS.find(({ name }) => name === 'flow')!;
  const results: MemoryResult[] = [];
  for (const entry of options.contenders) {
    const instance = await startInstance(entry, {
      databaseUri: uriOf(surroundings.databaseUri, `bench_${entry.name}_memory`),
      connections: options.connections,
    });
    const progress = createProgress(10);
    const readings = await readMemory(instance, flow, { ...options, step: progress.step }).finally(() =>
      stopInstance(instance),
    );
    progress.end();
    results.push({ contender: entry.name, title: entry.title, readings, growth: growthOf(readings) });
  }
  const text = results.map(({ title, readings }) => formatMemory(title, readings)).join('\n');
  const { machine, database } = surroundings;
  const readingsOf = (name: string) => results.find(({ contender }) => contender === name)?.readings;
  const targets = targetsOfMemory(readingsOf('ours') ?? [], readingsOf('hand-written'));
  return {
    text: withTargets(text, targets),
    files: { 'memory.json': toJson({ date: today(), machine, database, results, targets }) },
    refusals: [],
  };
}

/** Side by side, with more rounds if reported figures are too noisy. */
async function measure(
  instances: readonly Instance[],
  options: BenchOptions,
  parts: Pick<ReportParts, 'counts' | 'baselines'>,
): Promise<WorkloadReport[]> {
  const report = (outcomes: readonly WorkloadOutcome[]) =>
    createWorkloadReports({ ...parts, instances, outcomes });
  const progress = createProgress(countSteps(instances, options.workloads, options));
  const isNoisy = (outcome: WorkloadOutcome) =>
    report([outcome]).some(({ cells }) => cells.some(isNoisyCell));
  const outcomes = await compare(instances, options.workloads, {
    ...options,
    stock: options.isQuick ? QUICK_STOCK : STOCK,
    ...progress,
    isNoisy,
  }).finally(() => progress.end());
  return report(outcomes);
}

function withTargets(text: string, targets: readonly Target[]): string {
  return targets.length === 0 ? text : `${text}\n${formatTargets(targets)}`;
}

/** All of them, or none: if one does not start, the others are stopped. */
async function startAll(starting: readonly Promise<Instance>[]): Promise<Instance[]> {
  const results = await Promise.allSettled(starting);
  const instances = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed === undefined) return instances;
  await Promise.all(instances.map(stopInstance));
  throw failed.reason;
}

function describeRun(
  options: BenchOptions,
  { machine, database }: Surroundings,
  instances: readonly Instance[],
) {
  return {
    date: today(),
    mode: options.isQuick ? `${options.mode}, quick` : options.mode,
    machine,
    database,
    settings: {
      'rounds asked for': options.rounds,
      'seconds a round': options.roundSeconds,
      'seconds to warm up': options.warmupSeconds,
      connections: options.connections,
    },
    versions: Object.fromEntries(
      instances.map(({ entry, process }) => [entry.name, process.description.version]),
    ),
  };
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

function nodeOptionsOf({ profile, output }: BenchOptions): string[] {
  return profile ? ['--cpu-prof', `--cpu-prof-dir=${join(output, 'profiles')}`] : [];
}
