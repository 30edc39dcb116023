/** The methods of clients that authenticate by the certificate of their connection (RFC 8705 §2). */
const METHODS = ['tls_client_auth', 'self_signed_tls_client_auth'];

export function usesCertificate(method: string): boolean {
  return METHODS.includes(method);
}

/** Options of curl for the connection. */
export const CURL_CERTIFICATE = ['--cert "$CLIENT_CERTIFICATE" --key "$CLIENT_KEY"'];

/** What openid-client is given so that its requests go over such a connection. */
export const OPENID_CLIENT_CERTIFICATE = {
  imports: ["import { readFileSync } from 'node:fs';", "import { Agent, fetch } from 'undici';"],
  agent: [
    'const dispatcher = new Agent({',
    '  connect: {',
    '    cert: readFileSync(process.env.CLIENT_CERTIFICATE),',
    '    key: readFileSync(process.env.CLIENT_KEY),',
    '  },',
    '});',
  ],
  /** RFC 8705 §5: which of the endpoints ask for a certificate is found in the metadata. */
  metadata: '{ use_mtls_endpoint_aliases: true }',
  authentication: 'client.TlsClientAuth()',
  option: '[client.customFetch]: (url, options) => fetch(url, { ...options, dispatcher })',
} as const;
