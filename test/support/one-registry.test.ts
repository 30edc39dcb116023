import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from '@jest/globals';

const folder = fileURLToPath(new URL('./one-registry/', import.meta.url));
const config = JSON.stringify({
  rootDir: `${folder}fixture`,
  testMatch: ['**/*.suite.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  runtime: `${folder}runtime.cjs`,
  testEnvironment: `${folder}environment.cjs`,
});

interface Reported {
  testResults: { assertionResults: { title: string; status: string; failureMessages: string[] }[] }[];
}

/** Runs the suites of the fixture one after the other in one process, and reports each test. */
function run() {
  const jest = fileURLToPath(new URL('../../node_modules/jest/bin/jest.js', import.meta.url));
  const args = ['--experimental-vm-modules', jest, '--config', config, '--json', '--runInBand'];
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', cwd: folder, timeout: 600_000 });
  return (JSON.parse(stdout) as Reported).testResults.flatMap((suite) => suite.assertionResults);
}

describe('suites that share the modules of a process', () => {
  const reported = run();

  it('a test of a suite that shares its process fails or passes as in a separate one', () => {
    expect(reported).toHaveLength(12);
    for (const { title, status } of reported)
      expect({ title, status }).toEqual({ title, status: desired(title) });
  });

  it('a failure of a suite that shares its process is reported by the lines of its source', () => {
    const wrong = reported.find(({ title }) => title === 'a wrong value fails');
    expect(wrong?.failureMessages.join()).toMatch(/first\.suite\.ts:9:/);
  });
});

function desired(title: string) {
  return /\bfails?\b/.test(title) ? 'failed' : 'passed';
}
