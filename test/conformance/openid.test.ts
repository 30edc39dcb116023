import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { exportJWK, generateKeyPair } from 'jose';
import * as client from 'openid-client';

import { PERSON } from './people.js';
import { codeRequest, openSuite, shareCredentials, type Suite } from './support/open-suite.js';

/* The hosts of OpenID Connect, reached by the printed configuration alone; openid-client in the place of the suite. */

const credentials = shareCredentials();
const containing = (...names: string[]): unknown => expect.arrayContaining(names);
const https: unknown = expect.stringMatching(/^https:/);

let suite: Suite;
function open(name: string): void {
  beforeAll(async () => {
    suite = await openSuite(credentials(), name);
  });
  afterAll(() => suite.close());
}

async function metadataOf({ configuration, fetchAs }: Suite): Promise<Record<string, unknown>> {
  const answer = await fetchAs()(configuration.server.discoveryUrl);
  return (await answer.json()) as Record<string, unknown>;
}

/** OpenID Connect Discovery §3, as the suite checks it in each plan. */
async function expectProvider(more: object): Promise<void> {
  expect(await metadataOf(suite)).toMatchObject({
    issuer: suite.host.issuer,
    authorization_endpoint: https,
    token_endpoint: https,
    userinfo_endpoint: https,
    jwks_uri: https,
    response_types_supported: containing('code'),
    subject_types_supported: containing('public'),
    id_token_signing_alg_values_supported: containing('RS256'),
    scopes_supported: containing('openid'),
    claims_supported: containing('sub', 'email'),
    claims_parameter_supported: true,
    ...more,
  });
}

/** Logs in and allows by the commands of the configuration; resolves to the destination of the answer. */
async function authorize(as: client.Configuration, more = {}, browser = suite.openBrowser()) {
  const { parameters, checks } = await codeRequest(suite, more);
  const visit = await browser.visit(client.buildAuthorizationUrl(as, parameters));
  return { browser, visit, checks };
}

async function signIn(as: client.Configuration) {
  const { browser, visit, checks } = await authorize(as);
  const tokens = await client.authorizationCodeGrant(as, visit.url, checks);
  expect(tokens.claims()?.sub).toBe(PERSON);
  return { browser, visit, tokens };
}

/** The metadata of the static plans, with their response types and the members of their answers. */
const STATIC: [name: string, metadata: object, requested: object, answer: string[]][] = [
  ['basic', { acr_values_supported: expect.any(Array) }, {}, ['code']],
  [
    'implicit',
    {
      response_types_supported: containing('id_token', 'id_token token'),
      grant_types_supported: containing('implicit'),
    },
    { response_type: 'id_token' },
    ['id_token'],
  ],
  [
    'hybrid',
    { response_types_supported: containing('code id_token', 'code token', 'code id_token token') },
    { response_type: 'code id_token' },
    ['code', 'id_token'],
  ],
  [
    'form-post',
    {
      response_modes_supported: containing('form_post'),
      // the suite skips a module if its response mode is in an unsigned request object
      request_object_signing_alg_values_supported: expect.not.arrayContaining(['none']),
    },
    { response_mode: 'form_post' },
    ['code'],
  ],
  ['rp-initiated-logout', { end_session_endpoint: https }, {}, ['code']],
  [
    'session-management',
    { end_session_endpoint: https, check_session_iframe: https },
    {},
    ['code', 'session_state'],
  ],
  [
    'front-channel-logout',
    { frontchannel_logout_supported: true, frontchannel_logout_session_supported: true },
    {},
    ['code'],
  ],
  [
    'back-channel-logout',
    { backchannel_logout_supported: true, backchannel_logout_session_supported: true },
    {},
    ['code'],
  ],
];

describe.each(STATIC)('%s', (name, metadata, requested, names) => {
  open(name);

  test(`${name}: the metadata and the clients fulfil the plan`, async () => {
    await expectProvider(metadata);
    const { configuration, host, url } = suite;
    for (const member of ['client', 'client2', 'client_secret_post'] as const) {
      const { client_id: clientId, client_secret: secret } = configuration[member]!;
      expect(await host.oauth.clients.find(clientId!)).toMatchObject({
        redirectUris: [`${url}/callback`],
        tokenEndpointAuthMethod: member === 'client_secret_post' ? member : 'client_secret_basic',
        scopes: containing('openid', 'profile', 'email', 'address', 'phone', 'offline_access'),
        ...(name === 'front-channel-logout' && { frontchannelLogoutUri: `${url}/frontchannel_logout` }),
        ...(name === 'back-channel-logout' && { backchannelLogoutUri: `${url}/backchannel_logout` }),
      });
      expect(secret).toHaveLength(43);
    }
  });

  test(`${name}: the browser commands lead to the answer`, async () => {
    const { visit } = await authorize(await suite.discover(), requested);
    expect(visit.done).toEqual(containing('Log in', 'Allow, if that is the question'));
    expect(visit.done.at(-1)).toContain('Back');
    const answer = visit.form ?? new URLSearchParams(visit.url.hash.slice(1) || visit.url.search);
    expect([...answer.keys()]).toEqual(containing('state', ...names));
  });
});

