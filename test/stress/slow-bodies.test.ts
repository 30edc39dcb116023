import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';

import { expect, test } from '@jest/globals';

import { siteFor } from '../support/site-for.js';
import { callApi, obtainTokens } from '../support/tokens.js';

const CLIENTS = 100;
const REGISTRATION = '/oauth/register';
const PATHS = ['/oauth/token', '/oauth/revoke', '/oauth/introspect', '/oauth/authorize', REGISTRATION];

const site = siteFor({ security: { rateLimits: false }, registration: { open: true } });

/**
 * Sends the head of a request, then a byte of its body every second; resolves to the answer until the connection
 * closes.
 */
async function sendSlowly(path: string): Promise<string> {
  const type = path === REGISTRATION ? 'application/json' : 'application/x-www-form-urlencoded';
  const { port } = site.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: ${type}\r\nContent-Length: 1000\r\n\r\n`,
  );
  const drip = setInterval(() => socket.write('a'), 1000);
  let answer = '';
  socket.on('data', (chunk) => (answer += String(chunk))).on('error', () => undefined);
  await once(socket, 'close');
  clearInterval(drip);
  return answer;
}

test('endless bodies are 408 after ten seconds and lose their connections; others are served', async () => {
  const client = await site.client();
  const slow = Promise.all(
    PATHS.flatMap((path) =>
      Array.from({ length: CLIENTS }, async () => [path, await sendSlowly(path)] as const),
    ),
  );
  const { access_token: token } = await obtainTokens(site, client);
  expect((await callApi(site, token)).status).toBe(200);
  for (const [path, answer] of await slow) {
    expect([path, answer.slice(0, 12)]).toEqual([path, 'HTTP/1.1 408']);
    expect(answer).toMatch(/\r\nConnection: close\r\n/i);
    expect(answer).toContain('the request body must be there within 10 seconds');
  }
});
