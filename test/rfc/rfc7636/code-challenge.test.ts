import { describe, expect, test } from '@jest/globals';

import type { ClientWithSecret } from '../../../lib/index.js';
import {
  codeQuery,
  createPerson,
  locationOf,
  logInPerson,
  type Person,
  type Query,
} from '../../support/person.js';
import { openSite, REDIRECT_URI } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { createPkce, obtainCode, redeem, whoseGrantIs } from '../../support/tokens.js';

const site = siteFor();
const confidential = fixture(() => site.client());
const publicClient = fixture(() => site.client({ type: 'public' }));
const ada = fixture(() => logInPerson(site));

const { challenge } = createPkce();

async function ask(client: ClientWithSecret, query: Query, person = ada) {
  return person.openAuthorize(codeQuery(client, { state: 'xyz', ...query }));
}

async function expectInvalidRequest(
  client: ClientWithSecret,
  query: Query,
  description: string,
  person?: Person,
): Promise<void> {
  const location = locationOf(await ask(client, query, person));
  expect(`${location.origin}${location.pathname}`).toBe(REDIRECT_URI);
  expect(Object.fromEntries(location.searchParams)).toMatchObject({
    error: 'invalid_request',
    error_description: expect.stringContaining(description),
    state: 'xyz',
  });
  expect(location.searchParams.has('code')).toBe(false);
}

describe('§4.3 the challenge of an authorization request', () => {
  test('§4.2 a code_challenge with S256 is accepted from each client [4.2-1]', async () => {
    for (const client of [confidential, publicClient])
      expect((await ask(client, challenge)).status).toBe(200);
  });

  test('§4.4 the code_challenge is stored with the code, and is not a part of the code [4.4-1] [4.4-2]', async () => {
    const code = await obtainCode(site, confidential, { query: challenge });
    const grant = await site.database.collection('oauth_grants').findOne(whoseGrantIs(code));
    expect(grant?.code).toMatchObject({ codeChallenge: challenge.code_challenge });
    expect(code).not.toContain(challenge.code_challenge);
    expect(Buffer.from(code.slice(7), 'base64url').toString('latin1')).not.toContain(
      Buffer.from(challenge.code_challenge, 'base64url').toString('latin1'),
    );
  });

  test('§4.4 the code_challenge is not in the redirect to the client [4.4-2]', async () => {
    const location = await ada.authorize(codeQuery(confidential, challenge));
    expect([...location.searchParams.keys()].sort()).toEqual(['code', 'iss']);
    expect(location.href).not.toContain(challenge.code_challenge);
  });

  test.each([
    ['the method plain (RFC 9700 §2.1.1)', { code_challenge_method: 'plain' }],
    ['a missing method (§4.3)', { code_challenge_method: undefined }],
    ['an empty method', { code_challenge_method: '' }],
    ['the method s256 in lower case', { code_challenge_method: 's256' }],
    ['the method S512', { code_challenge_method: 'S512' }],
    ['the method S256 with a space', { code_challenge_method: 'S256 ' }],
    ['the method constructor', { code_challenge_method: 'constructor' }],
  ])('§4.4.1 a code_challenge with %s is refused [4.4.1-3] [4.4.1-4] [7.2-1]', async (_what, method) => {
    for (const client of [confidential, publicClient])
      await expectInvalidRequest(client, { ...challenge, ...method }, 'transform algorithm not supported');
  });

  test.each([
    ['that is too short', 'x'.repeat(42)],
    ['that is too long', 'x'.repeat(44)],
    ['that is padded', `${'x'.repeat(42)}=`],
    ['with a character of base64 alone', `${'x'.repeat(42)}+`],
    ['with a space', `${'x'.repeat(42)} `],
    ['with a line break', `${'x'.repeat(43)}\n`],
    ['with a character outside ASCII', `${'x'.repeat(42)}ü`],
  ])('§4.2 a code_challenge %s is refused [4.2-1]', async (_how, given) => {
    await expectInvalidRequest(
      confidential,
      { code_challenge: given, code_challenge_method: 'S256' },
      'base64url',
    );
  });

  test('§4.3 a code_challenge_method without a code_challenge is refused [4.3-1]', async () => {
    await expectInvalidRequest(
      confidential,
      { code_challenge_method: 'S256' },
      'code_challenge_method without code_challenge',
    );
  });
});

describe('§4.4.1 required challenges', () => {
  test('§4.4.1 a public client always needs a code_challenge [4.4.1-1] [4.4.1-2]', async () => {
    await expectInvalidRequest(publicClient, {}, 'code challenge required');
  });

  test('§4.4.1 an empty code_challenge counts as missing [4.4.1-1]', async () => {
    await expectInvalidRequest(publicClient, { code_challenge: '' }, 'code challenge required');
  });

  test('§4.4.1 a missing code_challenge is reported with prompt=none, even if nobody is logged in [4.4.1-1]', async () => {
    const nobody = createPerson(site);
    await expectInvalidRequest(publicClient, { prompt: 'none' }, 'code challenge required', nobody);
  });

  test('§5 a confidential client needs no code_challenge by default', async () => {
    expect((await ask(await site.client(), {})).status).toBe(200);
  });

  test("§4.4.1 each client needs a code_challenge with pkce: 'all' [4.4.1-1] [4.4.1-2]", async () => {
    await using strict = await openSite({ security: { pkce: 'all' }, database: site.database });
    const person = await logInPerson(strict);
    await expectInvalidRequest(confidential, {}, 'code challenge required', person);
    const { code_verifier: verifier, challenge: given } = createPkce();
    const code = await obtainCode(strict, confidential, { query: given });
    expect((await redeem(strict, confidential, code, { code_verifier: verifier })).status).toBe(200);
  });

  test("§4.4.1 no client needs a code_challenge with pkce: 'optional', but a challenge has to be met [4.4.1-1]", async () => {
    await using lax = await openSite({ security: { pkce: 'optional' }, database: site.database });
    for (const client of [publicClient, confidential]) {
      const plain = await obtainCode(lax, client, { query: {} });
      expect((await redeem(lax, client, plain)).status).toBe(200);
      const { code_verifier: verifier, challenge: given } = createPkce();
      for (const [sent, status] of [
        [{}, 400],
        [{ code_verifier: createPkce().code_verifier }, 400],
        [{ code_verifier: verifier }, 200],
      ] as const) {
        const code = await obtainCode(lax, client, { query: given });
        expect((await redeem(lax, client, code, sent)).status).toBe(status);
      }
    }
  });
});
