import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { BenchOptions } from './options.js';
import { createProgress } from './progress.js';
import { type Report, toJson } from './report/report.js';
import { formatWeights } from './report/startup-table.js';
import type { RunResult } from './run-result.js';
import { measureStartup, type Subject } from './startup.js';
import { PACKAGE, PEERS, weigh, type Weight } from './weight.js';

/** Each package installed alone: its size, what its smallest server loads, and what its import costs, in turn. */
export async function runWeight(
  { rounds, maxRounds }: BenchOptions,
  machine: Report['machine'],
  say: (line: string) => void,
): Promise<RunResult> {
  const weights = new Map<string, Weight>();
  const subjects: Subject[] = [];
  try {
    for (const subject of [PACKAGE, ...PEERS]) {
      const { title, packages } = subject;
      say(`Installing ${title}`);
      const folder = await realpath(await mkdtemp(join(tmpdir(), 'weight-')));
      subjects.push({ name: title, title, imports: packages, cwd: folder });
      weights.set(title, await weigh(subject, folder));
    }
    const progress = createProgress(subjects.length * (rounds + 1));
    const rows = await measureStartup(subjects, { rounds, maxRounds, ...progress }).finally(() =>
      progress.end(),
    );
    const report = {
      date: new Date().toISOString().slice(0, 10),
      machine,
      settings: { 'rounds asked for': rounds },
      rounds: rows[0]?.figures.milliseconds?.rounds.length ?? 0,
      rows: rows.map((row) => ({ ...row, weight: weights.get(row.name)! })),
    };
    return { text: formatWeights(report), files: { 'weight.json': toJson(report) }, refusals: [] };
  } finally {
    for (const { cwd } of subjects) await rm(cwd!, { recursive: true });
  }
}
