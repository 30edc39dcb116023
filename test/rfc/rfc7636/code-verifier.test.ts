import { createHash } from 'node:crypto';

import { describe, expect, test } from '@jest/globals';
import type { Response } from 'supertest';

import type { ClientWithSecret } from '../../../lib/index.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { callApi, createPkce, type Fields, obtainCode, redeem } from '../../support/tokens.js';

const site = siteFor();
const confidential = fixture(() => site.client());
const publicClient = fixture(() => site.client({ type: 'public' }));

/** Appendix B */
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = {
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
};

const codeFor = (client: ClientWithSecret, query = CHALLENGE) => obtainCode(site, client, { query });

function challengeOf(verifier: string): typeof CHALLENGE {
  return {
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  };
}

function expectInvalidGrant(response: Response, detail: string): void {
  expect(response.status).toBe(400);
  expect(response.body).toEqual({
    error: 'invalid_grant',
    error_description: expect.stringContaining('code'),
  });
  // only the host is told which of the causes it was
  expect(site.errors.at(-1)).toMatchObject({ error: 'invalid_grant', detail });
  expect(JSON.stringify(response.body)).not.toContain(detail);
}

describe('§4.6 the verifier fits', () => {
  test('Appendix B: the RFC’s own verifier and challenge [4.2-1] [4.5-2] [4.6-1]', async () => {
    for (const client of [confidential, publicClient]) {
      const response = await redeem(site, client, await codeFor(client), { code_verifier: VERIFIER });
      expect(response.status).toBe(200);
      expect((await callApi(site, response.body.access_token)).status).toBe(200);
    }
  });

  test.each([
    ['the shortest', 'a'.repeat(43)],
    ['the longest', 'z'.repeat(128)],
    ['of every unreserved character', 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~'],
  ])('§4.1 %s [4.1-1] [4.6-1]', async (_which, verifier) => {
    const code = await codeFor(publicClient, challengeOf(verifier));
    expect((await redeem(site, publicClient, code, { code_verifier: verifier })).status).toBe(200);
  });
});

describe('§4.6 the verifier does not fit', () => {
  test.each([
    ['another one', createPkce().code_verifier, 'code_verifier mismatch'],
    ['the challenge itself, as plain would have it', CHALLENGE.code_challenge, 'code_verifier mismatch'],
    ['in other upper and lower case', VERIFIER.toLowerCase(), 'code_verifier mismatch'],
    ['with one character less', VERIFIER.slice(0, -1), 'code_verifier malformed'],
    ['with one more', `${VERIFIER}a`, 'code_verifier mismatch'],
    ['too long', 'x'.repeat(129), 'code_verifier malformed'],
    ['with a character that is not unreserved', VERIFIER.replace('d', '+'), 'code_verifier malformed'],
    ['with a line break', `${VERIFIER}\n`, 'code_verifier malformed'],
    ['none', undefined, 'code_verifier missing'],
    ['an empty one, which counts as none', '', 'code_verifier missing'],
  ])('§4.6 %s: invalid_grant [4.5-1] [4.5-2] [4.6-2]', async (_which, verifier, detail) => {
    expectInvalidGrant(
      await redeem(site, publicClient, await codeFor(publicClient), { code_verifier: verifier }),
      detail,
    );
  });

  test('§4.6 a confidential client needs it as well: its secret does not stand in for it [4.5-1] [4.6-2]', async () => {
    expectInvalidGrant(
      await redeem(site, confidential, await codeFor(confidential)),
      'code_verifier missing',
    );
  });

  test('§4.6 the verifier of another code of the same client [4.4-1] [4.6-2]', async () => {
    for (const client of [confidential, publicClient]) {
      const [one, two] = [createPkce(), createPkce()];
      const code = await codeFor(client, one.challenge);
      await codeFor(client, two.challenge);
      const refused = await redeem(site, client, code, { code_verifier: two.code_verifier });
      expectInvalidGrant(refused, 'code_verifier mismatch');
      expect((await redeem(site, client, code, { code_verifier: one.code_verifier })).status).toBe(200);
    }
  });

  test('§4.6 sent twice it is malformed, and nobody chooses between the two [4.5-1]', async () => {
    const response = await redeem(site, publicClient, await codeFor(publicClient), {
      code_verifier: [VERIFIER, VERIFIER],
    });
    expect(response.status).toBe(400);
    expect(response.body.error).toBe('invalid_request');
  });

  test('§4.5 a method in the token request changes nothing [4.5-2] [7.2-1]', async () => {
    const fields: Fields = {
      code_verifier: CHALLENGE.code_challenge,
      code_challenge_method: 'plain',
      code_challenge: CHALLENGE.code_challenge,
    };
    expectInvalidGrant(
      await redeem(site, publicClient, await codeFor(publicClient), fields),
      'code_verifier mismatch',
    );
  });
});

describe('RFC 9700 §2.1.1 downgrade: a verifier where there was no challenge', () => {
  const DETAIL = 'code_verifier given, but the authorization request had no code_challenge';

  test('is refused: somebody has taken the challenge out of the request', async () => {
    expectInvalidGrant(
      await redeem(site, confidential, await obtainCode(site, confidential), { code_verifier: VERIFIER }),
      DETAIL,
    );
  });

  test('neither verifier nor challenge is the confidential client’s own flow of RFC 6749', async () => {
    expect((await redeem(site, confidential, await obtainCode(site, confidential))).status).toBe(200);
  });

  test('an empty verifier counts as none', async () => {
    expect(
      (await redeem(site, confidential, await obtainCode(site, confidential), { code_verifier: '' })).status,
    ).toBe(200);
  });
});

describe('§4.6 a verifier that fails costs the client nothing', () => {
  test.each([
    ['a wrong one', { code_verifier: createPkce().code_verifier }],
    ['a malformed one', { code_verifier: 'short' }],
    ['none', {}],
  ])('§4.6 after %s the code can still be used [4.6-1] [4.6-2]', async (_which, fields) => {
    const code = await codeFor(publicClient);
    for (let i = 0; i < 3; i += 1) expect((await redeem(site, publicClient, code, fields)).status).toBe(400);
    expect((await redeem(site, publicClient, code, { code_verifier: VERIFIER })).status).toBe(200);
  });

  test('§4.6 somebody who saw the code, and presents it when it is used, ends no token [4.6-2]', async () => {
    for (const client of [confidential, publicClient]) {
      const code = await codeFor(client);
      const { body } = await redeem(site, client, code, { code_verifier: VERIFIER });
      for (const fields of [{ code_verifier: createPkce().code_verifier }, {}])
        expect((await redeem(site, client, code, fields)).status).toBe(400);
      expect((await callApi(site, body.access_token)).status).toBe(200);
    }
  });

  test('RFC 6749 §4.1.2 only who has the verifier, and presents the code again, does', async () => {
    const code = await codeFor(publicClient);
    const { access_token: token } = (await redeem(site, publicClient, code, { code_verifier: VERIFIER }))
      .body;
    expect((await redeem(site, publicClient, code, { code_verifier: VERIFIER })).status).toBe(400);
    expect((await callApi(site, token)).status).toBe(401);
  });
});
