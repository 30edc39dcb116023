import { setTimeout as delay } from 'node:timers/promises';

import { startInstance, stopInstance, supports } from './compare.js';
import type { ContenderEntry } from './contender.js';
import type { Job, Workload } from './workloads.js';

export interface CommandCount {
  /** For one operation, on average. */
  readonly commands: number;
  /** The commands of one operation in their order. */
  readonly sequence: readonly string[];
}

const OPERATIONS = 20;
/** Milliseconds for asynchronous writes. */
const SETTLES_WITHIN = 60;

/** The names of commands in the log of the driver, without change streams in the background and their markers. */
export class CommandLog {
  #commands: string[] = [];
  /** The collections that have change streams, and no other cursor of several batches. */
  readonly #heard = new Set<string | undefined>();

  read(line: string): void {
    const name = /commandName: '(\w+)'.* message: 'Command started'/.exec(line)?.[1];
    if (name === undefined) return;
    const opened = /"aggregate":"([^"]+)".*"\$changeStream"/.exec(line)?.[1];
    if (opened !== undefined) return void this.#heard.add(opened);
    if (name === 'getMore' && this.#heard.has(/"collection":"([^"]+)"/.exec(line)?.[1])) return;
    // a process with `guard.cache` writes them for itself, several a second (lib/storage/grants/stream-marker.ts)
    if (name === 'update' && line.includes('"q":{"_id":"marker ')) return;
    this.#commands.push(name);
  }

  /** Those since the last call. */
  take(): string[] {
    return this.#commands.splice(0);
  }
}

/** A pass without timing: one operation after another, with the driver's log on. A failing workload has no count. */
export async function countCommands(
  entry: ContenderEntry,
  workloads: readonly Workload[],
  databaseUri: string,
): Promise<Map<string, CommandCount>> {
  const log = new CommandLog();
  const counts = new Map<string, CommandCount>();
  const instance = await startInstance(entry, {
    databaseUri,
    connections: 1,
    onDriverLog: (line) => log.read(line),
  });
  for (const workload of workloads.filter((candidate) => supports(instance, candidate))) {
    const count = await countWorkload(
      workload.open(instance.client, { tokens: OPERATIONS, grants: OPERATIONS }),
      log,
    ).catch(() => undefined);
    if (count !== undefined) counts.set(workload.name, count);
  }
  await stopInstance(instance);
  return counts;
}

async function countWorkload(job: Job, log: CommandLog): Promise<CommandCount> {
  await job.prepare(OPERATIONS + 3);
  for (let run = 0; run < 2; run += 1) await job.run();
  await delay(SETTLES_WITHIN);
  log.take();
  await job.run();
  await delay(SETTLES_WITHIN);
  const sequence = log.take();
  for (let run = 0; run < OPERATIONS; run += 1) await job.run();
  await delay(SETTLES_WITHIN);
  return { commands: log.take().length / OPERATIONS, sequence };
}