describe('the modules of basic', () => {
  open('basic');

  test('basic: clients of both secret methods get tokens and each claim', async () => {
    const as = await suite.discover();
    const { tokens } = await signIn(as);
    expect(await client.fetchUserInfo(as, tokens.access_token, PERSON)).toMatchObject({
      email_verified: true,
      birthdate: expect.stringMatching(/^(18[5-9]|19)\d/),
    });
    expect(tokens.refresh_token).toBeDefined();
    const { client_id: clientId, client_secret: secret } = suite.configuration.client_secret_post!;
    const post = await client.discovery(
      new URL(suite.host.issuer),
      clientId!,
      undefined,
      client.ClientSecretPost(secret),
      { [client.customFetch]: suite.fetchAs() },
    );
    await signIn(post);
  });

  test('basic: an unregistered redirect URI gives a picture of the error page', async () => {
    const { parameters } = await codeRequest(suite, { redirect_uri: `${suite.url}/other` });
    const { href } = client.buildAuthorizationUrl(await suite.discover(), parameters);
    // as the suite writes it: the address of the error page has that of the suite in it
    const visit = await suite.openBrowser().visit(href.replaceAll('%3A', ':').replaceAll('%2F', '/'));
    expect([visit.status, visit.done.some((task) => task.startsWith('Back'))]).toEqual([400, false]);
    expect(visit.pictures).toEqual([expect.stringContaining('has not registered')]);
  });

  test.each([
    ['oidcc-prompt-login', { prompt: 'login' }],
    ['oidcc-max-age-1', { max_age: '0' }],
  ])('basic: %s takes a picture of the page for a new login', async (module, again) => {
    const as = await suite.discover();
    const { browser } = await authorize(as, {}, suite.openBrowser(module));
    const { visit } = await authorize(as, again, browser);
    expect(visit.pictures).toEqual([expect.stringContaining('Please log in again')]);
    expect(visit.url.searchParams.has('code')).toBe(true);
  });
});

describe('config', () => {
  open('config');

  test('config: the metadata are complete, and there is no client', async () => {
    await expectProvider({});
    expect(Object.keys(suite.configuration).sort()).toEqual(['alias', 'browser', 'description', 'server']);
  });
});

describe.each(['dynamic', 'third-party-initiated-login'])('%s', (name) => {
  open(name);

  async function register(metadata: Partial<client.ClientMetadata>) {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    return client.dynamicClientRegistration(
      new URL(suite.host.issuer),
      {
        client_name: suite.configuration.client!.client_name!,
        redirect_uris: [`${suite.url}/callback`],
        token_endpoint_auth_method: 'private_key_jwt',
        jwks: { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', use: 'sig' }] },
        ...metadata,
      },
      client.PrivateKeyJwt({ key: privateKey, kid: 'one' }),
      { [client.customFetch]: suite.fetchAs() },
    );
  }

  test(`${name}: the metadata fulfil the plan`, () =>
    expectProvider({
      registration_endpoint: https,
      response_types_supported: containing('code', 'id_token', 'id_token token'),
      request_uri_parameter_supported: true,
      subject_types_supported: ['public', 'pairwise'],
    }));

  test(`${name}: a self-registered client with an initiate_login_uri signs a user in`, async () => {
    const uri = 'https://suite.example/initiate_login';
    const as = await register({ initiate_login_uri: uri });
    expect(as.clientMetadata().initiate_login_uri).toBe(uri);
    await signIn(as);
  });

  (name === 'dynamic' ? test : test.skip).each([
    ['tos', 'Terms of service', 'https://openid.net'],
    ['policy', 'Privacy policy', 'https://localhost:8443/policy'],
  ])('the %s_uri of a client is a link in the picture, as the suite names it', async (kind, label, page) => {
    const browser = suite.openBrowser(`oidcc-registration-${kind}-uri`);
    const { visit } = await authorize(await register({ [`${kind}_uri`]: page }), {}, browser);
    expect(visit.pictures).toEqual([expect.stringContaining(label)]);
    expect(visit.text).toContain(`href="${page}"`);
  });
});

describe('the browser commands of the logout', () => {
  open('rp-initiated-logout');

  async function beginLogout(path: string) {
    const as = await suite.discover();
    const { browser, tokens } = await signIn(as);
    const address = client.buildEndSessionUrl(as, {
      id_token_hint: tokens.id_token!,
      post_logout_redirect_uri: `${suite.url}/${path}`,
      state: 'of-the-logout',
    });
    return { browser, address };
  }

  test('logout: the user returns to the client with its state', async () => {
    const { browser, address } = await beginLogout('post_logout_redirect');
    const { url } = await browser.visit(address);
    expect(url.href).toBe(`${suite.url}/post_logout_redirect?state=of-the-logout`);
  });

  test('logout: the last page is the picture for missing and wrong parameters', async () => {
    const { browser, address } = await beginLogout('bad');
    expect((await browser.visit(address)).pictures).toEqual([expect.stringContaining('is invalid')]);
    const { pictures } = await browser.visit(address.origin + address.pathname);
    expect(pictures).toEqual([expect.stringContaining('You are logged out')]);
  });
});

describe('session-management, in its module with frames', () => {
  open('session-management');

  test("session-management has no browser commands, as the suite's browser cannot run them", () => {
    const { override } = suite.configuration;
    expect(override).toEqual({ 'oidcc-session-management-rp-initiated-logout': { browser: [] } });
  });
});
