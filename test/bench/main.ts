import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { compileContenders } from './compile-contenders.js';
import { startDatabase } from './database.js';
import { installPeers } from './install.js';
import { describeMachine, findBusyProblem, measureBusyShare } from './machine.js';
import { HELP, parseOptions, type BenchOptions } from './options.js';
import { drawChart } from './report/chart.js';
import { findRefusals, toJson, type Report } from './report/report.js';
import { formatReport } from './report/table.js';
import type { Surroundings } from './run.js';

const say = (line: string) => void process.stderr.write(`${line}\n`);

// so that what exit handlers end is ended by Ctrl-C as well
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
process.exitCode = await main().catch((error: unknown) => {
  say(error instanceof TypeError ? error.message : String(error instanceof Error ? error.stack : error));
  return 1;
});

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2));
  if (options === undefined) {
    process.stdout.write(HELP);
    return 0;
  }
  await installPeers(say);
  await compileContenders();
  const busyShare = await measureBusyShare();
  const machine = { ...describeMachine(), busyShare };
  const problem = findBusyProblem(busyShare, machine.loadAverage);
  if (problem !== undefined && !options.force) throw new TypeError(problem);
  if (problem !== undefined) say(`Going on by --force: ${problem}`);
  await mkdir(options.output, { recursive: true });
  const database = await startDatabase(say);
  try {
    return await run(options, { databaseUri: database.uri, database: database.kind, machine, say });
  } finally {
    await database.stop();
  }
}

async function run(options: BenchOptions, surroundings: Surroundings): Promise<number> {
  // not before its packages are installed
  const { runComparison, runGrowth, runMemory } = await import('./run.js');
  if (options.mode === 'memory') {
    const { table, json } = await runMemory(options, surroundings);
    process.stdout.write(`${table}\n`);
    await writeFile(join(options.output, 'memory.json'), json);
    return 0;
  }
  const isGrowth = options.mode === 'growth';
  const report = await (isGrowth ? runGrowth : runComparison)(options, surroundings);
  process.stdout.write(`${formatReport(report)}\n`);
  await writeFile(join(options.output, isGrowth ? 'growth.json' : 'results.json'), toJson(report));
  const refusals = findRefusals(report);
  for (const refusal of refusals) say(refusal);
  if (!isGrowth) await writeChart(report, options);
  return refusals.length > 0 ? 1 : 0;
}

async function writeChart(report: Report, { chart, output }: BenchOptions): Promise<void> {
  const file = chart ?? join(output, 'chart.svg');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, drawChart(report));
  say(`Chart: ${file}; figures: ${join(output, 'results.json')}`);
}
