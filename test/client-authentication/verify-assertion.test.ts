import { describe, expect, test } from '@jest/globals';
import { type JWTPayload, SignJWT } from 'jose';

import {
  type AssertionKeys,
  createAssertionVerifier,
} from '../../lib/core/client-authentication/verify-assertion.js';
import { createTestKey } from '../support/assertions.js';
import { fixture } from '../support/site-for.js';

const ISSUER = 'https://photos.example';
const TOKEN_URL = `${ISSUER}/oauth/token`;
const MAX_TTL = 300;
/** The moment of each request, whatever the clock says. */
const NOW = new Date('2030-01-01T00:00:00Z');
const SECONDS = NOW.getTime() / 1000;

const key = fixture(() => createTestKey());

/** A server that accepts the assertions of `shop`, and its used ids. */
function serverOf(audiences: readonly string[] = [ISSUER]) {
  const used: { readonly clientId: string; readonly jti: string; readonly expiresAt: Date }[] = [];
  const verify = createAssertionVerifier({
    issuer: ISSUER,
    audiences,
    maxTtl: MAX_TTL,
    clockTolerance: 30,
    assertionIds: {
      use(clientId, jti, expiresAt) {
        const isNew = !used.some((each) => each.clientId === clientId && each.jti === jti);
        used.push({ clientId, jti, expiresAt });
        return Promise.resolve(isNew);
      },
    },
  });
  return {
    used,
    verify: async (claims: JWTPayload = {}, more: Partial<AssertionKeys> = {}, header: object = {}) => {
      const all = { iss: 'shop', sub: 'shop', aud: ISSUER, exp: SECONDS + 60, jti: 'one', ...claims };
      const jwt = await new SignJWT(all).setProtectedHeader({ alg: key.alg, ...header }).sign(key.privateKey);
      await verify(
        { jwt, algorithm: key.alg, clientId: 'shop' },
        { key: () => Promise.resolve(key.publicJwk as never), algorithms: [key.alg], now: NOW, ...more },
      );
    },
  };
}
const refusedAs = (reason: string) => ({ error: 'invalid_client', reason });

describe('RFC 7523 §3 3. the audience', () => {
  test.each([TOKEN_URL, ISSUER, [TOKEN_URL]])('the audience %j is one of the server', async (aud) => {
    await serverOf([ISSUER, TOKEN_URL]).verify({ aud });
  });

  test('an assertion with two audiences is refused (draft-ietf-oauth-rfc7523bis §4)', async () => {
    const verified = serverOf([ISSUER, TOKEN_URL]).verify({ aud: [ISSUER, TOKEN_URL] });
    await expect(verified).rejects.toMatchObject(refusedAs('assertion_invalid'));
  });

  test.each([
    [ISSUER, true],
    [[ISSUER], false],
    [TOKEN_URL, false],
  ])('FAPI 2.0 Security Profile §5.3.2.1-8 audience %j from a FAPI client: %s', async (aud, isRight) => {
    const verified = serverOf([ISSUER, TOKEN_URL]).verify({ aud }, { isForIssuer: true });
    if (isRight) await verified;
    else await expect(verified).rejects.toMatchObject(refusedAs('assertion_invalid'));
  });
});

describe('RFC 7523 §3 4. to 6. the times, with clocks half a minute apart', () => {
  test.each<[string, JWTPayload, string | undefined]>([
    ['ended 29 seconds ago', { exp: SECONDS - 29 }, undefined],
    ['ended 30 seconds ago', { exp: SECONDS - 30 }, 'assertion_expired'],
    ['ends at the limit', { exp: SECONDS + MAX_TTL + 30 }, undefined],
    ['ends a second later', { exp: SECONDS + MAX_TTL + 31 }, 'assertion_invalid'],
    ['begins in 30 seconds', { nbf: SECONDS + 30 }, undefined],
    ['begins in 31 seconds', { nbf: SECONDS + 31 }, 'assertion_invalid'],
    ['was made in 30 seconds', { iat: SECONDS + 30 }, undefined],
    ['was made in 31 seconds', { iat: SECONDS + 31 }, 'assertion_invalid'],
    ['was made long ago, and has not ended', { iat: 1 }, undefined],
  ])('an assertion is checked that %s', async (_what, claims, reason) => {
    const verified = serverOf().verify(claims);
    if (reason === undefined) await verified;
    else await expect(verified).rejects.toMatchObject(refusedAs(reason));
  });
});

describe('RFC 7523 §3 7. the id', () => {
  test('the id of an assertion is used up for its client until the assertion expires', async () => {
    const { verify, used } = serverOf();
    await verify({ exp: SECONDS + 60 });
    const [{ expiresAt } = { expiresAt: NOW }, ...more] = used;
    expect([used[0]?.clientId, used[0]?.jti, more]).toEqual(['shop', 'one', []]);
    const late = { now: new Date(expiresAt.getTime() - 1000) };
    // one of the clocks is ahead, the other one behind
    await expect(verify({ jti: 'two' }, late)).rejects.toMatchObject(refusedAs('assertion_expired'));
    expect(expiresAt.getTime()).toBeGreaterThanOrEqual((SECONDS + 60 + 2 * 30) * 1000);
  });

  test('the id of an assertion has at most 256 characters', async () => {
    await serverOf().verify({ jti: 'j'.repeat(256) });
    for (const jti of ['j'.repeat(257), '', 7 as never])
      await expect(serverOf().verify({ jti })).rejects.toMatchObject(refusedAs('assertion_invalid'));
  });

  test('the id of an assertion with any other fault is not used up', async () => {
    const { verify, used } = serverOf();
    const other = await createTestKey();
    const wrong: readonly Parameters<typeof verify>[] = [
      [{ iss: 'another' }],
      [{ sub: 'another' }],
      [{ aud: 'https://other.example' }],
      [{ aud: [ISSUER] }, { isForIssuer: true }],
      [{ exp: SECONDS - 60 }],
      [{ exp: SECONDS + 3600 }],
      [{ iat: SECONDS + 60 }],
      [{}, {}, { typ: 'dpop+jwt' }],
      [{}, { algorithms: ['PS256'] }],
      [{}, { key: () => Promise.resolve(other.publicJwk as never) }],
    ];
    for (const given of wrong)
      await expect(verify(...given)).rejects.toMatchObject({ error: 'invalid_client' });
    expect(used).toEqual([]);
    await verify();
    await expect(verify()).rejects.toMatchObject(refusedAs('assertion_used'));
  });
});

describe('RFC 8725 §3.11 the type', () => {
  test.each<[string | undefined, boolean]>([
    [undefined, true],
    ['JWT', true],
    ['Application/Client-Authentication+JWT', true],
    ['at+jwt', false],
    ['logout+jwt', false],
    ['application/application/jwt', false],
    ['', false],
  ])('an assertion with the type %s is accepted: %s', async (typ, isRight) => {
    const verified = serverOf().verify({}, {}, { ...(typ !== undefined && { typ }) });
    if (isRight) await verified;
    else await expect(verified).rejects.toMatchObject(refusedAs('assertion_invalid'));
  });
});

test('an error names the fault of an assertion only if its signature is right', async () => {
  const other = await createTestKey();
  const strangers = serverOf().verify({}, { key: () => Promise.resolve(other.publicJwk as never) });
  await expect(strangers).rejects.toMatchObject({
    ...refusedAs('wrong_assertion_signature'),
    description: 'client authentication failed',
  });
  await expect(serverOf().verify({ exp: SECONDS + 3600 })).rejects.toMatchObject({
    description: expect.stringMatching(/more than 300 seconds ahead/),
  });
});
