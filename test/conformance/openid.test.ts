import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createRemoteJWKSet, customFetch, decodeJwt, exportJWK, generateKeyPair, jwtVerify } from 'jose';
import * as client from 'openid-client';

import { until } from '../support/until.js';
import { PERSON } from './people.js';
import { codeRequest, openSuite, shareCredentials, type Suite } from './support/open-suite.js';

/* The hosts of OpenID Connect, known by the printed configuration alone; openid-client in the place of the suite. */

const credentials = shareCredentials();

/** The host of a profile for the tests of a `describe`. */
function hostOf(name: string, options?: Parameters<typeof openSuite>[2]): () => Suite {
  let suite: Suite;
  beforeAll(async () => {
    suite = await openSuite(credentials(), name, options);
  });
  afterAll(() => suite.close());
  return () => suite;
}

async function metadataOf({ configuration, fetchAs }: Suite): Promise<Record<string, unknown>> {
  const answer = await fetchAs()(configuration.server.discoveryUrl);
  return (await answer.json()) as Record<string, unknown>;
}

/** OpenID Connect Discovery §3, as the suite checks it in each plan. */
async function expectProvider(suite: Suite): Promise<Record<string, unknown>> {
  const metadata = await metadataOf(suite);
  expect(metadata).toMatchObject({
    issuer: suite.host.issuer,
    response_types_supported: expect.arrayContaining(['code']),
    subject_types_supported: expect.arrayContaining(['public']),
    id_token_signing_alg_values_supported: expect.arrayContaining(['RS256']),
    scopes_supported: expect.arrayContaining(['openid']),
    claims_supported: expect.arrayContaining(['sub', 'email']),
    claims_parameter_supported: true,
  });
  for (const name of ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri'])
    expect(metadata[name]).toMatch(/^https:/);
  return metadata;
}

/** The three clients of static plans are registered as the configuration says, and the metadata are whole. */
function testStaticClients(suite: () => Suite): void {
  test('the metadata and the clients are as the plan needs them', async () => {
    const { configuration, host, url } = suite();
    await expectProvider(suite());
    for (const member of ['client', 'client2', 'client_secret_post'] as const) {
      const { client_id: clientId, client_secret: secret } = configuration[member]!;
      expect(await host.oauth.clients.find(clientId!)).toMatchObject({
        redirectUris: [`${url}/callback`],
        tokenEndpointAuthMethod: member === 'client_secret_post' ? member : 'client_secret_basic',
        scopes: expect.arrayContaining(['openid', 'profile', 'email', 'address', 'phone', 'offline_access']),
      });
      expect(secret).toHaveLength(43);
    }
  });
}

/** Logs in and allows by the commands of the configuration; resolves to where the answer went. */
async function authorize(suite: Suite, as: client.Configuration, more = {}) {
  const { parameters, checks } = await codeRequest(suite, more);
  const browser = suite.openBrowser();
  const visit = await browser.visit(client.buildAuthorizationUrl(as, parameters));
  return { browser, visit, checks };
}

async function signIn(suite: Suite, as: client.Configuration) {
  const { browser, visit, checks } = await authorize(suite, as);
  return { browser, visit, tokens: await client.authorizationCodeGrant(as, visit.url, checks) };
}

describe('config', () => {
  const suite = hostOf('config');

  test('the metadata are whole, and there is no client', async () => {
    await expectProvider(suite());
    expect(Object.keys(suite().configuration).sort()).toEqual(['alias', 'browser', 'description', 'server']);
  });
});

describe('basic', () => {
  const suite = hostOf('basic');
  testStaticClients(suite);

  test('the code flow, userinfo with each claim, and refresh, by client_secret_basic and client_secret_post', async () => {
    const as = await suite().discover();
    const { tokens, visit } = await signIn(suite(), as);
    expect(visit.done).toEqual(['Log in', 'Allow, if that is the question', expect.stringContaining('Back')]);
    expect(tokens.claims()).toMatchObject({ sub: PERSON });
    expect(await client.fetchUserInfo(as, tokens.access_token, PERSON)).toMatchObject({
      email_verified: true,
      birthdate: expect.stringMatching(/^(18[5-9]|19)\d/),
    });
    expect((await client.refreshTokenGrant(as, tokens.refresh_token!)).access_token).toBeDefined();
    const { client_id: clientId, client_secret: secret } = suite().configuration.client_secret_post!;
    const post = await client.discovery(
      new URL(suite().host.issuer),
      clientId!,
      undefined,
      client.ClientSecretPost(secret),
      { [client.customFetch]: suite().fetchAs() },
    );
    expect((await signIn(suite(), post)).tokens.access_token).toBeDefined();
  });

  test('the ID token says the class of login that is published and was asked for', async () => {
    const as = await suite().discover();
    const [acr_values] = (await metadataOf(suite())).acr_values_supported as string[];
    const { visit, checks } = await authorize(suite(), as, { acr_values });
    const tokens = await client.authorizationCodeGrant(as, visit.url, checks);
    expect(tokens.claims()?.acr).toBe(acr_values);
  });

  test('an unregistered redirect URI is a picture of the error page', async () => {
    const redirect_uri = `${suite().url}/other`;
    const { parameters } = await codeRequest(suite(), { redirect_uri });
    const { href } = client.buildAuthorizationUrl(await suite().discover(), parameters);
    // as the suite writes it: the address of the error page has that of the suite in it
    const visit = await suite().openBrowser().visit(href.replaceAll('%3A', ':').replaceAll('%2F', '/'));
    expect([visit.status, visit.done.some((task) => task.startsWith('Back'))]).toEqual([400, false]);
    expect(visit.pictures).toEqual([expect.stringContaining('has not registered')]);
  });

  test.each([
    ['oidcc-prompt-login', { prompt: 'login' }],
    ['oidcc-max-age-1', { max_age: '0' }],
  ])('%s takes a picture of the page that asks to log in again', async (module, again) => {
    const as = await suite().discover();
    const browser = suite().openBrowser(module);
    const first = await codeRequest(suite());
    await browser.visit(client.buildAuthorizationUrl(as, first.parameters));
    const second = await codeRequest(suite(), again);
    const { url, pictures } = await browser.visit(client.buildAuthorizationUrl(as, second.parameters));
    expect(pictures).toEqual([expect.stringContaining('Please log in again')]);
    const tokens = await client.authorizationCodeGrant(as, url, { ...second.checks, maxAge: 60 });
    expect(tokens.claims()?.auth_time).toBeDefined();
  });
});

describe('implicit', () => {
  const suite = hostOf('implicit');
  testStaticClients(suite);

  test('an ID token from the authorization endpoint', async () => {
    expect(await metadataOf(suite())).toMatchObject({
      response_types_supported: expect.arrayContaining(['id_token', 'id_token token']),
      grant_types_supported: expect.arrayContaining(['implicit']),
    });
    const as = await suite().discover();
    client.useIdTokenResponseType(as);
    const { visit, checks } = await authorize(suite(), as);
    const claims = await client.implicitAuthentication(as, visit.url, checks.expectedNonce, checks);
    expect(claims.sub).toBe(PERSON);
  });
});

describe('hybrid', () => {
  const suite = hostOf('hybrid');
  testStaticClients(suite);

  test('a code and an ID token beside it', async () => {
    expect((await metadataOf(suite())).response_types_supported).toEqual(
      expect.arrayContaining(['code id_token', 'code token', 'code id_token token']),
    );
    const as = await suite().discover();
    client.useCodeIdTokenResponseType(as);
    const { visit, checks } = await authorize(suite(), as);
    const tokens = await client.authorizationCodeGrant(as, visit.url, checks);
    expect(tokens.claims()?.sub).toBe(PERSON);
  });
});

describe('form-post', () => {
  const suite = hostOf('form-post');
  testStaticClients(suite);

  test('the answer comes by a form', async () => {
    const metadata = await metadataOf(suite());
    expect(metadata.response_modes_supported).toContain('form_post');
    // why the suite skips the module whose response mode is in an unsigned request object
    expect(metadata.request_object_signing_alg_values_supported).not.toContain('none');
    const as = await suite().discover();
    const { visit, checks } = await authorize(suite(), as, { response_mode: 'form_post' });
    expect(visit.url.search).toBe('');
    const posted = new Request(visit.url, { method: 'POST', body: visit.form! });
    const tokens = await client.authorizationCodeGrant(as, posted, checks);
    expect(tokens.claims()?.sub).toBe(PERSON);
  });
});

/** Registers a client with a key of its own, as the suite does. */
async function register(
  { host, configuration, url, fetchAs }: Suite,
  metadata: Partial<client.ClientMetadata>,
) {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  return client.dynamicClientRegistration(
    new URL(host.issuer),
    {
      client_name: configuration.client!.client_name!,
      redirect_uris: [`${url}/callback`],
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', use: 'sig' }] },
      ...metadata,
    },
    client.PrivateKeyJwt({ key: privateKey, kid: 'one' }),
    { [client.customFetch]: fetchAs() },
  );
}

describe('dynamic', () => {
  const suite = hostOf('dynamic');

  test('the metadata are as the plan needs them', async () => {
    expect(await expectProvider(suite())).toMatchObject({
      registration_endpoint: expect.stringMatching(/^https:/),
      response_types_supported: expect.arrayContaining(['code', 'id_token', 'id_token token']),
      request_uri_parameter_supported: true,
      subject_types_supported: ['public', 'pairwise'],
    });
  });

  test('a client that registers itself signs a person in', async () => {
    const { tokens } = await signIn(suite(), await register(suite(), {}));
    expect(tokens.claims()?.sub).toBe(PERSON);
  });

  test.each([
    ['tos', 'Terms of service', 'https://openid.net'],
    ['policy', 'Privacy policy', 'https://localhost:8443/policy'],
  ])('the %s_uri of a client is a link in the picture, as the suite names it', async (name, label, page) => {
    const as = await register(suite(), { [`${name}_uri`]: page });
    const { parameters } = await codeRequest(suite());
    const browser = suite().openBrowser(`oidcc-registration-${name}-uri`);
    const { text, pictures } = await browser.visit(client.buildAuthorizationUrl(as, parameters));
    expect(pictures).toEqual([expect.stringContaining(label)]);
    expect(text).toContain(`href="${page}"`);
  });

  test('new keys are published beside the old ones as soon as they are asked for', async () => {
    const { jwks_uri: address } = await metadataOf(suite());
    const keys = async () => {
      const answer = await suite().fetchAs()(String(address));
      return ((await answer.json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
    };
    const before = await keys();
    await suite().host.oauth.keys.rotate();
    const after = await keys();
    expect(after).toEqual(expect.arrayContaining(before));
    expect(after.length).toBeGreaterThan(before.length);
  });
});

describe('third-party-initiated-login', () => {
  const suite = hostOf('third-party-initiated-login');

  test('a page where logins begin is registered if it is https:, and only then', async () => {
    const as = await register(suite(), { initiate_login_uri: 'https://suite.example/initiate_login' });
    expect(as.clientMetadata().initiate_login_uri).toBe('https://suite.example/initiate_login');
    await signIn(suite(), as);
    await expect(register(suite(), { initiate_login_uri: 'http://suite.example/' })).rejects.toMatchObject({
      error: 'invalid_client_metadata',
    });
  });
});

/** Signs in, and has the client begin a logout. */
async function beginLogout(suite: Suite, more: object = {}) {
  const as = await suite.discover();
  const signedIn = await signIn(suite, as);
  const address = client.buildEndSessionUrl(as, {
    id_token_hint: signedIn.tokens.id_token!,
    post_logout_redirect_uri: `${suite.url}/post_logout_redirect`,
    state: 'of-the-logout',
    ...more,
  });
  return { ...signedIn, as, address };
}

describe('rp-initiated-logout', () => {
  const suite = hostOf('rp-initiated-logout');
  testStaticClients(suite);

  test('the person goes back to the client with its state, and is logged out', async () => {
    expect((await metadataOf(suite())).end_session_endpoint).toMatch(/^https:/);
    const { as, browser, address } = await beginLogout(suite());
    const { url } = await browser.visit(address);
    expect(url.href).toBe(`${suite().url}/post_logout_redirect?state=of-the-logout`);
    const { parameters } = await codeRequest(suite(), { prompt: 'none' });
    const silent = await browser.visit(client.buildAuthorizationUrl(as, parameters));
    expect(silent.url.searchParams.get('error')).toBe('login_required');
  });

  test('without parameters, and with an address that is not registered, the last page is the picture', async () => {
    const { browser, address } = await beginLogout(suite(), {
      post_logout_redirect_uri: `${suite().url}/bad`,
    });
    expect((await browser.visit(address)).pictures).toEqual([expect.stringContaining('is invalid')]);
    const { pictures } = await browser.visit(address.origin + address.pathname);
    expect(pictures).toEqual([expect.stringContaining('You are logged out')]);
  });
});

describe('session-management', () => {
  const suite = hostOf('session-management');
  testStaticClients(suite);

  test('the module with frames has no commands, as the suite has no browser for them', () => {
    const { override } = suite().configuration;
    expect(override).toEqual({ 'oidcc-session-management-rp-initiated-logout': { browser: [] } });
  });

  test('there is a frame to ask, answers have a session state, and a logout goes back', async () => {
    const { check_session_iframe: frame } = await metadataOf(suite());
    expect((await suite().fetchAs()(String(frame))).status).toBe(200);
    const { browser, address, visit } = await beginLogout(suite());
    expect(visit.url.searchParams.get('session_state')).toMatch(/./);
    expect((await browser.visit(address)).url.href).toContain(`${suite().url}/post_logout_redirect`);
  });
});

describe('front-channel-logout', () => {
  const suite = hostOf('front-channel-logout');
  testStaticClients(suite);

  test('the last page has a frame of the client, with the session that the ID token names', async () => {
    expect(await metadataOf(suite())).toMatchObject({
      frontchannel_logout_supported: true,
      frontchannel_logout_session_supported: true,
    });
    const { browser, address, tokens } = await beginLogout(suite());
    const { text } = await browser.visit(address);
    const [, frame = ''] = /<iframe src="([^"]*)"/.exec(text) ?? [];
    const called = new URL(frame.replaceAll('&amp;', '&'));
    expect(called.origin + called.pathname).toBe(`${suite().url}/frontchannel_logout`);
    expect(called.searchParams.get('iss')).toBe(suite().host.issuer);
    expect(called.searchParams.get('sid')).toBe(tokens.claims()?.sid);
  });
});

describe('back-channel-logout', () => {
  let receiver: Server;
  let suite: Suite;
  const received: string[] = [];
  beforeAll(async () => {
    receiver = createServer((req, res) => {
      let body = '';
      req.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      req.on('end', () => {
        received.push(body);
        res.end();
      });
    });
    await once(receiver.listen(0, '127.0.0.1'), 'listening');
    const { port } = receiver.address() as AddressInfo;
    // without TLS, as this process trusts no certificate of its own making
    suite = await openSuite(credentials(), 'back-channel-logout', { suite: `http://127.0.0.1:${port}` });
  });
  afterAll(async () => {
    await suite.close();
    receiver.closeAllConnections();
    await once(receiver.close(), 'close');
  });
  testStaticClients(() => suite);

  test('the client hears of the logout by a token that it can verify', async () => {
    const metadata = await metadataOf(suite);
    expect(metadata).toMatchObject({
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
    });
    const { browser, address, tokens } = await beginLogout(suite);
    expect((await browser.visit(address)).url.href).toContain(`${suite.url}/post_logout_redirect`);
    await until(() => received.length >= 1);
    const token = new URLSearchParams(received[0]).get('logout_token')!;
    const keys = createRemoteJWKSet(new URL(String(metadata.jwks_uri)), {
      [customFetch]: (from: string) => suite.fetchAs()(from),
    });
    const { payload } = await jwtVerify(token, keys, { issuer: suite.host.issuer });
    expect(payload).toMatchObject({
      sub: PERSON,
      sid: decodeJwt(tokens.id_token!).sid,
      aud: suite.configuration.client!.client_id,
    });
  });
});
