import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { installLocked } from '../support/install-locked.js';
import { startMongo } from '../support/mongodb.js';
import { compilePrograms } from '../support/programs.js';
import { suitesFor } from './suites.js';

const ROOT = join(import.meta.dirname, '../..');
const CONFIG = 'test-artifacts/mutants.json';

const { values: options, positionals: paths } = parseArgs({
  allowPositionals: true,
  options: { since: { type: 'string' } },
});

/** The files of lib/ below the arguments, in the form of Stryker: a file may have lines, `lib/guard.ts:10-20`. */
function findTargets(): readonly string[] {
  if (options.since !== undefined) return changedLines(options.since);
  return (paths.length === 0 ? ['lib'] : paths).flatMap((path) => {
    if (!statSync(join(ROOT, path.replace(/:.*/, ''))).isDirectory()) return [path];
    const names = readdirSync(join(ROOT, path), { recursive: true, encoding: 'utf8' });
    return names.filter((name) => name.endsWith('.ts')).map((name) => join(path, name));
  });
}

function changedLines(since: string): readonly string[] {
  const args = ['diff', '--unified=0', '--no-prefix', '--diff-filter=d', since, '--', ...paths];
  const { stdout, stderr, status } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  let file = '';
  return [...stdout.matchAll(/^\+\+\+ (\S+)|^@@ \S+ \+(\d+)(?:,(\d+))? @@/gm)].flatMap(
    ([, name, first, count = '1']) => {
      if (name !== undefined) file = name;
      const isChange = name === undefined && count !== '0' && /^lib\/.*\.ts$/.test(file);
      return isChange ? [`${file}:${first}-${Number(first) + Number(count) - 1}`] : [];
    },
  );
}

/** Has Stryker make the mutants of files, and run the suites of each until one test fails. */
function runStryker(suites: readonly string[], mutate: readonly string[]): boolean {
  const jest = 'node --experimental-vm-modules --no-warnings node_modules/jest/bin/jest.js';
  // `--forceExit`, because a mutant may leave things open
  const flags = '--silent --runInBand --bail --forceExit --testSequencer=./test/mutants/sequencer.mjs';
  const patterns = suites.map((suite) => `test/${suite}`).join(' ');
  const config = {
    mutate,
    testRunner: 'command',
    commandRunner: { command: `${jest} ${patterns} --selectProjects quick deep ${flags}` },
    reporters: ['progress-append-only', 'clear-text'],
    clearTextReporter: { logTests: false, reportTests: false },
    tempDirName: 'test-artifacts/mutants',
    ignorePatterns: ['dist', 'test-artifacts', '.example-data'],
    // tsx does not check types
    disableTypeChecks: false,
    // a mutant that makes the tests hang counts as killed, so no busy machine may seem to hang
    timeoutMS: 120_000,
    dryRunTimeoutMinutes: 30,
  };
  mkdirSync(join(ROOT, 'test-artifacts'), { recursive: true });
  writeFileSync(join(ROOT, CONFIG), JSON.stringify(config));
  const stryker = join(import.meta.dirname, 'node_modules/@stryker-mutator/core/bin/stryker.js');
  const { status } = spawnSync(process.execPath, [stryker, 'run', CONFIG], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, MUTANT_SUITES: suites.join(' ') },
  });
  return status === 0;
}

const groups = new Map<readonly string[], string[]>();
for (const target of findTargets()) {
  const suites = suitesFor(target);
  groups.set(suites, [...(groups.get(suites) ?? []), target]);
}
await installLocked(import.meta.dirname);
const mongo = await startMongo({ testCommands: true, outlivesKill: false });
process.env.TEST_MONGODB_URI = mongo.uri;
process.env.TEST_PROGRAMS = await compilePrograms();
try {
  for (const [suites, targets] of groups) {
    console.log(`${targets.join(' ')}\nare seen by test/${suites.join(', test/')}`);
    if (!runStryker(suites, targets)) process.exitCode = 1;
  }
} finally {
  await mongo.stop();
  rmSync(process.env.TEST_PROGRAMS, { recursive: true });
}
