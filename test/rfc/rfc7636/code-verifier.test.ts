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
  // only the site gets the cause
  expect(site.errors.at(-1)).toMatchObject({ error: 'invalid_grant', detail });
  expect(JSON.stringify(response.body)).not.toContain(detail);
}

describe('§4.6 the verifier fits', () => {
  test('Appendix B: the verifier and the challenge of the RFC match [4.2-1] [4.5-2] [4.6-1]', async () => {
    for (const client of [confidential, publicClient]) {
      const response = await redeem(site, client, await codeFor(client), { code_verifier: VERIFIER });
      expect(response.status).toBe(200);
      expect((await callApi(site, response.body.access_token)).status).toBe(200);
    }
  });

  test.each([
    ['of 43 characters', 'a'.repeat(43)],
    ['of 128 characters', 'z'.repeat(128)],
    ['of every unreserved character', 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~'],
  ])('§4.1 a code_verifier %s is accepted [4.1-1] [4.6-1]', async (_which, verifier) => {
    const code = await codeFor(publicClient, challengeOf(verifier));
    expect((await redeem(site, publicClient, code, { code_verifier: verifier })).status).toBe(200);
  });
});

describe('§4.6 the verifier does not fit', () => {
  test.each([
    ['of another code', createPkce().code_verifier, 'code_verifier mismatch'],
    ['equal to the challenge', CHALLENGE.code_challenge, 'code_verifier mismatch'],
    ['in lower case', VERIFIER.toLowerCase(), 'code_verifier mismatch'],
    ['with one character less', VERIFIER.slice(0, -1), 'code_verifier malformed'],
    ['with one more character', `${VERIFIER}a`, 'code_verifier mismatch'],
    ['of 129 characters', 'x'.repeat(129), 'code_verifier malformed'],
    ['with a character that is not unreserved', VERIFIER.replace('d', '+'), 'code_verifier malformed'],
    ['with a line break', `${VERIFIER}\n`, 'code_verifier malformed'],
    ['that is missing', undefined, 'code_verifier missing'],
    ['that is empty', '', 'code_verifier missing'],
  ])('§4.6 a code_verifier %s is refused [4.5-1] [4.5-2] [4.6-2]', async (_which, verifier, detail) => {
    expectInvalidGrant(
      await redeem(site, publicClient, await codeFor(publicClient), { code_verifier: verifier }),
      detail,
    );
  });

  test('§4.6 a confidential client needs the code_verifier beside its secret [4.5-1] [4.6-2]', async () => {
    expectInvalidGrant(
      await redeem(site, confidential, await codeFor(confidential)),
      'code_verifier missing',
    );
  });

  test('§4.6 the code_verifier of another code of the client is refused [4.4-1] [4.6-2]', async () => {
    for (const client of [confidential, publicClient]) {
      const [one, two] = [createPkce(), createPkce()];
      const code = await codeFor(client, one.challenge);
      await codeFor(client, two.challenge);
      const refused = await redeem(site, client, code, { code_verifier: two.code_verifier });
      expectInvalidGrant(refused, 'code_verifier mismatch');
      expect((await redeem(site, client, code, { code_verifier: one.code_verifier })).status).toBe(200);
    }
  });

  test('§4.6 a repeated code_verifier is refused [4.5-1]', async () => {
    const response = await redeem(site, publicClient, await codeFor(publicClient), {
      code_verifier: [VERIFIER, VERIFIER],
    });
    expect(response.status).toBe(400);
    expect(response.body.error).toBe('invalid_request');
  });

  test('§4.5 a code_challenge_method in the token request is ignored [4.5-2] [7.2-1]', async () => {
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

describe('RFC 9700 §2.1.1 downgrade: a code_verifier without a code_challenge', () => {
  const DETAIL = 'code_verifier given, but the authorization request had no code_challenge';

  test('a code_verifier is refused if the authorization request had no code_challenge', async () => {
    expectInvalidGrant(
      await redeem(site, confidential, await obtainCode(site, confidential), { code_verifier: VERIFIER }),
      DETAIL,
    );
  });

  test('a confidential client may omit both the code_challenge and the code_verifier', async () => {
    expect((await redeem(site, confidential, await obtainCode(site, confidential))).status).toBe(200);
  });

  test('an empty code_verifier counts as omitted', async () => {
    expect(
      (await redeem(site, confidential, await obtainCode(site, confidential), { code_verifier: '' })).status,
    ).toBe(200);
  });
});

describe('§4.6 a code after a wrong code_verifier', () => {
  test.each([
    ['a wrong code_verifier', { code_verifier: createPkce().code_verifier }],
    ['a malformed code_verifier', { code_verifier: 'short' }],
    ['no code_verifier', {}],
  ])('§4.6 a code can be redeemed after a request with %s [4.6-1] [4.6-2]', async (_which, fields) => {
    const code = await codeFor(publicClient);
    for (let i = 0; i < 3; i += 1) expect((await redeem(site, publicClient, code, fields)).status).toBe(400);
    expect((await redeem(site, publicClient, code, { code_verifier: VERIFIER })).status).toBe(200);
  });

  test('§4.6 a second use of a code without the code_verifier does not revoke its tokens [4.6-2]', async () => {
    for (const client of [confidential, publicClient]) {
      const code = await codeFor(client);
      const { body } = await redeem(site, client, code, { code_verifier: VERIFIER });
      for (const fields of [{ code_verifier: createPkce().code_verifier }, {}])
        expect((await redeem(site, client, code, fields)).status).toBe(400);
      expect((await callApi(site, body.access_token)).status).toBe(200);
    }
  });

  test('RFC 6749 §4.1.2 a second use of a code with the code_verifier revokes its tokens', async () => {
    const code = await codeFor(publicClient);
    const { access_token: token } = (await redeem(site, publicClient, code, { code_verifier: VERIFIER }))
      .body;
    expect((await redeem(site, publicClient, code, { code_verifier: VERIFIER })).status).toBe(400);
    expect((await callApi(site, token)).status).toBe(401);
  });
});
