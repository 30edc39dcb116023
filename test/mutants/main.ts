import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { startMongo } from '../support/mongodb.js';
import type { Mutant } from './mutant.js';
import { findProblem, MUTANTS } from './table.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Milliseconds. A mutant that makes the tests hang that long counts as seen, too. */
const LONGEST = 300_000;

const { values: options, positionals: patterns } = parseArgs({
  allowPositionals: true,
  options: {
    share: { type: 'string', default: '1/1' },
    by: { type: 'string', multiple: true },
    trust: { type: 'boolean', default: false },
  },
});

type Outcome =
  { readonly is: 'killed'; readonly by: string } | { readonly is: 'lives' | 'broken'; readonly why: string };

/**
 * Breaks one security check of lib after the other, in a copy of the tree, and runs the suites that should see it.
 *
 * `npm run test:mutants -- lib/guard lib/grants --share=2/4 --by=test/properties/grant-life.test.ts`: those of some modules,
 * every fourth of them from the second on, seen by these suites instead of their own. `--trust` does not run the suites
 * without a mutant first.
 */
async function main(): Promise<void> {
  const problems = MUTANTS.flatMap(findProblem);
  if (problems.length > 0) return fail(`the table is out of date:\n${problems.join('\n')}`);
  const mutants = chosen();
  if (mutants.length === 0) return fail(`no mutant is in ${patterns.join(', ')}`);
  const copy = await copyTree();
  const mongo = await startMongo({ testCommands: true, outlivesKill: false });
  process.env.TEST_MONGODB_URI = process.env.MONGODB_URI = mongo.uri;
  try {
    say(`${mutants.length} of ${MUTANTS.length} mutants`);
    if (!options.trust) await checkSuites(copy, mutants);
    await tryAll(copy, mutants);
  } finally {
    await mongo.stop();
    await rm(copy, { recursive: true, force: true });
  }
}

function chosen(): readonly Mutant[] {
  const [share = 1, of = 1] = options.share.split('/').map(Number);
  const isIn = ({ file }: Mutant) =>
    patterns.length === 0 || patterns.some((pattern) => `lib/${file}`.startsWith(pattern));
  return MUTANTS.filter(isIn).filter((_, index) => index % of === share - 1);
}

const suitesOf = ({ seenBy }: Mutant): readonly string[] =>
  options.by ?? seenBy.map((suite) => `test/${suite}`);

async function copyTree(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'mutants-'));
  for (const part of [
    'lib',
    'test',
    'views',
    'example-app',
    'docs',
    'package.json',
    'jest.config.js',
    'README.md',
  ])
    await cp(`${ROOT}${part}`, join(copy, part), {
      recursive: true,
      filter: (path) => !path.includes('node_modules'),
    });
  await symlink(`${ROOT}node_modules`, join(copy, 'node_modules'), 'junction');
  return copy;
}

/** A suite that fails anyway would kill every mutant. */
async function checkSuites(copy: string, mutants: readonly Mutant[]): Promise<void> {
  const suites = [...new Set(mutants.flatMap(suitesOf))];
  say(`first their ${suites.length} suites without any`);
  const outcome = await runSuites(copy, suites);
  if (outcome.is !== 'lives')
    throw new Error(`fails without a mutant: ${outcome.is === 'killed' ? outcome.by : outcome.why}`);
}

async function tryAll(copy: string, mutants: readonly Mutant[]): Promise<void> {
  const counts = { killed: 0, lives: 0, broken: 0, known: 0 };
  const bad: string[] = [];
  const began = Date.now();
  for (const [index, mutant] of mutants.entries()) {
    const outcome = await tryOne(copy, mutant);
    const isKnown = outcome.is === 'lives' && mutant.lives !== undefined;
    const isDead = outcome.is === 'killed' && mutant.lives !== undefined;
    counts[isKnown ? 'known' : outcome.is] += 1;
    const said = outcome.is === 'killed' ? outcome.by : isKnown ? mutant.lives : outcome.why;
    const line = `lib/${mutant.file}: ${mutant.breaks}`;
    say(`${index + 1}/${mutants.length} ${seconds(began)} ${outcome.is} ${line}\n        ${said}`);
    if (isDead) bad.push(`${line}\n    is seen by a test: take its reason away`);
    else if (outcome.is !== 'killed' && !isKnown) bad.push(`${line}\n    ${outcome.is}: ${said}`);
  }
  say(
    `${mutants.length} mutants in ${seconds(began)}: ${counts.killed} killed, ${counts.known} live for a reason, ` +
      `${counts.lives} survive, ${counts.broken} do not run`,
  );
  if (bad.length > 0) fail(bad.join('\n'));
}

async function tryOne(copy: string, mutant: Mutant): Promise<Outcome> {
  const path = join(copy, 'lib', mutant.file);
  const whole = await readFile(path, 'utf8');
  await writeFile(
    path,
    whole.replace(mutant.from, () => mutant.to),
  );
  try {
    return await runSuites(copy, suitesOf(mutant), LONGEST);
  } finally {
    await writeFile(path, whole);
  }
}

/** As the reporter next to this file writes it. */
interface Report {
  readonly failed: readonly string[];
  readonly passed: number;
  readonly problem?: string;
}

/** Runs suites until a test fails. */
async function runSuites(copy: string, suites: readonly string[], timeout?: number): Promise<Outcome> {
  const file = join(copy, 'report.json');
  await rm(file, { force: true });
  const jest = ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js'];
  const own = [
    '--reporters=<rootDir>/test/mutants/reporter.mjs',
    '--testSequencer=./test/mutants/sequencer.mjs',
  ];
  // `--forceExit`, because a mutant may leave things open
  const how = ['--runInBand', '--bail', '--forceExit', ...own, '--runTestsByPath', ...suites];
  const child = spawn(process.execPath, [...jest, ...how], {
    cwd: copy,
    stdio: 'ignore',
    env: { ...process.env, MUTANT_REPORT: file, MUTANT_SUITES: suites.join(' ') },
    timeout,
  });
  const signal = await new Promise<string | null>((resolve, reject) => {
    child.on('error', reject).on('close', (_code, ended) => resolve(ended));
  });
  if (signal !== null) return { is: 'killed', by: `(no end, so ${signal})` };
  return outcomeOf(JSON.parse(await readFile(file, 'utf8')) as Report);
}

function outcomeOf({ failed: [first], passed, problem }: Report): Outcome {
  if (first !== undefined) return { is: 'killed', by: first };
  // if the code cannot be loaded, no test has seen anything
  if (passed === 0 || problem !== undefined)
    return { is: 'broken', why: (problem ?? 'no test ran').split('\n').slice(0, 8).join('\n') };
  return { is: 'lives', why: 'no test sees it' };
}

function seconds(since: number): string {
  return `${Math.round((Date.now() - since) / 1000)} s`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function fail(why: string): void {
  process.stderr.write(`${why}\n`);
  process.exitCode = 1;
}

await main();
