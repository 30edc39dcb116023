import { createHash } from 'node:crypto';

import { describe, expect, test } from '@jest/globals';

import {
  createNonces,
  createProofVerifier,
  type ProofTarget,
  type ProofVerifierOptions,
} from '../../lib/core/proof-of-possession/dpop-proof.js';
import { createProofKey, type ProofOptions, prove } from '../support/dpop.js';
import { fixture } from '../support/site-for.js';

const TOKEN_URL = 'https://photos.example/oauth/token';
/** The moment of each request, whatever the clock says. */
const NOW = new Date('2030-01-01T00:00:00.500Z');
const SECONDS = Math.floor(NOW.getTime() / 1000);
const MAX_AGE = 60;

const key = fixture(() => createProofKey());

const proof = ({ claims, ...options }: ProofOptions = {}) =>
  prove(key, 'POST', TOKEN_URL, { ...options, claims: { iat: SECONDS, ...claims } });

/** A server, and its used ids. */
function serverOf(options: Partial<ProofVerifierOptions> = {}) {
  const used: { readonly id: string; readonly expiresAt: Date }[] = [];
  const usedProofs = {
    use(jkt: string, jti: string, expiresAt: Date) {
      const id = `${jkt} ${jti}`;
      const isNew = !used.some((each) => each.id === id);
      if (isNew) used.push({ id, expiresAt });
      return Promise.resolve(isNew);
    },
  };
  const verifier = createProofVerifier({
    usedProofs,
    nonces: undefined,
    clockTolerance: 10,
    ...options,
  });
  return {
    used,
    verify: (header: string, target: Partial<ProofTarget> = {}) =>
      verifier.verify(header, { method: 'POST', urls: [TOKEN_URL], now: NOW, ...target }),
  };
}
const refused = { error: 'invalid_dpop_proof', reason: 'dpop_proof_invalid' };

describe('RFC 9449 §4.3 a proof', () => {
  test.each([
    ['POST', true],
    ['post', false],
    ['GET', false],
  ])('8. a proof with the method %s is valid for a POST: %s', async (htm, isRight) => {
    const verified = serverOf().verify(await proof({ claims: { htm } }));
    if (isRight) await verified;
    else await expect(verified).rejects.toMatchObject(refused);
  });

  test('9. a proof is valid for each URL of an endpoint, and no other', async () => {
    const urls = [TOKEN_URL, 'https://photos.example/token'];
    const { verify } = serverOf();
    for (const htu of urls) await verify(await proof({ claims: { htu } }), { urls });
    for (const htu of [`${TOKEN_URL}/`, 'https://photos.example:8443/oauth/token', urls])
      await expect(verify(await proof({ claims: { htu } }), { urls })).rejects.toMatchObject(refused);
    await expect(verify(await proof(), { urls: [] })).rejects.toMatchObject(refused);
  });

  test.each([
    [0, true],
    [MAX_AGE, true],
    // the client's clock may be behind, too
    [MAX_AGE + 10, true],
    [MAX_AGE + 11, false],
    [-10, true],
    [-11, false],
    [1e15, false],
    [-1e15, false],
  ])('11. a proof made %d seconds ago is valid: %s', async (age, isInTime) => {
    // the request comes on the full second
    const now = new Date(SECONDS * 1000);
    const verified = serverOf().verify(await proof({ claims: { iat: SECONDS - age } }), { now });
    if (isInTime) await verified;
    else await expect(verified).rejects.toMatchObject(refused);
  });

  const hashOf = (token: string) => createHash('sha256').update(token).digest();
  test.each<[string, unknown, boolean]>([
    ['the hash of the token', hashOf('token').toString('base64url'), true],
    ['the hash in base64', hashOf('token').toString('base64'), false],
    ['the hash in hex', hashOf('token').toString('hex'), false],
    ['the token itself', 'token', false],
    ['the hash in a list', [hashOf('token').toString('base64url')], false],
  ])('12. a proof with an access token is valid if its ath is %s: %s', async (_what, ath, isRight) => {
    const verified = serverOf().verify(await proof({ claims: { ath } }), { accessToken: 'token' });
    if (isRight) await verified;
    else await expect(verified).rejects.toMatchObject(refused);
  });

  test('5. a proof needs an algorithm of the server, and of the client if that has fewer', async () => {
    const header = await proof();
    await expect(serverOf({ algorithms: ['EdDSA'] }).verify(header)).rejects.toMatchObject(refused);
    await expect(serverOf().verify(header, { algorithms: ['EdDSA'] })).rejects.toMatchObject(refused);
    await serverOf({ algorithms: ['ES256'] }).verify(header, { algorithms: ['ES256', 'EdDSA'] });
  });
});

describe('RFC 9449 §11.1 a proof is used up', () => {
  test('a proof is used once by a request that checks it twice, and by no second request', async () => {
    const { verify } = serverOf();
    const header = await proof();
    const [first, second] = [await verify(header), await verify(header)];
    await first.use();
    await first.use();
    await expect(second.use()).rejects.toMatchObject(refused);
    // a second try changes nothing
    await expect(second.use()).rejects.toMatchObject(refused);
  });

  test('a used proof is remembered until no process accepts it any more', async () => {
    const { verify, used } = serverOf();
    // made by a clock that is ahead
    const iat = SECONDS + 10;
    await (await verify(await proof({ claims: { iat } }))).use();
    const [{ expiresAt } = { expiresAt: NOW }] = used;
    expect(expiresAt.getTime() / 1000).toBeGreaterThanOrEqual(iat + MAX_AGE);
    await expect(verify(await proof({ claims: { iat } }), { now: expiresAt })).rejects.toMatchObject(refused);
  });
});

describe('RFC 9449 §8 a nonce', () => {
  const nonces = createNonces('a secret that all processes have');
  const nonce = nonces.current(NOW);
  const requested = {
    error: 'use_dpop_nonce',
    status: 400,
    reason: 'dpop_nonce_missing',
    headers: { 'DPoP-Nonce': nonce },
  };

  test.each<[string, unknown]>([
    ['in a list', [nonce]],
    ['of another server', createNonces('the secret of another server').current(NOW)],
  ])('a proof with a nonce %s is answered with the current nonce', async (_what, given) => {
    const { verify } = serverOf({ nonces });
    await expect(verify(await proof({ claims: { nonce: given } }))).rejects.toMatchObject(requested);
  });

  test('a nonce is required only of a proof that is valid otherwise', async () => {
    const { verify } = serverOf({ nonces });
    for (const claims of [{ htm: 'GET' }, { iat: SECONDS - 90 }, { jti: '' }])
      await expect(verify(await proof({ claims }))).rejects.toMatchObject(refused);
  });

  test('a nonce is ignored if the server requires none', async () => {
    await serverOf().verify(await proof({ nonce: 'whatever' }));
  });
});
