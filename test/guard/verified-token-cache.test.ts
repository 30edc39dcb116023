import { describe, expect, test } from '@jest/globals';

import { withVerifiedTokenCache } from '../../lib/core/guard/remote-verifier.js';
import type { CacheableToken } from '../../lib/core/guard/verify-access-token.js';
import { letPass } from '../support/clock.js';

const inSeconds = (seconds: number) => Date.now() / 1000 + seconds;

/** A verifier that records what it is asked, and accepts each token until `expiresAt`. */
function open(
  {
    cacheableUntil,
    ...options
  }: Partial<Parameters<typeof withVerifiedTokenCache>[1] & Pick<CacheableToken, 'cacheableUntil'>> = {},
  expiresAt = inSeconds(60),
) {
  const requested: string[] = [];
  const cached = withVerifiedTokenCache(
    async (token): Promise<CacheableToken> => {
      requested.push(token);
      await Promise.resolve();
      if (token.startsWith('bad')) throw new Error('not a token');
      return {
        auth: {
          token,
          kind: 'app',
          clientId: 'shop',
          scopes: ['photos:read'],
          expiresAt,
          extra: { plan: 'gold' },
        },
        ...(cacheableUntil !== undefined && { cacheableUntil }),
      };
    },
    { size: 2, life: 60, ...options },
  );
  return { requested, verify: (token: string) => cached.verify(token, new Date()) };
}

describe('tokens that were verified once', () => {
  test('are not verified again, and have the same answer', async () => {
    const { requested, verify } = open();
    const [first, second] = [await verify('one'), await verify('one')];
    expect(second).toEqual(first);
    expect(requested).toEqual(['one']);
  });

  test.each<[string, () => Parameters<typeof open>, number]>([
    ['when they expire, and the clock is looked at each time', () => [{}, inSeconds(60)], 60],
    ['when the keys that signed them are no longer believed', () => [{ cacheableUntil: inSeconds(50) }], 50],
    ['after their life, however long they are valid', () => [{ life: 20 }, inSeconds(600)], 20],
  ])('are forgotten %s', async (_when, options, seconds) => {
    const { requested, verify } = open(...options());
    await verify('one');
    letPass(seconds - 10);
    await verify('one');
    expect(requested).toEqual(['one']);
    letPass(seconds + 1);
    await verify('one');
    expect(requested).toEqual(['one', 'one']);
  });

  test('wrong ones are verified each time, and push no right one out', async () => {
    const { requested, verify } = open();
    await verify('one');
    for (const bad of ['bad 1', 'bad 2', 'bad 3', 'bad 1'])
      await expect(verify(bad)).rejects.toThrow('not a token');
    await verify('one');
    expect(requested).toEqual(['one', 'bad 1', 'bad 2', 'bad 3', 'bad 1']);
  });

  test('are bounded in number', async () => {
    const { requested, verify } = open();
    for (const token of ['one', 'two', 'three', 'one']) await verify(token);
    expect(requested).toEqual(['one', 'two', 'three', 'one']);
  });

  test('what a route does with its req.auth is not seen by the next request', async () => {
    const { verify } = open();
    for (let round = 0; round < 3; round += 1) {
      const auth = await verify('one');
      expect(auth).toMatchObject({ token: 'one', scopes: ['photos:read'], extra: { plan: 'gold' } });
      auth.scopes.push('photos:write');
      Object.assign(auth.extra ?? {}, { plan: 'platinum' });
    }
  });

  test('with a life of 0 each is verified each time', async () => {
    const { requested, verify } = open({ life: 0 });
    await verify('one');
    await verify('one');
    expect(requested).toEqual(['one', 'one']);
  });
});
