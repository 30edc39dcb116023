import { buildBase, findBase } from './base-tree.js';
import { compare, countSteps, startInstance, stopInstance, type WorkloadOutcome } from './compare.js';
import { CONTENDERS } from './contender.js';
import { uriOf } from './database.js';
import type { BenchOptions } from './options.js';
import { createProgress } from './progress.js';
import { ALLOWED_LOSS, checkRow, formatCheck, lossesOf } from './report/check.js';
import { toJson } from './report/report.js';
import type { RunResult } from './run-result.js';
import type { Surroundings } from './surroundings.js';
import { QUICK_STOCK } from './workloads.js';

/** This tree and an earlier commit in turn, until the verdict about each workload is clear. */
export async function runCheck(options: BenchOptions, surroundings: Surroundings): Promise<RunResult> {
  const { databaseUri, say } = surroundings;
  const base = await buildBase(await findBase(options.base), say);
  const entry = CONTENDERS.find(({ kind }) => kind === 'ours')!;
  const start = (name: string, title: string, tree?: string) =>
    startInstance(entry, {
      databaseUri: uriOf(databaseUri, `bench_check_${name}`),
      connections: options.connections,
      name,
      title,
      ...(tree !== undefined && { tree }),
    });
  const before = await start('before', base.commit.slice(0, 12), base.folder);
  const now = await start('now', 'this tree').catch(async (error: unknown) => {
    await stopInstance(before);
    throw error;
  });
  try {
    const instances = [before, now];
    const progress = createProgress(countSteps(instances, options.workloads, options));
    const outcomes = await compare(instances, options.workloads, {
      ...options,
      stock: QUICK_STOCK,
      ...progress,
      isNoisy: (outcome) => checkRow(outcome)?.verdict === 'not told',
    }).finally(() => progress.end());
    return notify(outcomes, { base: base.commit });
  } finally {
    await Promise.all([stopInstance(before), stopInstance(now)]);
  }
}

function notify(outcomes: readonly WorkloadOutcome[], { base }: { readonly base: string }): RunResult {
  const rows = outcomes.flatMap((outcome) => checkRow(outcome) ?? []);
  return {
    text: formatCheck(rows, base),
    files: { 'check.json': toJson({ base, allowedLoss: ALLOWED_LOSS, rows }) },
    refusals: [...outcomes.flatMap(refusalsOf), ...lossesOf(rows)],
  };
}

function refusalsOf({ title, outcomes }: WorkloadOutcome): string[] {
  return [...outcomes].flatMap(([name, outcome]) =>
    'refused' in outcome ? [`${title}: no figures of ${name}: ${outcome.refused}`] : [],
  );
}
