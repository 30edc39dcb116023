import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Contenders run as plain JavaScript: a loader such as tsx would have a thread and memory of its own in the measured
 * process, and it names each inner function when that is created, which costs time on hot paths.
 *
 * @param tree its root. Default: this one
 */
export async function compileContenders(tree = ROOT): Promise<void> {
  const outdir = join(tree, 'test/bench/dist');
  await rm(outdir, { recursive: true, force: true });
  await build({
    absWorkingDir: tree,
    entryPoints: ['test/bench/contenders/**/*.ts'],
    outbase: 'test/bench/contenders',
    outdir,
    format: 'esm',
    target: 'es2023',
    logLevel: 'error',
  });
}
