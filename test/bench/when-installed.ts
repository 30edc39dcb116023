import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';

import { describe } from '@jest/globals';

import { mongoUri } from '../support/database.js';

// `npm run bench` installs it; nothing else needs it
const isInstalled = ((): boolean => {
  try {
    return createRequire(import.meta.url).resolve('undici') !== '';
  } catch {
    return false;
  }
})();

/** For tests that make load or start contenders. */
export const whenInstalled = isInstalled ? describe : describe.skip;

/** The benchmark as the command line runs it, on the MongoDB of the tests. */
export async function runBench(
  ...parameters: string[]
): Promise<{ code: number | null; output: string; errors: string }> {
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
