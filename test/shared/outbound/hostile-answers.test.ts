import { describe, expect, test } from '@jest/globals';

import { fetchJson, post } from '../../../lib/shared/outbound/safe-fetch.js';
import { sendRequest } from '../../../lib/shared/outbound/send-request.js';
import { openJwksServer } from '../../support/jwks-server.js';
import { HOSTILE_ANSWERS, openRawServer } from '../../support/raw-server.js';
import { until } from '../../support/until.js';

const TIMEOUT = 250;
const LIMITS = { allowPrivateAddresses: true, timeout: TIMEOUT, maxBytes: 1000 };

describe('an answer of strangers has an end', () => {
  test.each(HOSTILE_ANSWERS)('of a server that %s', async (_what, answer, problem) => {
    await using server = await openRawServer(answer);
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
      await using server = await openRawServer(answer);
      await expect(post(server.url, { headers: {}, body: '{}' }, LIMITS)).rejects.toThrow(problem);
    },
  );
});

describe('an answer of servers that the options name has an end', () => {
  test.each(HOSTILE_ANSWERS)('of a server that %s', async (_what, answer, problem) => {
    await using server = await openRawServer(answer);
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
