import { describe, expect, it } from '@jest/globals';

import type { Client } from './client.js';
import { createSpreadClient } from './spread-client.js';

describe('a client of several processes', () => {
  /** Each process issues values that name it, and records its requests. */
  const setUp = (count: number) => {
    const requested: string[] = [];
    const clients = Array.from({ length: count }, (_, index) => {
      const note = (what: string) => void requested.push(`${what} at ${index}`);
      const give = (what: string) =>
        Promise.resolve({ accessToken: `at:${what}@${index}`, refreshToken: `rt@${index}` });
      return {
        site: { url: `http://process-${index}` },
        clientCredentials: () => (note('credentials'), give('credentials')),
        authorize: () => (note('authorize'), Promise.resolve(`code@${index}`)),
        redeem: (code: string) => (note(`redeem ${code}`), give('code')),
        refresh: (token: string) => (note(`refresh ${token}`), give('refresh')),
        callApi: (path: string, token: string) => Promise.resolve(note(`${path} ${token}`)),
        introspect: (token: string) => Promise.resolve(note(`introspect ${token}`)),
        close: () => Promise.resolve(note('close')),
      };
    });
    return { requested, client: createSpreadClient(clients as unknown as Client[]) };
  };

  it.each([2, 3, 4])(
    'uses at another what one of %i has given out, and sends it as it was given',
    async (count) => {
      const { requested, client } = setUp(count);
      // the number of turns between issuing and using
      for (let lag = 0; lag < 40; lag += 1) {
        const code = await client.authorize();
        for (let context = 0; context < lag % 7; context += 1) await client.authorize();
        const tokens = await client.redeem(code);
        await client.callApi('/api', tokens.accessToken);
        const refreshed = await client.refresh(tokens.refreshToken ?? '');
        await client.introspect(refreshed.accessToken);
        await client.callApi('/api', (await client.clientCredentials('opaque')).accessToken);
      }
      const uses = requested.flatMap(
        (line) => [...(/@(\d) at (\d)$/.exec(line)?.slice(1, 3) ?? [])].join(' ') || [],
      );
      expect(uses).toHaveLength(40 * 5);
      expect(uses.filter((use) => use[0] === use[2])).toEqual([]);
      expect(requested).toContainEqual(expect.stringMatching(/^redeem code@\d at \d$/));
      expect(requested).toContainEqual(expect.stringMatching(/^\/api at:credentials@\d at \d$/));
    },
  );

  it.each([2, 3, 4])('asks all %i about as often', async (count) => {
    const { requested, client } = setUp(count);
    for (let run = 0; run < 60; run += 1) await client.redeem(await client.authorize());
    for (let index = 0; index < count; index += 1) {
      const share = requested.filter((line) => line.endsWith(` at ${index}`)).length / requested.length;
      expect(share).toBeGreaterThan(0.7 / count);
      expect(share).toBeLessThan(1.3 / count);
    }
  });

  it('leaves one process alone', async () => {
    const { requested, client } = setUp(1);
    await client.redeem(await client.authorize());
    expect(requested).toEqual(['authorize at 0', 'redeem code@0 at 0']);
  });

  it('closes all', async () => {
    const { requested, client } = setUp(2);
    await client.close();
    expect(requested).toEqual(['close at 0', 'close at 1']);
  });
});
