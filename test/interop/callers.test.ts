import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { programOf } from '../support/programs.js';
import { findFreePorts, type RunningExample, startExample } from './support/example.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

let example: RunningExample;
let platformPort: string;
beforeAll(async () => {
  platformPort = String((await findFreePorts(1))[0]);
  example = await startExample({ environment: { PLATFORM_PORT: platformPort } });
});
afterAll(() => example.close());

test("the example's CI job, agent and bindery get and use their tokens", async () => {
  const { PATH, HOME } = process.env;
  const run = () =>
    promisify(execFile)(process.execPath, [programOf('example-app/callers/main.ts')], {
      cwd: ROOT,
      env: { PATH, HOME, PORT: new URL(example.issuer).port, PLATFORM_PORT: platformPort },
    });
  const { stdout } = await run();
  expect(stdout.trim().split('\n')).toEqual([
    'The CI job has published "Release 1.0", and has no secret.',
    "The company's agent sees the 6 photos of its employee.",
    'inkwell-bindery acts for the same employee as inkwell-bindery, with photos:read and no more.',
  ]);
});
