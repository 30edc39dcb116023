import { describe, expect, test } from '@jest/globals';
import bcrypt from 'bcrypt';

import type { ClientSecret } from '../../lib/clients/client.js';
import { createSecretVerifier } from '../../lib/clients/client-secrets.js';

/** As it is stored of a secret that was brought along, at the least cost there is. */
const storedOf = async (secret: string): Promise<ClientSecret> => ({
  hash: await bcrypt.hash(secret, 4),
  algorithm: 'bcrypt',
  createdAt: new Date(),
});

describe('a secret that was brought along', () => {
  test('is wrong with more behind it, where bcrypt reads no further', async () => {
    const secret = 'x'.repeat(72);
    const stored = [await storedOf(secret)];
    const verify = createSecretVerifier();
    expect(await verify(`${secret}y`, stored)).toBeUndefined();
    expect(await verify(secret, stored)).toBe(stored[0]);
    expect(await verify(`${secret}y`, stored)).toBeUndefined();
  });

  test('that was wrong is wrong the next time as well', async () => {
    const stored = [await storedOf('a right secret of theirs')];
    const verify = createSecretVerifier();
    expect(await verify('a wrong secret of theirs', stored)).toBeUndefined();
    expect(await verify('a wrong secret of theirs', stored)).toBeUndefined();
  });

  test('is computed one after the other, whosever it is, and a burst is refused', async () => {
    const stored = await Promise.all(Array.from({ length: 60 }, (_, index) => storedOf(`secret ${index}`)));
    const verify = createSecretVerifier();
    const outcomes = await Promise.allSettled(stored.map((each) => verify('another one', [each])));
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeLessThan(60);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { error: 'temporarily_unavailable', status: 503 },
    });
  });
});
