import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll } from '@jest/globals';
import { importJWK } from 'jose';
import * as client from 'openid-client';

import { createFetchByTls } from '../../support/fetch-by-tls.js';
import { takeDatabase } from '../../support/site-database.js';
import { type Certificates, keepCertificates } from '../certificates.js';
import { chooseVariant } from '../command.js';
import { makeSecrets, type Secrets } from '../credentials.js';
import { type ConformanceHost, startHost } from '../host.js';
import type { SuiteConfiguration, Variant } from '../profile.js';
import { PROFILES } from '../profiles.js';
import { SuiteBrowser } from './suite-browser.js';

export type ClientName = 'client' | 'client2';

/** Stands in for the suite: it reaches a host by the printed configuration alone. */
export interface Suite {
  readonly host: ConformanceHost;
  readonly configuration: SuiteConfiguration;
  /** `https://localhost:8443/test/a/basic` */
  readonly url: string;
  /** A browser of a module: it has no cookies yet. */
  readonly openBrowser: (module?: string) => SuiteBrowser;
  /** Makes requests as the client does: with its certificate, if it has one. */
  readonly fetchAs: (name?: ClientName) => (address: string | URL, init?: object) => Promise<Response>;
  /** A client of another library, configured by the printed members. */
  readonly discover: (name?: ClientName, metadata?: object) => Promise<client.Configuration>;
  /** The key with which the client signs, in the form of the library. */
  readonly keyOf: (name?: ClientName) => Promise<client.PrivateKey>;
  readonly close: () => Promise<void>;
}

/** Keys and certificates take longer to make than a host: all suites of a file have the same. */
export interface SuiteCredentials {
  readonly secrets: Secrets;
  readonly certificates: Certificates;
  remove(): Promise<void>;
}

export function shareCredentials(): () => SuiteCredentials {
  let credentials: SuiteCredentials;
  beforeAll(async () => {
    credentials = await makeCredentials();
  });
  afterAll(() => credentials.remove());
  return () => credentials;
}

async function makeCredentials(): Promise<SuiteCredentials> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
  return {
    secrets: await makeSecrets(),
    certificates: await keepCertificates(folder, 'localhost'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

export async function openSuite(
  { secrets, certificates }: SuiteCredentials,
  name: string,
  { variant: chosen = {}, suite = 'https://localhost:8443' }: { variant?: Variant; suite?: string } = {},
): Promise<Suite> {
  const profile = PROFILES[name]!;
  const variant = chooseVariant(profile, chosen);
  const database = await takeDatabase();
  const host = await startHost(profile, {
    connection: database.connection,
    credentials: { ...secrets, certificates: certificates.clients },
    certificate: certificates.host,
    alias: name,
    suite,
    variant,
    listenAt: '127.0.0.1',
  });
  database.untilIdle();
  const { configuration } = host;
  const fetchAs = (as: ClientName = 'client') => {
    const certificate = as === 'client' ? configuration.mtls : configuration.mtls2;
    const { cert, key } = certificate ?? {};
    return createFetchByTls({ ca: certificates.clients.authority, ...(cert && key && { cert, key }) });
  };
  const keyOf = async (as: ClientName = 'client') => {
    const [jwk] = configuration[as]!.jwks!.keys;
    return { key: (await importJWK(jwk!, jwk!.alg)) as client.CryptoKey, kid: String(jwk!.kid) };
  };
  const authenticationOf = async (as: ClientName) => {
    const { client_secret: secret } = configuration[as]!;
    if (secret !== undefined) return client.ClientSecretBasic(secret);
    const { token_endpoint_auth_methods_supported: methods } = (await (
      await fetchAs()(configuration.server.discoveryUrl)
    ).json()) as { token_endpoint_auth_methods_supported: string[] };
    const isByCertificate = variant.client_auth_type === 'mtls' && methods.includes('tls_client_auth');
    return isByCertificate ? client.TlsClientAuth() : client.PrivateKeyJwt(await keyOf(as));
  };
  return {
    host,
    configuration,
    url: `${suite}/test/a/${configuration.alias}`,
    openBrowser: (module = '') =>
      new SuiteBrowser({
        entries: configuration.override?.[module]?.browser ?? configuration.browser,
        suite,
        fetch: createFetchByTls({ ca: certificates.clients.authority }),
      }),
    fetchAs,
    keyOf,
    discover: async (as = 'client', metadata = {}) =>
      client.discovery(
        new URL(configuration.server.discoveryUrl),
        configuration[as]!.client_id!,
        metadata,
        await authenticationOf(as),
        { algorithm: 'oidc', [client.customFetch]: fetchAs(as) },
      ),
    async close() {
      await host.close();
      await database.close();
    },
  };
}

/** The parameters of every request of the code flow, and the checks of its answer. */
export async function codeRequest({ url }: Suite, more: Readonly<Record<string, string>> = {}) {
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const [expectedState, expectedNonce] = [client.randomState(), client.randomNonce()];
  const parameters: Record<string, string> = {
    redirect_uri: `${url}/callback`,
    scope: 'openid profile email',
    state: expectedState,
    nonce: expectedNonce,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    ...more,
  };
  return { parameters, checks: { pkceCodeVerifier, expectedState, expectedNonce } };
}
