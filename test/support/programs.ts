import { cp, mkdir, mkdtemp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CACHE = join(ROOT, 'node_modules/.cache');
const SOURCES = ['lib', 'example-app', 'test/support', 'test/conformance'];

/**
 * Compiles the programs that suites start, once for a run: loading them with tsx costs each process two seconds of CPU
 * time, loading them compiled only 0.5.
 *
 * @returns the folder, from which modules are found as they are from the tree itself
 */
export async function compilePrograms(): Promise<string> {
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, 'programs-'));
  await build({
    absWorkingDir: ROOT,
    entryPoints: SOURCES.map((source) => `${source}/**/*.ts`),
    outdir: folder,
    outbase: '.',
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    logLevel: 'error',
  });
  for (const source of [...SOURCES, 'views'])
    await cp(join(ROOT, source), join(folder, source), {
      recursive: true,
      filter: (file) => !/\.[cm]?ts$/.test(file),
    });
  // the example imports the package by its name, as a site does
  for (const part of ['package.json', 'dist']) await symlink(join(ROOT, part), join(folder, part));
  return folder;
}

/** The compiled form of a program of this tree, by its path from the root. */
export function programOf(path: string): string {
  const folder = process.env.TEST_PROGRAMS;
  if (folder === undefined)
    throw new Error('no programs were compiled: test/support/global-setup.mjs does that');
  return join(folder, path.replace(/\.ts$/, '.js'));
}
