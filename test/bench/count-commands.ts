import { setTimeout as delay } from 'node:timers/promises';

import { type Instance, stopInstance, supports } from './compare.js';
import { startCountingProxy } from './counting-proxy.js';
import type { Job, Workload } from './workloads.js';

export interface CommandCount {
  /** For one operation, on average. */
  readonly commands: number;
  readonly bytes: number;
  /** The commands of one operation in their order. */
  readonly sequence: readonly string[];
}

const OPERATIONS = 20;
/** Milliseconds for asynchronous writes. */
const SETTLES_WITHIN = 60;

/** A pass without timing: one operation after another through a counting proxy. A failing one has no count. */
export async function countCommands(
  start: (databaseUri: string) => Promise<Instance>,
  workloads: readonly Workload[],
  databaseUri: string,
): Promise<Map<string, CommandCount>> {
  await using proxy = await startCountingProxy(databaseUri);
  const counts = new Map<string, CommandCount>();
  const instance = await start(proxy.uri);
  for (const workload of workloads.filter((candidate) => supports(instance, candidate))) {
    const count = await countWorkload(
      workload.open(instance.client, { tokens: OPERATIONS, grants: OPERATIONS }),
      proxy,
    ).catch(() => undefined);
    if (count !== undefined) counts.set(workload.name, count);
  }
  await stopInstance(instance);
  return counts;
}

async function countWorkload(
  job: Job,
  proxy: Awaited<ReturnType<typeof startCountingProxy>>,
): Promise<CommandCount> {
  await job.prepare(OPERATIONS + 3);
  for (let run = 0; run < 2; run += 1) await job.run();
  await delay(SETTLES_WITHIN);
  proxy.take();
  await job.run();
  await delay(SETTLES_WITHIN);
  const { commands: sequence } = proxy.take();
  for (let run = 0; run < OPERATIONS; run += 1) await job.run();
  await delay(SETTLES_WITHIN);
  const { commands, bytes } = proxy.take();
  return { commands: commands.length / OPERATIONS, bytes: bytes / OPERATIONS, sequence };
}
