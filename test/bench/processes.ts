import { createClient } from './client.js';
import type { Instance } from './compare.js';
import type { ContenderEntry, Usage } from './contender.js';
import { type ContenderOptions, type ContenderProcess, startContender } from './contender-process.js';
import { createSpreadClient } from './spread-client.js';

export interface ProcessesOptions extends Omit<ContenderOptions, 'joins'> {
  readonly count: number;
  /** To each process. */
  readonly connections: number;
}

/** Several processes of one contender on one database, as one instance: their CPU time and memory are added up. */
export async function startProcesses(
  entry: ContenderEntry,
  { count, connections, ...options }: ProcessesOptions,
): Promise<Instance> {
  const first = await startContender(entry.name, options);
  const others = await startOthers(count - 1, () =>
    startContender(entry.name, { ...options, joins: first.description }),
  ).catch(async (error: unknown) => {
    await first.stop();
    throw error;
  });
  const all = [first, ...others];
  return {
    name: formatCount(count),
    title: `${entry.title}, ${formatCount(count)}`,
    entry,
    processes: count,
    process: {
      description: first.description,
      usage: async () => (await Promise.all(all.map((process) => process.usage()))).reduce(sumOf),
      stop: async () => void (await Promise.all(all.map((process) => process.stop()))),
    },
    client: createSpreadClient(all.map(({ description }) => createClient(description, connections))),
  };
}

/** All of them, or none. */
async function startOthers(
  count: number,
  start: () => Promise<ContenderProcess>,
): Promise<ContenderProcess[]> {
  const results = await Promise.allSettled(Array.from({ length: count }, start));
  const started = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed === undefined) return started;
  await Promise.all(started.map((process) => process.stop()));
  throw failed.reason;
}

function formatCount(count: number): string {
  return `${count} ${count === 1 ? 'process' : 'processes'}`;
}

function sumOf(a: Usage, b: Usage): Usage {
  return {
    cpuMicroseconds: a.cpuMicroseconds + b.cpuMicroseconds,
    residentBytes: a.residentBytes + b.residentBytes,
  };
}
