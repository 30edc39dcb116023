/** The methods of clients that authenticate with the certificate of their connection (RFC 8705 §2). */
const METHODS = ['tls_client_auth', 'self_signed_tls_client_auth'];

export function usesCertificate(method: string): boolean {
  return METHODS.includes(method);
}

/** Options of curl for the connection. */
export const CURL_CERTIFICATE = ['--cert "$CLIENT_CERTIFICATE" --key "$CLIENT_KEY"'];
