import { randomBytes } from 'node:crypto';

import { describe, expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';
import type { Schema } from 'mongoose';

import type { ExtensionGrantType } from '../../lib/index.js';
import { actingAs } from '../../lib/testing.js';
import { codeQuery, logInPerson } from '../support/person.js';
import { openSite, type SiteOptions } from '../support/site.js';
import { siteFor } from '../support/site-for.js';
import { callApi, obtainTokens, tokenRequest } from '../support/tokens.js';

const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const signingKeys = { encryptionSecret: randomBytes(32).toString('base64') };
const ownGrant = (grantType: string, parameters: readonly string[] = []): ExtensionGrantType => ({
  grantType,
  parameters,
  handle: ({ parameters: sent }) => ({ userId: 'ada', extra: { sent } }),
});

describe('names of features that are off', () => {
  // each is a parameter of a feature that is off here
  const PARAMETERS = ['subject_token', 'assertion', 'device_code', 'authorization_details', 'dpop_jkt'];
  const site = siteFor({
    grantTypes: ['authorization_code', ownGrant(TOKEN_EXCHANGE, PARAMETERS), ownGrant(JWT_BEARER)],
    scopes: { openid: 'Open the album', profile: 'See your profile', offline_access: 'Print without you' },
    tokens: {
      accessTokenFormat: 'jwt',
      accessTokenClaims: () => ({ acr: 'gold', amr: ['gift'], auth_time: 1 }),
    },
    signingKeys,
    personalAccessTokens: true,
  });

  test.each([TOKEN_EXCHANGE, JWT_BEARER])('a site may use an off grant type: %s', async (grantType) => {
    const answer = await tokenRequest(site, await site.client(), { grant_type: grantType });
    expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  });

  test.each(PARAMETERS)('a site may use a parameter of an off feature: %s', async (parameter) => {
    const fields = { grant_type: TOKEN_EXCHANGE, [parameter]: 'of the site' };
    const { body } = await tokenRequest(site, await site.client(), fields);
    expect((await callApi(site, body.access_token as string)).body).toMatchObject({
      extra: { sent: { [parameter]: 'of the site' } },
    });
  });

  test('a site may define the scopes openid, profile and offline_access without OpenID', async () => {
    const client = await site.client({ name: 'Print Shop' });
    const ada = await logInPerson(site);
    const { text } = await ada.openAuthorize(codeQuery(client, { scope: 'openid profile' }));
    expect(text).toContain('to access your account');
    expect(text).not.toContain('Sign in to');
    const tokens = await obtainTokens(site, client, { query: { scope: 'openid profile offline_access' } });
    expect(tokens.scope).toBe('openid profile offline_access');
    const { Authorization } = await actingAs(site.oauth, 'ada', undefined, { kind: 'personal' });
    const { body } = await callApi(site, Authorization.replace('Bearer ', ''));
    expect(body).toMatchObject({ scopes: ['openid', 'profile', 'offline_access'] });
  });

  test('a site may define the claims acr, amr and auth_time without OpenID', async () => {
    const { access_token: token } = await obtainTokens(site, await site.client());
    expect(decodeJwt(token)).toMatchObject({ acr: 'gold', amr: ['gift'], auth_time: 1 });
  });
});

describe('reserved names', () => {
  test.each<[string, SiteOptions, string]>([
    [
      'grant type of a feature that is on',
      { tokenExchange: {}, grantTypes: [ownGrant(TOKEN_EXCHANGE)] },
      `'${TOKEN_EXCHANGE}' is built in`,
    ],
    // the authorization endpoint, refresh and the device page read these names
    ...['authorization_code', 'refresh_token', 'client_credentials', 'implicit', 'password'].map(
      (name): [string, SiteOptions, string] => [
        `grant type ${name}`,
        { grantTypes: [ownGrant(name)] },
        `'${name}' is built in`,
      ],
    ),
    // one model serves all servers of a connection and the command line, and stored documents outlive an option
    ...['mayExchange', 'backchannelLogoutUri', 'tlsClientAuthSubjectDn'].map(
      (name): [string, SiteOptions, string] => [
        `client field ${name}, although its feature is off`,
        { schemas: { client: (schema: Schema) => schema.add({ [name]: String }) } },
        `the field ${name} of oauth_clients is ours`,
      ],
    ),
  ])('a site cannot define the reserved name: %s', async (_name, options, message) => {
    await expect(openSite(options)).rejects.toThrow(message);
  });

  test('a site cannot set claims that guards of other processes read', async () => {
    const claims = ['act', 'may_act', 'cnf', 'token_kind', 'authorization_details', 'authorization_choices'];
    const accessTokenClaims = () => Object.fromEntries(claims.map((claim) => [claim, 'of the site']));
    await using site = await openSite({
      signingKeys,
      tokens: { accessTokenFormat: 'jwt', accessTokenClaims },
    });
    const { access_token: token } = await obtainTokens(site, await site.client());
    expect(Object.keys(decodeJwt(token)).filter((claim) => claims.includes(claim))).toEqual([]);
  });
});
