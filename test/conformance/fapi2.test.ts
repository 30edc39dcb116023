import { X509Certificate } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as client from 'openid-client';

import type { Variant } from './profile.js';
import { codeRequest, openSuite, shareCredentials, type Suite } from './support/open-suite.js';

/* The hosts of FAPI 2.0, in each certifiable variant; openid-client in the place of the suite. */

const credentials = shareCredentials();

const SECURITY: Variant[] = ['private_key_jwt', 'mtls'].flatMap((client_auth_type) =>
  ['dpop', 'mtls'].map((sender_constrain) => ({ client_auth_type, sender_constrain })),
);
const SIGNING: Variant[] = [
  { fapi_request_method: 'signed_non_repudiation', fapi_response_mode: 'jarm' },
  { fapi_request_method: 'signed_non_repudiation', fapi_response_mode: 'plain_response' },
  { fapi_request_method: 'unsigned', fapi_response_mode: 'jarm' },
];
/** Every way to authenticate and to bind, with and without OpenID Connect; every way to sign, with two of these. */
const VARIANTS: [string, Variant][] = [
  ...SECURITY.map((variant): [string, Variant] => ['fapi2-security-profile', variant]),
  ['fapi2-security-profile', { ...SECURITY[0], openid: 'openid_connect' }],
  ...SIGNING.map((signing): [string, Variant] => ['fapi2-message-signing', { ...SECURITY[0], ...signing }]),
  ['fapi2-message-signing', { ...SECURITY[3], ...SIGNING[0], openid: 'openid_connect' }],
];

/** FAPI 2.0 Security Profile §5.3.2: the required metadata, for the chosen variant. */
async function expectSecurityProfile(suite: Suite, variant: Variant) {
  const answer = await suite.fetchAs()(suite.configuration.server.discoveryUrl);
  const metadata = (await answer.json()) as Record<string, string[]>;
  const isByCertificate = variant.client_auth_type === 'mtls';
  expect(metadata).toMatchObject({
    issuer: suite.host.issuer,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    require_pushed_authorization_requests: true,
    pushed_authorization_request_endpoint: expect.stringMatching(/^https:/),
    authorization_response_iss_parameter_supported: true,
    token_endpoint_auth_methods_supported: expect.arrayContaining([
      isByCertificate ? 'tls_client_auth' : 'private_key_jwt',
    ]),
    ...(variant.sender_constrain === 'mtls'
      ? { tls_client_certificate_bound_access_tokens: true }
      : { dpop_signing_alg_values_supported: expect.arrayContaining(['ES256', 'PS256']) }),
  });
  const signing = Object.keys(metadata).filter((name) => name.endsWith('_signing_alg_values_supported'));
  for (const algorithm of signing.flatMap((name) => metadata[name] ?? []))
    expect(['PS256', 'ES256', 'EdDSA', 'Ed25519']).toContain(algorithm);
  for (const grantType of ['implicit', 'password'])
    expect(metadata.grant_types_supported).not.toContain(grantType);
  return metadata;
}

/** FAPI 2.0 Message Signing §5.3.1 and §5.4.1. */
function expectSigning(metadata: object, { fapi_request_method, fapi_response_mode }: Variant): void {
  if (fapi_request_method === 'signed_non_repudiation')
    expect(metadata).toMatchObject({
      require_signed_request_object: true,
      request_object_signing_alg_values_supported: expect.arrayContaining(['PS256']),
    });
  if (fapi_response_mode === 'jarm')
    expect(metadata).toMatchObject({
      response_modes_supported: expect.arrayContaining(['jwt']),
      authorization_signing_alg_values_supported: expect.arrayContaining(['ES256']),
    });
}

async function expectClients({ configuration, host, url }: Suite, variant: Variant): Promise<void> {
  for (const [name, mtls] of [
    ['client', configuration.mtls],
    ['client2', configuration.mtls2],
  ] as const) {
    const { client_id, scope, jwks } = configuration[name]!;
    const registered = (await host.oauth.clients.find(client_id!))!;
    expect(registered.redirectUris).toEqual([`${url}/callback`, `${url}/callback?dummy1=lorem&dummy2=ipsum`]);
    expect(registered.scopes).toEqual(expect.arrayContaining(scope!.split(' ')));
    const [{ d, n, alg, kid } = {}] = jwks!.keys;
    expect([typeof d, alg]).toEqual(['string', 'PS256']);
    expect(registered.jwks?.keys).toMatchObject([{ n, kid }]);
    expect(JSON.stringify(registered.jwks)).not.toContain(d);
    expect(mtls !== undefined).toBe([variant.client_auth_type, variant.sender_constrain].includes('mtls'));
    if (mtls === undefined) continue;
    const certificate = new X509Certificate(mtls.cert);
    expect(certificate.verify(new X509Certificate(mtls.ca).publicKey)).toBe(true);
    expect(certificate.subject).toBe(`CN=${client_id}`);
    if (variant.client_auth_type === 'mtls')
      expect(registered.tlsClientAuthSubjectDn).toBe(certificate.subject);
  }
  expect(configuration.resource).toEqual({ resourceUrl: `${host.issuer}/resource` });
}

