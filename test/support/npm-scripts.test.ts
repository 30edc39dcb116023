import { execFile } from 'node:child_process';
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

test('npm run test:stress finds the suites that have a long form', async () => {
  const { stdout } = await promisify(execFile)('grep', ['-rlE', '\\bIS_LONG\\b', 'test'], { cwd: root });
  const long = stdout.split('\n').filter((file) => file.endsWith('.test.ts'));
  const found = await suitesOf('test:stress', []);
  expect(long.filter((file) => !found.some((suite) => suite.endsWith(`/${file}`)))).toEqual([]);
}, 60_000);

// Jest takes what stands behind an option with a list, such as --selectProjects, for more of the list
test.each([
  ['test', 'test/guard'],
  ['test:system', 'test/docs'],
])(
  'npm run %s -- %s runs these suites and no others',
  async (script, pattern) => {
    const suites = await suitesOf(script, [pattern]);
    expect(suites.length).toBeGreaterThan(3);
    expect(suites.filter((suite) => !suite.includes(`/${pattern}/`))).toEqual([]);
  },
  60_000,
);
