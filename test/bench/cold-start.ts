import { createClient } from './client.js';
import type { ContenderDescription } from './contender.js';
import { startContender } from './contender-process.js';
import { uriOf } from './database.js';
import type { BenchOptions } from './options.js';
import { createProgress } from './progress.js';
import { toJson } from './report/report.js';
import { formatColdStart, type StartupReport } from './report/startup-table.js';
import type { RunResult } from './run-result.js';
import { measureStartup, type StartupReading, type Subject } from './startup.js';
import type { Surroundings } from './surroundings.js';

/** The programs of contenders/cold-start/: each is what a serverless function would be. */
export const COLD_START_SUBJECTS: readonly Subject[] = [
  { name: 'cold-start/hand-written', title: 'Express and driver by hand', imports: [] },
  { name: 'cold-start/hand-written-mongoose', title: 'the same in a site with Mongoose', imports: [] },
  {
    name: 'cold-start/ours',
    title: 'express-authorization-server',
    imports: [],
    baseline: 'cold-start/hand-written-mongoose',
  },
];

/** Fresh processes on a database that was set up before, in turn: each imports, connects, and answers two requests. */
export async function runColdStart(
  { rounds, maxRounds }: BenchOptions,
  { databaseUri, machine }: Surroundings,
): Promise<RunResult> {
  const uris = new Map(
    COLD_START_SUBJECTS.map(({ name }) => [name, uriOf(databaseUri, `bench_${name.replace(/\W/g, '_')}`)]),
  );
  const deployed = new Map<string, ContenderDescription>();
  for (const { name } of COLD_START_SUBJECTS) deployed.set(name, await deploy(name, uris.get(name) ?? ''));
  const progress = createProgress(COLD_START_SUBJECTS.length * (rounds + 1));
  const rows = await measureStartup(COLD_START_SUBJECTS, { rounds, maxRounds, ...progress }, ({ name }) =>
    readColdStart(name, uris.get(name) ?? '', deployed.get(name)),
  ).finally(() => progress.end());
  const report: StartupReport & { mode: string } = {
    date: new Date().toISOString().slice(0, 10),
    mode: 'cold start',
    machine,
    settings: { 'rounds asked for': rounds },
    rounds: rows[0]?.figures.milliseconds?.rounds.length ?? 0,
    rows,
  };
  return { text: formatColdStart(report), files: { 'cold-start.json': toJson(report) }, refusals: [] };
}

/** Once, as a step of the deployment would: the indexes, and a client. */
async function deploy(name: string, databaseUri: string): Promise<ContenderDescription> {
  const process = await startContender(name, { databaseUri });
  await process.stop();
  return process.description;
}

/** From the start of the process to the second answer. */
async function readColdStart(
  name: string,
  databaseUri: string,
  joins: ContenderDescription | undefined,
): Promise<StartupReading> {
  const begin = performance.now();
  const process = await startContender(name, { databaseUri, ...(joins && { joins }) });
  const client = createClient(process.description, 1);
  try {
    const { accessToken } = await client.clientCredentials('opaque');
    await client.callApi(process.description.paths.api, accessToken);
    const milliseconds = performance.now() - begin;
    const { cpuMicroseconds, residentBytes } = await process.usage();
    const imports = { importMilliseconds: NaN, importCpuMilliseconds: NaN };
    return { ...imports, milliseconds, cpuMilliseconds: cpuMicroseconds / 1000, residentBytes };
  } finally {
    await client.close();
    await process.stop();
  }
}
