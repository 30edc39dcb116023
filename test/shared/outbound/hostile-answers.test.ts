import type { Socket } from 'node:net';

import { describe, expect, test } from '@jest/globals';

import { fetchJson, post } from '../../../lib/shared/outbound/safe-fetch.js';
import { sendRequest } from '../../../lib/shared/outbound/send-request.js';
import { letLimitEnd } from '../../support/clock.js';
import { openJwksServer } from '../../support/jwks-server.js';
import { HOSTILE_ANSWERS, openRawServer, type RawServer } from '../../support/raw-server.js';
import { until } from '../../support/until.js';

const TIMEOUT = 5000;
const LIMITS = { allowPrivateAddresses: true, timeout: TIMEOUT, maxBytes: 1000 };

/** Such a server; the limit of whoever waits for it ends some time after its answer has begun. */
function openHostileServer(answer: (socket: Socket) => void, problem: RegExp): Promise<RawServer> {
  const endLimit = letLimitEnd(TIMEOUT, 'by hand');
  return openRawServer((socket) => {
    answer(socket);
    if (problem.source.includes('timeout')) setTimeout(endLimit, 100);
  });
}

describe('an answer of strangers has an end', () => {
  test.each(HOSTILE_ANSWERS)('of a server that %s', async (_what, answer, problem) => {
    await using server = await openHostileServer(answer, problem);
    await expect(fetchJson(`${server.url}/keys`, LIMITS)).rejects.toThrow(problem);
    // no connection is left, and nothing was tried twice
    await until(() => server.open() === 0);
    expect(server.connections()).toBe(1);
  });
});

describe('an answer to what is posted has an end', () => {
  test.each(HOSTILE_ANSWERS.filter(([what]) => !/body|whole|chunks|cuts/.test(what)))(
    'of a server that %s',
    async (_what, answer, problem) => {
      await using server = await openHostileServer(answer, problem);
      await expect(post(server.url, { headers: {}, body: '{}' }, LIMITS)).rejects.toThrow(problem);
    },
  );
});

describe('an answer of servers that the options name has an end', () => {
  test.each(HOSTILE_ANSWERS)('of a server that %s', async (_what, answer, problem) => {
    await using server = await openHostileServer(answer, problem);
    await expect(sendRequest(server.url, {}, TIMEOUT)).rejects.toThrow(problem);
  });

  test('in size, too: a mebibyte and no more', async () => {
    await using server = await openJwksServer();
    server.answer((_req, res) => res.end(Buffer.alloc(1_048_577, ' ')));
    await expect(sendRequest(server.url, {}, 5000)).rejects.toThrow('more than 1048576 bytes');
    server.answer((_req, res) => res.end(Buffer.alloc(1_048_576, ' ')));
    expect((await (await sendRequest(server.url, {}, 5000)).text()).length).toBe(1_048_576);
  });

  test('a redirect is not followed', async () => {
    await using server = await openJwksServer();
    server.answer((req, res) => res.writeHead(302, { location: '/elsewhere' }).end(req.url));
    await expect(sendRequest(server.url, {}, 5000)).rejects.toThrow();
    expect(server.requests).toEqual(['/jwks']);
  });
});
