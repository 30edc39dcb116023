import { setImmediate as yieldToIo } from 'node:timers/promises';

import { expect, test } from '@jest/globals';

import { POLL_METHOD } from '../../../lib/features/shared-signals/event-types.js';
import { createPollWorker } from '../../../lib/features/shared-signals/receiver/poll-worker.js';
import { OAuthError } from '../../../lib/shared/errors.js';

test.each([
  ['all unavailable', 'temporarily_unavailable', true],
  ['all refused', 'invalid_request', false],
] as const)('polls pause after unavailable tokens only: %s', async (_when, error, isPause) => {
  const polls: unknown[] = [];
  const worker = createPollWorker({
    issuer: 'https://transmitter.example',
    api: {
      call({ body }: { readonly body?: unknown }) {
        polls.push(body);
        // unacknowledged tokens come again at once
        return Promise.resolve({
          status: 200,
          body: { sets: polls.length <= 100 ? { one: 'a.token' } : {} },
        });
      },
    } as never,
    client: {
      readStreams: () =>
        Promise.resolve([
          {
            stream_id: 'one',
            delivery: { method: POLL_METHOD, endpoint_url: 'https://transmitter.example/poll' },
          },
        ]),
    } as never,
    take: () => Promise.reject(new OAuthError(error, 'not now')),
    emit: () => undefined,
    onProblem: () => undefined,
  });
  for (let turns = 0; turns < 1000; turns += 1) await yieldToIo();
  await worker.close();
  // the next poll waits if the same tokens would come again; refused tokens are acknowledged by the next poll at once
  expect(polls.length === 1).toBe(isPause);
});
