import { describe, expect, test } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader } from 'jose';

import { createProofKey } from '../../support/dpop.js';
import { authorizeAs, createFapiClient, redeemAs } from '../../support/fapi.js';
import { discover, openid } from '../../support/openid.js';
import { openSite } from '../../support/site.js';
import { siteFor } from '../../support/site-for.js';
import { obtainTokens } from '../../support/tokens.js';

/*
 * OpenID Connect Core §15.1 asks for RS256, FAPI 2.0 Security Profile §5.4.1-1 forbids it: nothing for clients of the
 * profile is signed with RS256, whether one client or the whole site has the profile.
 */
const algorithmOf = (jwt: unknown) => decodeProtectedHeader(String(jwt)).alg;

describe.each([
  ['of one client', { pushedRequests: true, dpop: true, signedResponses: true }, 'fapi2'],
  ['of the site', { profile: 'fapi2', signedResponses: true }, undefined],
] as const)('the profile %s with OpenID Connect', (_whose, options, profile) => {
  const site = siteFor(() => ({ ...options, openid }));

  test('a client with the profile fapi2 gets ID tokens and responses signed with ES256 [5.4.1-1]', async () => {
    const fapi = await createFapiClient(site, { profile });
    const back = await authorizeAs(fapi, { scope: 'openid' });
    const { body } = await redeemAs(fapi, back, await createProofKey());
    expect(algorithmOf((body as { id_token: string }).id_token)).toBe('ES256');
    const signed = await authorizeAs(fapi, { scope: 'openid', response_mode: 'jwt' });
    expect(algorithmOf(signed.location.searchParams.get('response'))).toBe('ES256');
  });

  test('an ID token has a nonce of 64 characters and the sub of the person [5.3.2.2-14] [5.3.2.3-1]', async () => {
    const fapi = await createFapiClient(site, { profile });
    const nonce = 'n'.repeat(64);
    const back = await authorizeAs(fapi, { scope: 'openid', nonce });
    const { body } = await redeemAs(fapi, back, await createProofKey());
    expect(decodeJwt((body as { id_token: string }).id_token)).toMatchObject({
      iss: site.url,
      aud: fapi.client.clientId,
      sub: 'ada',
      nonce,
    });
  });

  test('a client with the profile fapi2 cannot have RS256 for its signatures [5.4.1-1]', async () => {
    for (const name of [
      'idTokenSignedResponseAlg',
      'userinfoSignedResponseAlg',
      'authorizationSignedResponseAlg',
    ])
      await expect(createFapiClient(site, { profile, [name]: 'RS256' })).rejects.toThrow('RS256');
  });

  test('the metadata lists RS256 only if the site has clients without the profile fapi2', async () => {
    const supported = (await discover(site)).id_token_signing_alg_values_supported;
    if (profile === undefined) return expect(supported).toEqual(['ES256']);
    expect(supported).toEqual(['ES256', 'RS256']);
    const { id_token: token } = await obtainTokens(site, await site.client(), {
      query: { scope: 'openid' },
    });
    expect(algorithmOf(token)).toBe('RS256');
  });
});

test('a site that signs with RS256 cannot have a client with the profile fapi2 [5.4.1-1]', async () => {
  await using site = await openSite({
    pushedRequests: true,
    dpop: true,
    signingKeys: { algorithm: 'RS256', encryptionSecret: 'of the test, with its 32 characters' },
  });
  await expect(createFapiClient(site, { profile: 'fapi2' })).rejects.toThrow('signatures by PS256');
});
