import { describe, expect, test } from '@jest/globals';
import bcrypt from 'bcrypt';

import type { ClientSecret } from '../../lib/core/clients/client.js';
import { createClientSecret, createSecretVerifier } from '../../lib/core/clients/secrets/client-secrets.js';

/** What is stored for a secret that the client brought along, at the lowest cost there is. */
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

test('a secret ends at the moment that it says, by the moment of the request and not by the clock', async () => {
  const { secret, stored } = createClientSecret(new Date());
  const ending = { ...stored, expiresAt: new Date('2026-05-01T12:00:00Z') };
  const verify = verifier();
  expect(await verify(secret, [ending], new Date('2026-05-01T11:59:59Z'))).toBe(ending);
  expect(await verify(secret, [ending], new Date('2026-05-01T12:00:00Z'))).toBeUndefined();
});

describe('a secret that was brought along', () => {
  test('is wrong with more behind it, where bcrypt reads no further', async () => {
    const secret = 'x'.repeat(72);
    const stored = [await storedOf(secret)];
    const verify = verifier();
    expect(await verify(`${secret}y`, stored)).toBeUndefined();
    expect(await verify(secret, stored)).toBe(stored[0]);
    expect(await verify(`${secret}y`, stored)).toBeUndefined();
  });

  test('that was wrong is wrong the next time as well', async () => {
    const stored = [await storedOf('a right secret of theirs')];
    const verify = verifier();
    expect(await verify('a wrong secret of theirs', stored)).toBeUndefined();
    expect(await verify('a wrong secret of theirs', stored)).toBeUndefined();
  });

  test('is computed one after the other, whosever it is, and a burst is refused', async () => {
    const stored = await Promise.all(Array.from({ length: 60 }, (_, index) => storedOf(`secret ${index}`)));
    const verify = verifier();
    const outcomes = await Promise.allSettled(stored.map((each) => verify('another one', [each])));
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeLessThan(60);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { error: 'temporarily_unavailable', status: 503 },
    });
  });
});
