import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { mongoUri } from '../support/database.js';

export interface BenchRun {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** The benchmark as the command line runs it, on the MongoDB of the tests. */
export async function runBench(...parameters: string[]): Promise<BenchRun> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'test/bench/main.ts', ...parameters], {
    env: { ...process.env, NODE_OPTIONS: '', MONGODB_URI: mongoUri() },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [output, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output, errors };
}

/** Runs the benchmark in short rounds, whatever else the machine does. @throws Error with its stderr if it fails */
export async function measureBench(
  ...parameters: string[]
): Promise<BenchRun & { readonly files: Readonly<Record<string, string>> }> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-test-'));
  try {
    const run = await runBench(
      '--force',
      '--seconds',
      '0.05',
      '--warmup',
      '0.05',
      '--output',
      folder,
      ...parameters,
    );
    if (run.code !== 0) throw new Error(`the benchmark ended with ${run.code}:\n${run.errors}`);
    const names = await readdir(folder);
    const texts = names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const);
    return { ...run, files: Object.fromEntries(await Promise.all(texts)) };
  } finally {
    await rm(folder, { recursive: true });
  }
}
