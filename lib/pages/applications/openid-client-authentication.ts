import type { PublicJwk } from '../../core/clients/client.js';
import type { ClientInfo } from '../../core/clients/registry/client-info.js';

/** The methods of clients that authenticate with the certificate of their connection (RFC 8705 §2). */
const METHODS = ['tls_client_auth', 'self_signed_tls_client_auth'];

export function usesCertificate(method: string): boolean {
  return METHODS.includes(method);
}

/** OAuth SPIFFE Client Authentication (draft 02) §3.1: the platform of the program gives it what it sends. */
export function usesSvid(method: string): boolean {
  return method === 'spiffe_jwt';
}

export const JWT_SPIFFE = 'urn:ietf:params:oauth:client-assertion-type:jwt-spiffe';

/** Options of curl for the connection. */
export const CURL_CERTIFICATE = ['--cert "$CLIENT_CERTIFICATE" --key "$CLIENT_KEY"'];

/** How openid-client is told with what a client authenticates: parts of its code. */
export interface OpenidClientAuthentication {
  readonly imports?: readonly string[];
  /** What comes before the configuration. */
  readonly before?: readonly string[];
  readonly metadata?: string;
  readonly authentication: string;
  /** Added to the other options, with a comma in front. */
  readonly option?: string;
}

/** Its requests go over a connection with the certificate. */
const BY_CERTIFICATE: OpenidClientAuthentication = {
  imports: ["import { readFileSync } from 'node:fs';", "import { Agent, fetch } from 'undici';"],
  before: [
    'const dispatcher = new Agent({',
    '  connect: {',
    '    cert: readFileSync(process.env.CLIENT_CERTIFICATE),',
    '    key: readFileSync(process.env.CLIENT_KEY),',
    '  },',
    '});',
  ],
  // RFC 8705 §5: the metadata says which of the endpoints ask for a certificate
  metadata: '{ use_mtls_endpoint_aliases: true }',
  authentication: 'client.TlsClientAuth()',
  option: ', [client.customFetch]: (url, options) => fetch(url, { ...options, dispatcher })',
};

/** openid-client has no method for it. */
const BY_SVID: OpenidClientAuthentication = {
  before: [
    'const jwtSvid = (_server, { client_id }, body) => {',
    "  body.set('client_id', client_id);",
    `  body.set('client_assertion_type', '${JWT_SPIFFE}');`,
    "  body.set('client_assertion', process.env.JWT_SVID);",
    '};',
  ],
  authentication: 'jwtSvid',
};

export function openidAuthenticationOf(client: ClientInfo, method: string): OpenidClientAuthentication {
  const bySecret: Readonly<Record<string, string>> = {
    client_secret_basic: 'client.ClientSecretBasic(process.env.CLIENT_SECRET)',
    client_secret_post: 'client.ClientSecretPost(process.env.CLIENT_SECRET)',
    client_secret_jwt: 'client.ClientSecretJwt(process.env.CLIENT_SECRET)',
    none: 'client.None()',
  };
  const authentication = bySecret[method];
  if (authentication !== undefined) return { authentication };
  if (usesSvid(method)) return BY_SVID;
  return usesCertificate(method) ? BY_CERTIFICATE : byKey(client);
}

/** The algorithm and the id of the first key, as far as they are known here. */
function byKey({ jwks }: ClientInfo): OpenidClientAuthentication {
  const { kid, alg, kty = '' }: Partial<PublicJwk> = jwks?.keys[0] ?? {};
  const algorithm = typeof alg === 'string' ? alg : ({ RSA: 'RS256', OKP: 'EdDSA' }[kty] ?? 'ES256');
  return {
    imports: ["import { importPKCS8 } from 'jose';"],
    before: [`const key = await importPKCS8(process.env.CLIENT_PRIVATE_KEY, ${JSON.stringify(algorithm)});`],
    authentication: `client.PrivateKeyJwt({ key${typeof kid === 'string' ? `, kid: ${JSON.stringify(kid)}` : ''} })`,
  };
}
