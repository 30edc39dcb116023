import type { ClientMetadata } from './client.js';

/**
 * What authenticates a client: a shared secret, one of its keys, its certificate, an attestation of its platform (a
 * SPIFFE Verifiable Identity Document), or nothing.
 */
export type Credential = 'secret' | 'keys' | 'certificate' | 'svid' | 'none';

/** The traits of an authentication method, as each method states them (RFC 7591 §2). */
export interface AuthMethodInfo {
  /** The name in the registry of RFC 8414 §2 `token_endpoint_auth_methods_supported`. */
  readonly name: string;
  /** Only clients with a `secret` method get a secret; clients with a `keys` method need `jwks` or `jwksUri`. */
  readonly credential: Credential;
  /** Whether clients can register themselves for the method. Default: true. */
  readonly isRegistrable?: boolean;
  /** Whether the server must be able to read the secret, which is then stored encrypted. Default: a hash suffices. */
  readonly readsSecret?: boolean;
}

/** What authenticates a client; a secret, if the client has no registered method. */
export function credentialOf(
  { type, tokenEndpointAuthMethod }: Pick<ClientMetadata, 'type' | 'tokenEndpointAuthMethod'>,
  methods: readonly AuthMethodInfo[],
): Credential {
  if (type === 'public') return 'none';
  return methods.find(({ name }) => name === tokenEndpointAuthMethod)?.credential ?? 'secret';
}
