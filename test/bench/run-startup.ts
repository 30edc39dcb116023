import type { BenchOptions } from './options.js';
import { createProgress } from './progress.js';
import { type Report, toJson } from './report/report.js';
import { formatStartup, type StartupReport } from './report/startup-table.js';
import { formatTargets, targetsOfStartup } from './report/targets.js';
import type { RunResult } from './run-result.js';
import { measureStartup, startupSubjects } from './startup.js';

/** Fresh processes of Node, without a server and without a database. */
export async function runStartup(
  { rounds, maxRounds, isQuick }: BenchOptions,
  machine: Report['machine'],
): Promise<RunResult> {
  const subjects = await startupSubjects();
  const progress = createProgress(subjects.length * (rounds + 1));
  const rows = await measureStartup(subjects, { rounds, maxRounds, ...progress }).finally(() =>
    progress.end(),
  );
  const taken = rows[0]?.figures.milliseconds?.rounds.length ?? 0;
  const report: StartupReport & { mode: string } = {
    date: new Date().toISOString().slice(0, 10),
    mode: isQuick ? 'startup, quick' : 'startup',
    machine,
    settings: { 'rounds asked for': rounds },
    rounds: taken,
    rows,
  };
  const targets = targetsOfStartup(rows);
  return {
    text: `${formatStartup(report)}\n${formatTargets(targets)}`,
    files: { 'startup.json': toJson({ ...report, targets }) },
    refusals: [],
  };
}
