import type { ClientMetadata } from './client.js';

/**
 * What proves who a client is: a secret that both know, one of its keys, its certificate, what its platform attests (a
 * SPIFFE Verifiable Identity Document), or nothing.
 */
export type Credential = 'secret' | 'keys' | 'certificate' | 'svid' | 'none';

/** What it means to be registered for an authentication method. Each method says it of itself (RFC 7591 §2). */
export interface AuthMethodInfo {
  /** Its name in the registry of RFC 8414 §2 `token_endpoint_auth_methods_supported`. */
  readonly name: string;
  /** Only clients with a `secret` method are given one; those with a `keys` method need `jwks` or `jwksUri`. */
  readonly credential: Credential;
  /** Whether clients can register themselves for it. Default: true. */
  readonly isRegistrable?: boolean;
  /** Whether the server must be able to read the secret, so that it is kept encrypted. Default: a hash will do. */
  readonly readsSecret?: boolean;
}

/** What proves who a client is; a secret, if it is registered for no named method. */
export function credentialOf(
  { type, tokenEndpointAuthMethod }: Pick<ClientMetadata, 'type' | 'tokenEndpointAuthMethod'>,
  methods: readonly AuthMethodInfo[],
): Credential {
  if (type === 'public') return 'none';
  return methods.find(({ name }) => name === tokenEndpointAuthMethod)?.credential ?? 'secret';
}
