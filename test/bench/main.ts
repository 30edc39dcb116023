import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { compileContenders } from './compile-contenders.js';
import { startDatabase } from './database.js';
import { installPeers } from './install.js';
import { describeMachine, findBusyProblem, measureBusyShare } from './machine.js';
import { type BenchOptions, HELP, parseOptions } from './options.js';
import type { RunResult } from './run-result.js';
import { runStartup } from './run-startup.js';
import { runWeight } from './run-weight.js';

const say = (line: string) => void process.stderr.write(`${line}\n`);

// so that exit handlers also run at Ctrl-C
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
  if (options.contenders.some(({ kind }) => kind === 'peer')) await installPeers(say);
  if (options.mode !== 'startup' && options.mode !== 'weight') await compileContenders();
  const busyShare = await measureBusyShare();
  const machine = { ...describeMachine(), busyShare };
  const problem = findBusyProblem(busyShare, machine.loadAverage);
  if (problem !== undefined && !options.force) throw new TypeError(problem);
  if (problem !== undefined) say(`Going on by --force: ${problem}`);
  await mkdir(options.output, { recursive: true });
  if (options.mode === 'startup') return notify(await runStartup(options, machine), options);
  if (options.mode === 'weight') return notify(await runWeight(options, machine, say), options);
  return notify(await runWithDatabase(options, machine), options);
}

async function runWithDatabase(
  options: BenchOptions,
  machine: Parameters<typeof runStartup>[1],
): Promise<RunResult> {
  const database = await startDatabase(say);
  try {
    const surroundings = { databaseUri: database.uri, database: database.kind, machine, say };
    // imported only now, because its packages are installed first
    if (options.mode === 'check')
      return await (await import('./run-check.js')).runCheck(options, surroundings);
    const { runComparison, runMemory } = await import('./run.js');
    return await (options.mode === 'memory' ? runMemory : runComparison)(options, surroundings);
  } finally {
    await database.stop();
  }
}

async function notify({ text, files, refusals }: RunResult, { output }: BenchOptions): Promise<number> {
  process.stdout.write(`${text}\n`);
  for (const [name, content] of Object.entries(files)) {
    const file = join(output, name);
    await writeFile(file, content);
    say(`Written: ${resolve(file)}`);
  }
  for (const refusal of refusals) say(refusal);
  return refusals.length > 0 ? 1 : 0;
}
