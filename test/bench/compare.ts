import { type Client, createClient } from './client.js';
import type { ContenderEntry } from './contender.js';
import { type ContenderOptions, type ContenderProcess, startContender } from './contender-process.js';
import { makeLoad } from './load.js';
import { takeRounds } from './rounds.js';
import type { Job, Stock, Workload } from './workloads.js';

/** A running contender. */
export interface Instance {
  readonly name: string;
  readonly title: string;
  readonly entry: ContenderEntry;
  readonly process: ContenderProcess;
  readonly client: Client;
}

export interface Round {
  readonly requestsPerSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Of the server's process, user and system, for one operation. */
  readonly cpuMicroseconds: number;
  readonly residentBytes: number;
}

/** The rounds of one contender in one workload, or the reason why there are none. */
export type Outcome = { readonly rounds: readonly Round[] } | { readonly refused: string };

export interface WorkloadOutcome {
  readonly name: string;
  readonly title: string;
  /** By the instance's name; absent if it lacks the workload. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
}

export interface LoadOptions {
  readonly rounds: number;
  readonly maxRounds: number;
  readonly roundSeconds: number;
  readonly warmupSeconds: number;
  readonly connections: number;
  readonly stock?: Stock;
}

export interface CompareOptions extends LoadOptions {
  readonly step: (next: string) => void;
  /** The number of steps above those of `countSteps`. */
  readonly more: (steps: number) => void;
  /** A reported figure is over its limit. */
  readonly isNoisy: (outcome: WorkloadOutcome) => boolean;
}

export async function startInstance(
  entry: ContenderEntry,
  options: ContenderOptions & {
    readonly connections: number;
    readonly name?: string;
    readonly title?: string;
  },
): Promise<Instance> {
  const process = await startContender(entry.name, options);
  return {
    name: options.name ?? entry.name,
    title: options.title ?? entry.title,
    entry,
    process,
    client: createClient(process.description, options.connections),
  };
}

export async function stopInstance({ client, process }: Instance): Promise<void> {
  await client.close();
  await process.stop();
}

export function supports({ process }: Instance, { name }: Workload): boolean {
  return (process.description.workloads as readonly string[]).includes(name);
}

/** The number of steps of `compare` if no figure is noisy. */
export function countSteps(
  instances: readonly Instance[],
  workloads: readonly Workload[],
  { rounds }: LoadOptions,
): number {
  return workloads.reduce(
    (sum, workload) =>
      sum + instances.filter((instance) => supports(instance, workload)).length * (rounds + 1),
    0,
  );
}

/** All workloads in turn; in each of them the contenders in turn, round by round, so that a disturbance affects all. */
export async function compare(
  instances: readonly Instance[],
  workloads: readonly Workload[],
  options: CompareOptions,
): Promise<WorkloadOutcome[]> {
  const results: WorkloadOutcome[] = [];
  for (const workload of workloads) {
    const participants = instances
      .filter((instance) => supports(instance, workload))
      .map((instance) => createParticipant(instance, workload, options));
    for (const participant of participants) {
      options.step(`${workload.title}: ${participant.title} warms up`);
      await participant.warmUp();
    }
    const notify = (): WorkloadOutcome => ({
      name: workload.name,
      title: workload.title,
      outcomes: new Map(participants.map(({ name, outcome }) => [name, outcome()])),
    });
    await takeRounds({
      rounds: options.rounds,
      maxRounds: options.maxRounds,
      isNoisy: () => options.isNoisy(notify()),
      async round(number) {
        const isMore = number > options.rounds;
        if (isMore) options.more(participants.length);
        for (const participant of participants) {
          options.step(
            `${workload.title}: ${isMore ? `noisy, so one round more: ${number}` : `round ${number} of ${options.rounds}`}, ${participant.title}`,
          );
          await participant.measure();
        }
      },
    });
    results.push(notify());
  }
  return results;
}

function createParticipant(
  { name, title, client, process }: Instance,
  workload: Workload,
  options: LoadOptions,
) {
  const rounds: Round[] = [];
  let job: Job | undefined;
  let count = 0;
  let refused: string | undefined;

  /** After the first wrong answer it gets no more requests and no figures. */
  const unlessRefused = async (work: () => Promise<void>) => {
    if (refused !== undefined) return;
    try {
      await work();
    } catch (error) {
      refused = error instanceof Error ? error.message : String(error);
    }
  };

  return {
    name,
    title,
    warmUp: () =>
      unlessRefused(async () => {
        job = workload.open(client, options.stock);
        const rate = await warmUp(job, options);
        count = Math.max(options.connections, Math.round(rate * options.roundSeconds));
      }),
    measure: () =>
      unlessRefused(async () => {
        if (job !== undefined)
          rounds.push(await measureRound(job, count, { process, connections: options.connections }));
      }),
    outcome: (): Outcome => (refused === undefined ? { rounds: [...rounds] } : { refused }),
  };
}

/** Code runs fast once it has run often: a slow machine gets more time for it, within bounds. */
const WARM_AFTER = 2000;
const MAX_WARMUPS = 3;

/** Resolves to the operations per second at its end. */
async function warmUp(job: Job, { connections, warmupSeconds }: LoadOptions): Promise<number> {
  let [seconds, done, rate] = [0, 0, 0];
  while (seconds < warmupSeconds || (done < WARM_AFTER && seconds < warmupSeconds * MAX_WARMUPS)) {
    // in a few batches, so that prepared items are used soon
    const batch = Math.max(connections * 4, Math.round((rate * warmupSeconds) / 4));
    await job.prepare(batch);
    const result = await makeLoad(job.run, batch, connections);
    seconds += result.seconds;
    done += batch;
    rate = batch / result.seconds;
  }
  return rate;
}

async function measureRound(
  job: Job,
  count: number,
  { process, connections }: { process: ContenderProcess; connections: number },
): Promise<Round> {
  await job.prepare(count);
  const before = await process.usage();
  const { seconds, p50, p99 } = await makeLoad(job.run, count, connections);
  const after = await process.usage();
  return {
    requestsPerSecond: count / seconds,
    p50,
    p99,
    cpuMicroseconds: (after.cpuMicroseconds - before.cpuMicroseconds) / count,
    residentBytes: after.residentBytes,
  };
}
