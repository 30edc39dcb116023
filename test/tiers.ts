/**
 * `npm run test:tiers` measures each suite that needs only this process and a database, and writes
 * test/deep-suites.json: `npm test` runs the shortest suites, as many as LIMIT allows, and `npm run test:deep` the others.
 *
 * `npm run test:tiers -- results.json 640` reads the results of an earlier run in the place of a run of its own: those
 * of `npm run jest -- --selectProjects quick deep --json --outputFile=results.json`, which took 640 s of CPU time.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/**
 * The CPU time of the suites of `npm test`, in seconds; with what a run needs besides, `npm test` stays below 300, also on
 * a machine that is a fifth slower.
 */
const LIMIT = 220;
const ROOT = join(import.meta.dirname, '..');

interface Results {
  readonly testResults: readonly {
    readonly name: string;
    readonly startTime: number;
    readonly endTime: number;
  }[];
}

/** The results of a run of all the suites, and the seconds of CPU time that it took with all of its processes. */
function measure(): { results: Results; seconds: number } {
  const folder = mkdtempSync(join(tmpdir(), 'tiers-'));
  const file = join(folder, 'results.json');
  const run = `npm run jest --silent -- --selectProjects quick deep --json --outputFile='${file}' >&2; times`;
  const { stdout } = spawnSync('bash', ['-c', run], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // user and system time, first of the shell and then of its children: 12m3.456s
  const times = [...stdout.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, seconds]) => 60 * Number(minutes) + Number(seconds),
  );
  const results = JSON.parse(readFileSync(file, 'utf8')) as Results;
  rmSync(folder, { recursive: true });
  return { results, seconds: times.reduce((sum, time) => sum + time, 0) };
}

const [file, given] = process.argv.slice(2);
const { results, seconds } =
  file === undefined
    ? measure()
    : { results: JSON.parse(readFileSync(file, 'utf8')) as Results, seconds: Number(given) };
if (!(seconds > 0)) throw new Error('how much CPU time did the run take?');

const suites = results.testResults
  .map(({ name, startTime, endTime }) => ({ name: relative(ROOT, name), time: endTime - startTime }))
  .sort((a, b) => a.time - b.time);
const unmeasured = suites.filter(({ time }) => !(time > 0));
if (unmeasured.length > 0) throw new Error(`not run: ${unmeasured.map(({ name }) => name).join(', ')}`);

// Jest measures the clock: what a suite takes of it, it takes of the CPU time
const total = suites.reduce((sum, { time }) => sum + time, 0);
let spent = 0;
const isDeep = suites.map(({ time }) => (spent += (time / total) * seconds) > LIMIT);
const deep = suites.filter((_, index) => isDeep[index]).map(({ name }) => name);
writeFileSync(join(ROOT, 'test/deep-suites.json'), `${JSON.stringify(deep.sort(), null, 2)}\n`);
console.log(
  `npm test: ${suites.length - deep.length} suites, npm run test:deep: ${deep.length}; all: ${Math.round(seconds)} s of CPU time`,
);
