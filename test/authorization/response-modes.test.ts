import { describe, expect, it } from '@jest/globals';

import { RESPONSE_MODES } from '../../lib/core/authorization/response-modes/response-mode.js';
import type { Client } from '../../lib/core/clients/client.js';

async function locationOf(mode: string, redirectUri: string): Promise<string | undefined> {
  const parameters = { code: 'a b&c', state: undefined, iss: 'https://photos.example' };
  const request = { redirectUri, client: {} as Client, defaultMode: 'query', now: new Date() };
  return (await RESPONSE_MODES.get(mode)?.write(parameters, request))?.address;
}

const ENCODED = 'code=a+b%26c&iss=https%3A%2F%2Fphotos.example';

describe('the response modes', () => {
  it('each response mode has its name as a key', () => {
    expect([...RESPONSE_MODES].map(([name, { responseMode }]) => [name, responseMode])).toEqual([
      ['query', 'query'],
      ['fragment', 'fragment'],
    ]);
  });

  it.each([
    ['https://print.example/callback', `https://print.example/callback?${ENCODED}`],
    ['https://print.example/callback?', `https://print.example/callback?${ENCODED}`],
    ['https://print.example/callback?a=%20+b', `https://print.example/callback?a=%20+b&${ENCODED}`],
    ['https://print.example/callback?a=b&', `https://print.example/callback?a=b&${ENCODED}`],
    ['com.example.app:/callback', `com.example.app:/callback?${ENCODED}`],
  ])('§3.1.2 the response mode query keeps the query of %s', async (redirectUri, location) => {
    expect(await locationOf('query', redirectUri)).toBe(location);
  });

  it.each([
    ['https://print.example/callback', `https://print.example/callback#${ENCODED}`],
    ['https://print.example/callback?a=b', `https://print.example/callback?a=b#${ENCODED}`],
  ])('§4.2.2 the response mode fragment keeps the query of %s', async (redirectUri, location) => {
    expect(await locationOf('fragment', redirectUri)).toBe(location);
  });
});
