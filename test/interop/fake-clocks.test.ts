import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { afterEach, beforeEach, expect, test } from '@jest/globals';

import { openDatabase, type TestDatabase } from '../support/database.js';
import { installPackages } from '../support/installed-packages.js';
import { documentedFor, type Runner, RUNNERS, suiteOf } from './fake-clocks/suites.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const { folder, missing, describeInstalled } = await installPackages('fake-clocks', {
  vitest: '^4.0.0',
  sinon: '^21.0.0',
});

/** The arguments of Node to run a suite; Jest finds neither this package nor its suites outside of its root. */
function commandFor({ name, file }: Runner, suites: string): readonly string[] {
  const suite = join(suites, file);
  switch (name) {
    case 'Vitest':
      return [
        join(folder, 'node_modules/vitest/vitest.mjs'),
        'run',
        '--globals',
        '--testTimeout=600000',
        '--hookTimeout=600000',
        '--root',
        suites,
      ];
    case 'Jest': {
      const moduleNameMapper = {
        '^express-authorization-server$': `${root}dist/index.cjs`,
        '^express-authorization-server/testing$': `${root}dist/testing.cjs`,
      };
      const roots = [suites];
      const config = {
        rootDir: root,
        roots,
        testMatch: ['**/*.test.cjs'],
        moduleNameMapper,
        transform: {},
        testTimeout: 600_000,
      };
      return [`${root}node_modules/jest/bin/jest.js`, '--config', JSON.stringify(config)];
    }
    default:
      return ['--test', suite];
  }
}

test('dist was built by npm run build', () => {
  expect({ 'dist/index.cjs, made by npm run build': existsSync(`${root}dist/index.cjs`) }).toEqual({
    'dist/index.cjs, made by npm run build': true,
  });
});

test.each(RUNNERS.map((runner) => [runner.name, runner] as const))(
  'docs/testing.md has a section for %s',
  (_name, runner) => {
    expect(documentedFor(runner).length).toBeGreaterThan(1);
  },
);

describeInstalled.each(RUNNERS.map((runner) => [runner.name, runner] as const))(
  `a host with the clock of %s${missing}`,
  (name, runner) => {
    let database: TestDatabase;
    beforeEach(async () => void (database = await openDatabase()));
    afterEach(() => database.close());

    test(`a host with the clock of ${name} passes as documented, and with all timers faked`, async () => {
      const suites = join(folder, name.replaceAll(/\W/g, ''));
      await mkdir(suites);
      await writeFile(join(suites, runner.file), suiteOf(runner));
      const ran = await run(process.execPath, commandFor(runner, suites), {
        cwd: folder,
        env: { ...process.env, NODE_OPTIONS: '', DATABASE_URI: database.uri },
        timeout: 600_000,
      }).then(
        ({ stdout, stderr }) => ({ isRight: true, output: stdout + stderr }),
        ({ stdout, stderr }: { stdout: string; stderr: string }) => ({
          isRight: false,
          output: stdout + stderr,
        }),
      );
      expect(ran.isRight ? '' : ran.output).toBe('');
      expect(ran.output).toMatch(/pass 2|2 passed/);
    });
  },
);
