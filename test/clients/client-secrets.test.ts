import { describe, expect, test } from '@jest/globals';
import bcrypt from 'bcrypt';

import type { ClientSecret } from '../../lib/core/clients/client.js';
import { createClientSecret, createSecretVerifier } from '../../lib/core/clients/secrets/client-secrets.js';

/** The stored form of an imported secret, at the lowest cost. */
const storedOf = async (secret: string): Promise<ClientSecret> => ({
  hash: await bcrypt.hash(secret, 4),
  algorithm: 'bcrypt',
  createdAt: new Date(),
});

const verifier = () => {
  const verify = createSecretVerifier();
  return (secret: string, stored: readonly ClientSecret[], now = new Date()) =>
    verify(secret, stored, { now });
};

test('a secret expires at its time, compared with the time of the request', async () => {
  const { secret, stored } = createClientSecret(new Date());
  const ending = { ...stored, expiresAt: new Date('2026-05-01T12:00:00Z') };
  const verify = verifier();
  expect(await verify(secret, [ending], new Date('2026-05-01T11:59:59Z'))).toBe(ending);
  expect(await verify(secret, [ending], new Date('2026-05-01T12:00:00Z'))).toBeUndefined();
});

describe('an imported secret', () => {
  test('an imported secret is wrong with characters after the 72nd, though bcrypt ignores them', async () => {
    const secret = 'x'.repeat(72);
    const stored = [await storedOf(secret)];
    const verify = verifier();
    expect(await verify(`${secret}y`, stored)).toBeUndefined();
    expect(await verify(secret, stored)).toBe(stored[0]);
    expect(await verify(`${secret}y`, stored)).toBeUndefined();
  });

  test('a wrong guess at an imported secret is wrong again the next time', async () => {
    const stored = [await storedOf('a right secret of theirs')];
    const verify = verifier();
    expect(await verify('a wrong secret of theirs', stored)).toBeUndefined();
    expect(await verify('a wrong secret of theirs', stored)).toBeUndefined();
  });

  test('imported secrets of all clients are compared in turn, and a burst is refused', async () => {
    const stored = await Promise.all(Array.from({ length: 60 }, (_, index) => storedOf(`secret ${index}`)));
    const verify = verifier();
    const outcomes = await Promise.allSettled(stored.map((each) => verify('another one', [each])));
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeLessThan(60);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { error: 'temporarily_unavailable', status: 503 },
    });
  });
});
