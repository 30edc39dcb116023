import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { expect, jest, test } from '@jest/globals';

jest.setTimeout(180_000);

const root = fileURLToPath(new URL('../..', import.meta.url));

test('a host with the strictest flags of TypeScript may give undefined where an option can be left out', async () => {
  const compiler = `${root}node_modules/typescript/bin/tsc`;
  const run = promisify(execFile)(process.execPath, [compiler, '-p', `${root}test/package/strict-flags`]);
  const { stdout } = await run.catch((error: unknown) => error as { stdout: string });
  expect(stdout).toBe('');
});
