import { describe, expect, test } from '@jest/globals';

import { createSealedSecrets, seal, type SealKey, unseal } from '../../../lib/shared/crypto/seal.js';

const KEY: SealKey = { secret: 'a secret of the host, long enough', owner: 'shop', purpose: 'test' };

describe('a sealed text', () => {
  test.each(['', 'text', 'ä€🙂', 'x'.repeat(10_000)])(
    'the text %.10j is sealed differently each time, and opens again',
    async (text) => {
      const [one, two] = [await seal(text, KEY), await seal(text, KEY)];
      expect(one).not.toBe(two);
      expect([await unseal(one, KEY), await unseal(two, KEY)]).toEqual([text, text]);
      if (text !== '') expect(one).not.toContain(text);
    },
  );

  test.each<[string, Partial<SealKey>]>([
    ['another secret', { secret: 'another secret of the host, as long' }],
    ['another owner', { owner: 'gallery' }],
    ['another purpose', { purpose: 'keys' }],
  ])('a sealed text does not open with %s', async (_what, other) => {
    await expect(unseal(await seal('text', KEY), { ...KEY, ...other })).rejects.toThrow();
  });

  test('a sealed text does not open after a change of any part', async () => {
    const parts = (await seal('text', KEY)).split('.');
    for (const index of [0, 2, 3, 4]) {
      const part = parts[index] ?? '';
      const changed = parts.with(index, `${part.startsWith('A') ? 'B' : 'A'}${part.slice(1)}`);
      await expect(unseal(changed.join('.'), KEY)).rejects.toThrow();
    }
    for (const none of ['', 'text', 'a.b.c.d.e']) await expect(unseal(none, KEY)).rejects.toThrow();
  });
});

describe('sealed secrets', () => {
  const [old, current] = ['the key of the host until yesterday', 'the key of the host from today on'];

  test('secrets cannot be sealed without a key', () => {
    expect(createSealedSecrets([])).toBeUndefined();
  });

  test('a sealed secret opens with the newest key and with older ones', async () => {
    const before = await createSealedSecrets([old])!.keep('shop', 'secret');
    const both = createSealedSecrets([current, old])!;
    expect(await both.open('shop', before)).toBe('secret');
    const after = await both.keep('shop', 'secret');
    expect(await createSealedSecrets([current])!.open('shop', after)).toBe('secret');
    await expect(createSealedSecrets([current])!.open('shop', before)).rejects.toThrow(
      'no clientAuthentication.secretKey',
    );
    await expect(both.open('gallery', after)).rejects.toThrow('no clientAuthentication.secretKey');
  });
});