/** Pushes a request as the client does, signed if the variant says so. */
async function push(suite: Suite, as: client.Configuration, variant: Variant, bound: client.DPoPOptions) {
  const { scope } = suite.configuration.client!;
  const { parameters, checks } = await codeRequest(suite, { scope: scope! });
  if (variant.openid !== 'openid_connect') delete parameters.nonce;
  const signed =
    variant.fapi_request_method === 'signed_non_repudiation'
      ? (
          await client.buildAuthorizationUrlWithJAR(as, parameters, await suite.keyOf(), {
            [client.modifyAssertion]: (_header, payload) => {
              payload.nbf = payload.iat;
            },
          })
        ).searchParams
      : parameters;
  const url = await client.buildAuthorizationUrlWithPAR(as, signed, bound);
  const { expectedNonce, ...others } = checks;
  return { url, checks: { ...others, ...(variant.openid === 'openid_connect' && { expectedNonce }) } };
}

async function openClient(suite: Suite, { sender_constrain, fapi_response_mode }: Variant) {
  const as = await suite.discover('client', {
    ...(sender_constrain === 'mtls' && { use_mtls_endpoint_aliases: false }),
    authorization_signed_response_alg: 'ES256',
    id_token_signed_response_alg: 'ES256',
  });
  if (fapi_response_mode === 'jarm') client.useJwtResponseMode(as);
  const bound =
    sender_constrain === 'dpop'
      ? { DPoP: client.getDPoPHandle(as, await client.randomDPoPKeyPair('ES256')) }
      : {};
  return { as, bound };
}

let suite: Suite;
function open(name: string, variant: Variant): void {
  beforeAll(async () => {
    suite = await openSuite(credentials(), name, { variant });
  });
  afterAll(() => suite.close());
}

describe.each(VARIANTS)('%s %j', (name, variant) => {
  open(name, variant);

  test(`${name}: the metadata and the clients fulfil the profile`, async () => {
    const metadata = await expectSecurityProfile(suite, variant);
    expectSigning(metadata, variant);
    expect(Array.isArray(metadata.id_token_signing_alg_values_supported)).toBe(
      variant.openid === 'openid_connect',
    );
    await expectClients(suite, variant);
  });

  test(`${name}: a pushed request leads to a token for its client alone`, async () => {
    const { as, bound } = await openClient(suite, variant);
    const pushed = await push(suite, as, variant, bound);
    const visit = await suite.openBrowser().visit(pushed.url);
    expect([...visit.url.searchParams.keys()].includes('response')).toBe(
      variant.fapi_response_mode === 'jarm',
    );
    const tokens = await client.authorizationCodeGrant(as, visit.url, pushed.checks, undefined, bound);
    const { resourceUrl } = suite.configuration.resource!;
    const url = new URL(resourceUrl);
    const { access_token: token } = tokens;
    const called = await client.fetchProtectedResource(as, token, url, 'GET', null, undefined, bound);
    expect(called.status).toBe(200);
    const thief = await suite.fetchAs('client2')(resourceUrl, {
      headers: { authorization: `${tokens.token_type} ${tokens.access_token}` },
    });
    expect(thief.status).toBe(401);
    // for the plan of client credentials
    const own = await client.clientCredentialsGrant(as, { scope: 'accounts' }, bound);
    expect(own.scope).toBe('accounts');
  });
});

describe('the special modules of FAPI 2.0', () => {
  const [name, variant] = VARIANTS[0]!;
  open(name, variant);

  test('a user of FAPI 2.0 can deny despite an earlier consent', async () => {
    const { as, bound } = await openClient(suite, variant);
    await suite.openBrowser().visit((await push(suite, as, variant, bound)).url);
    const browser = suite.openBrowser('fapi2-security-profile-final-user-rejects-authentication');
    const { url } = await browser.visit((await push(suite, as, variant, bound)).url);
    expect(url.searchParams.get('error')).toBe('access_denied');
  });

  test('a pushed request of FAPI 2.0 that was opened before can be completed, once', async () => {
    const { as, bound } = await openClient(suite, variant);
    const browser = suite.openBrowser(
      'fapi2-security-profile-final-par-ensure-reused-request-uri-prior-to-auth-completion-succeeds',
    );
    const { url } = await push(suite, as, variant, bound);
    expect((await browser.visit(url)).done).toEqual(['Look at the login page']);
    expect((await browser.visit(url)).url.searchParams.get('code')).not.toBeNull();
    // the error page is the picture for a third module
    expect((await browser.visit(url)).pictures).toEqual([expect.stringContaining('request is over')]);
  });
});
