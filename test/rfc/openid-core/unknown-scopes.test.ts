import { describe, expect, test } from '@jest/globals';

import type { ClientWithSecret } from '../../../lib/index.js';
import { DEVICE_CODE, deviceRequest } from '../../support/device.js';
import { openid } from '../../support/openid.js';
import { codeQuery, logInPerson } from '../../support/person.js';
import { pushed } from '../../support/pushed-requests.js';
import { register } from '../../support/registration.js';
import { openSite, REDIRECT_URI, SCOPES, type Site } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { obtainTokens, refreshTokens, tokenRequest } from '../../support/tokens.js';

const RESOURCE = 'https://api.example';

/** A site of plain OAuth. */
const plain = siteFor();
/** A site with OpenID Connect, devices and pushed requests. */
const site = siteFor({
  openid,
  pushedRequests: true,
  registration: { open: true, scopes: ['openid', 'photos:read'] },
  scopes: { 'photos:read': SCOPES['photos:read'], 'photos:write': SCOPES['photos:write'] },
  grantTypes: ['authorization_code', 'refresh_token', 'client_credentials', DEVICE_CODE],
});
const client = fixture(() => site.client());
/** A client that is registered for `photos:read` alone. */
const narrow = fixture(() => site.client({ scopes: ['openid', 'photos:read'] }));

const scopeOf = async (at: Site, by: ClientWithSecret, scope: string) =>
  (await obtainTokens(at, by, { query: { scope } })).scope.split(' ').sort();
const errorOf = async (at: Site, by: ClientWithSecret, scope: string) => {
  const person = await logInPerson(at);
  const answer = await person.authorize(codeQuery(by, { scope }));
  return answer.searchParams.get('error');
};

describe('§3.1.2.1 unknown scopes', () => {
  test.each([
    ['photos:read offline_access', ['photos:read']],
    ['openid photos:read profile email', ['photos:read', 'profile']],
    ['user:email photos:read', ['photos:read']],
    ['photos:read __proto__ constructor', ['photos:read']],
  ])('unknown scopes of %s are omitted without OpenID [3.1.2.1-13]', async (scope, expected) => {
    expect(await scopeOf(plain, await plain.client(), scope)).toEqual(expected);
  });

  test('an openid scope that the site does not support signs nobody in', async () => {
    const tokens = await obtainTokens(plain, await plain.client(), {
      query: { scope: 'openid photos:read' },
    });
    expect(tokens).not.toHaveProperty('id_token');
  });

  test('an unknown scope beside openid is omitted [3.1.2.1-13]', async () => {
    expect(await scopeOf(site, client, 'openid profile email groups')).toEqual([
      'email',
      'openid',
      'profile',
    ]);
  });

  test('the consent page omits unknown scopes', async () => {
    const person = await logInPerson(site);
    const { text } = await person.openAuthorize(codeQuery(client, { scope: 'photos:read groups' }));
    expect(text).toContain(`<bdi>${SCOPES['photos:read']}`);
    expect(text).not.toContain('<bdi>groups');
  });

  test.each(['groups', 'groups user:email', 'offline_access'])('the scope %s alone fails', async (scope) => {
    expect(await errorOf(plain, await plain.client(), scope)).toBe('invalid_scope');
  });

  test('the PAR endpoint ignores unknown scopes [3.1.2.1-13]', async () => {
    const query = await pushed(site, client, {
      response_type: 'code',
      redirect_uri: REDIRECT_URI,
      scope: 'photos:read groups',
    });
    const person = await logInPerson(site);
    expect((await person.authorize(query)).searchParams.get('code')).toMatch(/./);
  });

  test('client credentials and device requests ignore unknown scopes [3.1.2.1-13]', async () => {
    const { body } = await tokenRequest(site, client, {
      grant_type: 'client_credentials',
      scope: 'photos:read groups',
    });
    expect(body.scope).toBe('photos:read');
    expect((await deviceRequest(site, client, { scope: 'openid groups' })).status).toBe(200);
  });

  test('a refresh ignores unknown scopes, and refuses scopes outside the grant [3.1.2.1-13]', async () => {
    const { refresh_token } = await obtainTokens(site, client, {
      query: { scope: 'openid photos:read groups' },
    });
    const requested = (token: string, scope: string) => refreshTokens(site, client, token, { scope });
    const { body } = await requested(refresh_token, 'photos:read groups offline_access');
    expect(body.scope).toBe('photos:read');
    const wider = await requested(body.refresh_token as string, 'photos:read photos:write');
    expect([wider.status, wider.body.error]).toEqual([400, 'invalid_scope']);
    const nothing = await requested(body.refresh_token as string, 'groups');
    expect([nothing.status, nothing.body.error]).toEqual([400, 'invalid_scope']);
  });
});

describe('§3.1.2.1 scopes outside the registration of the client', () => {
  test('a scope outside the registration of the client is refused, whatever other scopes are requested', async () => {
    for (const scope of ['photos:write', 'photos:read photos:write', 'photos:read email groups'])
      expect(await errorOf(site, narrow, scope)).toBe('invalid_scope');
  });

  test('offline_access outside the registration of the client is omitted, and a refresh token is issued', async () => {
    const tokens = await obtainTokens(site, narrow, {
      query: { scope: 'openid photos:read offline_access' },
    });
    expect(tokens.scope.split(' ').sort()).toEqual(['openid', 'photos:read']);
    expect(tokens.refresh_token).toMatch(/./);
    expect(await errorOf(site, narrow, 'offline_access')).toBe('invalid_scope');
  });

  test('grants.create refuses unknown scopes', async () => {
    const grant = (scopes: string[]) =>
      site.oauth.grants.create({ clientId: narrow.clientId, userId: 'ada', scopes });
    await expect(grant(['photos:read', 'photos:reed'])).rejects.toMatchObject({ error: 'invalid_scope' });
    await expect(grant(['photos:read', 'offline_access'])).rejects.toMatchObject({ error: 'invalid_scope' });
    expect((await grant(['photos:read'])).scopes).toEqual(['photos:read']);
  });
});

describe('RFC 7591 §2 scopes of a registration', () => {
  const registeredFor = async (scope: string) => {
    const { status, body } = await register(site, { redirect_uris: [REDIRECT_URI], scope });
    return [status, body.scope ?? body.error];
  };

  test('a registration omits unknown scopes, and gets the default scopes if no scope is left', async () => {
    expect(await registeredFor('photos:read groups')).toEqual([201, 'photos:read']);
    expect(await registeredFor('claudeai')).toEqual([201, 'openid photos:read']);
  });

  test('a registration with only forbidden scopes is refused', async () => {
    expect(await registeredFor('photos:write')).toEqual([400, 'invalid_client_metadata']);
  });
});

test('an agent that adds offline_access to its scopes gets the consent page', async () => {
  await using agents = await openSite({ agents: true, resources: { [RESOURCE]: {} } });
  const { body } = await register(agents, {
    redirect_uris: [REDIRECT_URI],
    token_endpoint_auth_method: 'none',
    scope: 'photos:read offline_access',
  });
  const person = await logInPerson(agents);
  const page = await person.openAuthorize({
    response_type: 'code',
    client_id: body.client_id as string,
    redirect_uri: REDIRECT_URI,
    resource: RESOURCE,
    scope: 'photos:read offline_access',
    code_challenge: 'a'.repeat(43),
    code_challenge_method: 'S256',
  });
  expect(page.status).toBe(200);
  expect(page.text).toContain('consent-allow');
});
