import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, test } from '@jest/globals';

import { type RunningExample, startExample } from '../interop/support/example.js';
import { displayedAnswer, expectAsDisplayed, shellBlock } from './blocks.js';

const hasCurl = ['curl', 'bash'].every((program) => spawnSync(program, ['version']).error === undefined);
const describeWithCurl = hasCurl ? describe : describe.skip;

describeWithCurl(`the commands in the documents${hasCurl ? '' : ' (skipped: no curl or bash found)'}`, () => {
  let example: RunningExample;
  beforeAll(async () => void (example = await startExample()), 60_000);
  afterAll(() => example?.close());

  test.each(['roof-webcam', 'gift-shop'])(
    'the token response of %s is as displayed, without a refresh token',
    async (clientId) => {
      const command = shellBlock(`-u ${clientId}:`);
      const { stdout } = await promisify(execFile)('bash', [
        '-euc',
        command.replaceAll('http://localhost:3000', example.issuer),
      ]);
      const displayed = displayedAnswer(shellBlock('-u roof-webcam:'));
      expectAsDisplayed(JSON.parse(stdout) as Record<string, unknown>, displayed);
    },
  );
});
