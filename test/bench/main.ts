import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compare, countSteps, startInstance, stopInstance, type Instance } from './compare.js';
import { compileContenders } from './compile-contenders.js';
import { BASELINES, CONTENDERS, type WorkloadName } from './contender.js';
import { countCommands, type CommandCount } from './count-commands.js';
import { startDatabase, uriOf } from './database.js';
import { installPeers } from './install.js';
import { describeMachine, findBusyProblem, measureBusyShare } from './machine.js';
import { HELP, parseOptions, type BenchOptions } from './options.js';
import { createProgress } from './progress.js';
import { createWorkloadReports, findRefusals, type Report } from './report/report.js';
import { formatReport } from './report/table.js';

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
  const database = await startDatabase(say);
  try {
    const report = await runComparison(options, { uri: database.uri, describe: { machine, database: database.kind } });
    return await publish(report, options);
  } finally {
    await database.stop();
  }
}

async function runComparison(options: BenchOptions, { uri, describe }: { uri: string; describe: Pick<Report, 'machine' | 'database'> }): Promise<Report> {
  const instances: Instance[] = [];
  const nodeOptions = options.profile ? ['--cpu-prof', `--cpu-prof-dir=${join(options.output, 'profiles')}`] : [];
  for (const entry of options.contenders) {
    say(`Starting ${entry.title}`);
    instances.push(await startInstance(entry, { databaseUri: uriOf(uri, `bench_${entry.name}`), connections: options.connections, nodeOptions }));
  }
  const progress = createProgress(countSteps(instances, options.workloads, options) + instances.length);
  const counts = new Map<string, ReadonlyMap<WorkloadName, CommandCount>>();
  for (const { name, entry, title } of instances) {
    progress.step(`counting the commands of ${title}`);
    counts.set(name, await countCommands(entry, options.workloads, uriOf(uri, `bench_${name}_counted`)));
  }
  const outcomes = await compare(instances, options.workloads, { ...options, step: progress.step });
  progress.end();
  await Promise.all(instances.map(stopInstance));
  const baselines = Object.fromEntries(BASELINES.map((name) => [name, CONTENDERS.find((entry) => entry.name === name)?.name ?? name]));
  return {
    date: new Date().toISOString().slice(0, 10),
    mode: options.isQuick ? 'quick' : options.mode,
    ...describe,
    settings: { rounds: options.rounds, 'seconds a round': options.roundSeconds, 'seconds to warm up': options.warmupSeconds, connections: options.connections },
    versions: Object.fromEntries(instances.map(({ name, process }) => [name, process.description.version])),
    baselines,
    workloads: createWorkloadReports({ instances, outcomes, counts, baselinesOf: () => Object.fromEntries(BASELINES.map((name) => [name, name])) }),
  };
}

/** Table, JSON and chart; the exit code. */
async function publish(report: Report, { output }: BenchOptions): Promise<number> {
  process.stdout.write(`${formatReport(report)}\n`);
  await mkdir(output, { recursive: true });
  await writeFile(join(output, 'results.json'), `${JSON.stringify(report, null, 2)}\n`);
  const refusals = findRefusals(report);
  for (const refusal of refusals) say(refusal);
  return refusals.length > 0 ? 1 : 0;
}
