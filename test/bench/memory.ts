import { setTimeout as delay } from 'node:timers/promises';

import type { Instance } from './compare.js';
import { makeLoad } from './load.js';
import type { Workload } from './workloads.js';

export interface MemoryReading {
  readonly requests: number;
  readonly residentBytes: number;
}

const READINGS = 10;
/** Requests of one whole flow; see workloads.ts. */
const REQUESTS_OF_FLOW = 5;

/** Resident memory after each tenth of the requests, which make up whole flows. @throws WrongAnswer */
export async function readMemory(
  { client, process }: Instance,
  flow: Workload,
  options: { requests: number; connections: number; step: (next: string) => void },
): Promise<MemoryReading[]> {
  const job = flow.open(client);
  const count = Math.max(1, Math.round(options.requests / REQUESTS_OF_FLOW / READINGS));
  const readings: MemoryReading[] = [];
  for (let reading = 1; reading <= READINGS; reading += 1) {
    options.step(`memory: ${reading * count * REQUESTS_OF_FLOW} requests`);
    await job.prepare(count);
    await makeLoad(job.run, count, options.connections);
    await delay(500);
    readings.push({
      requests: reading * count * REQUESTS_OF_FLOW,
      residentBytes: (await process.usage()).residentBytes,
    });
  }
  return readings;
}

/** The last reading as a multiple of the first: flat is 1. */
export function growthOf(readings: readonly MemoryReading[]): number {
  return (readings.at(-1)?.residentBytes ?? NaN) / (readings[0]?.residentBytes ?? NaN);
}

export function formatMemory(title: string, readings: readonly MemoryReading[]): string {
  const rows = readings.map(
    ({ requests, residentBytes }) =>
      `${String(requests).padStart(10)} requests ${(residentBytes / 1e6).toFixed(1).padStart(8)} MB`,
  );
  return [
    `\n${title}: resident memory`,
    ...rows,
    `${growthOf(readings).toFixed(2)} × of what it was at the first reading`,
  ].join('\n');
}
