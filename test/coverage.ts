/**
 * `npm run coverage`: which lines of lib/ `npm test` and `npm run test:deep` run, with a floor. With the name of a folder
 * it only reports what `TEST_COVERAGE=<folder> npm test` has left there (one-registry/coverage.cjs).
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { transformSync } from 'esbuild';

const ROOT = join(import.meta.dirname, '..');

/** The lowest shares of lines, in percent. */
const FLOORS = [
  { include: 'lib/**/*.ts', lines: 95 },
  { include: 'lib/shared/protocol/**/*.ts', lines: 100 },
];

/** Files without code, which are never loaded, and what is a process of its own. */
function excluded(): readonly string[] {
  const files = readdirSync(join(ROOT, 'lib'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `lib/${name}`);
  const isEmpty = (file: string) => {
    const { code } = transformSync(readFileSync(join(ROOT, file), 'utf8'), { loader: 'ts' });
    return code.trim() === '';
  };
  return ['lib/cli/main.ts', ...files.filter(isEmpty)];
}

function run(command: string, args: readonly string[], env = process.env): boolean {
  return spawnSync(command, args, { cwd: ROOT, env, stdio: 'inherit' }).status === 0;
}

function report(folder: string): boolean {
  const args = ['report', '--temp-directory', folder, '--all', '--src', 'lib', '--check-coverage'];
  const left = excluded().flatMap((file) => ['--exclude', file]);
  const results = FLOORS.map(({ include, lines }, index) => {
    // the lines themselves are told of the whole
    const reporters = ['text-summary', ...(index === 0 ? ['lcov'] : [])].flatMap((name) => ['-r', name]);
    console.log(`\n${include}: at least ${lines} % of the lines`);
    return run('npx', [
      '--no-install',
      'c8',
      ...args,
      '--include',
      include,
      ...left,
      ...reporters,
      '--lines',
      `${lines}`,
    ]);
  });
  return results.every(Boolean);
}

const [given] = process.argv.slice(2);
const folder = given ?? mkdtempSync(join(tmpdir(), 'coverage-'));
const isGreen =
  given !== undefined ||
  run('npm', ['run', 'jest', '--', '--selectProjects', 'quick', 'deep'], {
    ...process.env,
    TEST_COVERAGE: folder,
  });
const isCovered = report(folder);
if (given === undefined) rmSync(folder, { recursive: true, force: true });
process.exitCode = isGreen && isCovered ? 0 : 1;
