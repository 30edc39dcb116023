import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { expect, test } from '@jest/globals';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The suites that a script of package.json would run. */
async function suitesOf(script: string, patterns: readonly string[]): Promise<string[]> {
  const { stdout } = await promisify(execFile)(
    'npm',
    ['run', script, '--silent', '--ignore-scripts', '--', ...patterns, '--listTests'],
    { cwd: root },
  );
  return stdout.split('\n').filter((line) => line.endsWith('.test.ts'));
}

test('npm run test:stress finds each suite with a long form', async () => {
  const { stdout } = await promisify(execFile)('grep', ['-rlE', '\\bIS_LONG\\b', 'test'], { cwd: root });
  const long = stdout.split('\n').filter((file) => file.endsWith('.test.ts'));
  const found = await suitesOf('test:stress', []);
  expect(long.filter((file) => !found.some((suite) => suite.endsWith(`/${file}`)))).toEqual([]);
});

// Jest takes the words after an option with a list, such as --selectProjects, for more of the list
test.each([
  ['test', 'test/guard'],
  ['test:system', 'test/docs'],
])('npm run %s -- %s runs the suites of that folder and no others', async (script, pattern) => {
  const suites = await suitesOf(script, [pattern]);
  expect(suites.length).toBeGreaterThan(3);
  expect(suites.filter((suite) => !suite.includes(`/${pattern}/`))).toEqual([]);
});

test('each suite belongs to exactly one of npm test, npm run test:deep, test:system and test:release', async () => {
  const all = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'))
    .map((file) => join(root, 'test', file));
  const scripts = ['test', 'test:deep', 'test:system', 'test:release'];
  const tiers = await Promise.all(scripts.map((script) => suitesOf(script, [])));
  expect(tiers.flat().sort()).toEqual(all.sort());
  const listed = JSON.parse(readFileSync(join(root, 'test/deep-suites.json'), 'utf8')) as string[];
  expect(tiers[1]?.sort()).toEqual(listed.map((file) => join(root, file)).sort());
});
