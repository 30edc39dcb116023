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
