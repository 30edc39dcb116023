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

/** A hostile server; the limit of its caller ends some time after the answer has begun. */
function openHostileServer(answer: (socket: Socket) => void, problem: RegExp): Promise<RawServer> {
  const endLimit = letLimitEnd(TIMEOUT, 'by hand');
  return openRawServer((socket) => {
    answer(socket);
    if (problem.source.includes('timeout')) setTimeout(endLimit, 100);
  });
}

describe("a fetch from a stranger's server", () => {
  test.each(HOSTILE_ANSWERS)('a fetch from a server that %s is aborted', async (_what, answer, problem) => {
    await using server = await openHostileServer(answer, problem);
    await expect(fetchJson(`${server.url}/keys`, LIMITS)).rejects.toThrow(problem);
    // no connection is left, and nothing was tried twice
    await until(() => server.open() === 0);
    expect(server.connections()).toBe(1);
  });
});

describe("a post to a stranger's server", () => {
  test.each(HOSTILE_ANSWERS.filter(([what]) => !/body|whole|chunks|cuts/.test(what)))(
    'a post to a server that %s is aborted',
    async (_what, answer, problem) => {
      await using server = await openHostileServer(answer, problem);
      await expect(post(server.url, { headers: {}, body: '{}' }, LIMITS)).rejects.toThrow(problem);
    },
  );
});

describe('a request to a configured server', () => {
  test.each(HOSTILE_ANSWERS)('a request to a server that %s is aborted', async (_what, answer, problem) => {
    await using server = await openHostileServer(answer, problem);
    await expect(sendRequest(server.url, {}, TIMEOUT)).rejects.toThrow(problem);
  });

  test('an answer of a configured server has at most a mebibyte', async () => {
    await using server = await openJwksServer();
    server.answer((_req, res) => res.end(Buffer.alloc(1_048_577, ' ')));
    await expect(sendRequest(server.url, {}, 5000)).rejects.toThrow('more than 1048576 bytes');
    server.answer((_req, res) => res.end(Buffer.alloc(1_048_576, ' ')));
    expect((await (await sendRequest(server.url, {}, 5000)).text()).length).toBe(1_048_576);
  });

  test('a redirect of a configured server is not followed', async () => {
    await using server = await openJwksServer();
    server.answer((req, res) => res.writeHead(302, { location: '/elsewhere' }).end(req.url));
    await expect(sendRequest(server.url, {}, 5000)).rejects.toThrow();
    expect(server.requests).toEqual(['/jwks']);
  });
});
