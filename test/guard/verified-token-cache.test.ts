import { describe, expect, test } from '@jest/globals';

import { withVerifiedTokenCache } from '../../lib/core/guard/remote-verifier.js';
import type { CacheableToken } from '../../lib/core/guard/verify-access-token.js';
import { letPass } from '../support/clock.js';

const inSeconds = (seconds: number) => Date.now() / 1000 + seconds;

/** A verifier that records its calls, and accepts each token until `expiresAt`. */
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

describe('the cache of verified tokens', () => {
  test('a verified token is not verified again, and has the same result', async () => {
    const { requested, verify } = open();
    const [first, second] = [await verify('one'), await verify('one')];
    expect(second).toEqual(first);
    expect(requested).toEqual(['one']);
  });

  test.each<[string, () => Parameters<typeof open>, number]>([
    ['when it expires, and the clock is read each time', () => [{ life: 600 }, inSeconds(60)], 60],
    ['when its signing keys expire', () => [{ cacheableUntil: inSeconds(50) }], 50],
    ['after the life of the cache', () => [{ life: 20 }, inSeconds(600)], 20],
  ])('a verified token leaves the cache %s', async (_when, options, seconds) => {
    const { requested, verify } = open(...options());
    await verify('one');
    letPass(seconds - 10);
    await verify('one');
    expect(requested).toEqual(['one']);
    letPass(11);
    await verify('one');
    expect(requested).toEqual(['one', 'one']);
  });

  test('a wrong token is verified each time, and evicts no right one', async () => {
    const { requested, verify } = open();
    await verify('one');
    for (const bad of ['bad 1', 'bad 2', 'bad 3', 'bad 1'])
      await expect(verify(bad)).rejects.toThrow('not a token');
    await verify('one');
    expect(requested).toEqual(['one', 'bad 1', 'bad 2', 'bad 3', 'bad 1']);
  });

  test('the cache of verified tokens is bounded', async () => {
    const { requested, verify } = open();
    for (const token of ['one', 'two', 'three', 'one']) await verify(token);
    expect(requested).toEqual(['one', 'two', 'three', 'one']);
  });

  test('a change of req.auth by a route does not reach the next request', async () => {
    const { verify } = open();
    for (let round = 0; round < 3; round += 1) {
      const auth = await verify('one');
      expect(auth).toMatchObject({ token: 'one', scopes: ['photos:read'], extra: { plan: 'gold' } });
      auth.scopes.push('photos:write');
      Object.assign(auth.extra ?? {}, { plan: 'platinum' });
    }
  });

  test('with a life of 0 the cache verifies each token each time', async () => {
    const { requested, verify } = open({ life: 0 });
    await verify('one');
    await verify('one');
    expect(requested).toEqual(['one', 'one']);
  });
});
