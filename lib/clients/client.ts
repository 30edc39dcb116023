/** A public key (RFC 7517 §4). */
export type PublicJwk = Readonly<Record<string, string | readonly string[] | undefined>> & {
  readonly kty: string;
};

/** The public keys of a client (RFC 7517 §5). */
export interface PublicJwks {
  readonly keys: readonly PublicJwk[];
}

/** RFC 6749 §2.1: whether the client can keep its credentials confidential. */
export type ClientType = 'confidential' | 'public';

/** What a client is registered with. */
export interface ClientMetadata {
  readonly name: string;
  readonly type: ClientType;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly string[];
  readonly grantTypes: readonly string[];
  /** A first-party client that the host vouches for: the consent page is skipped. */
  readonly trusted: boolean;
  /** A resource server that may ask about tokens (RFC 7662 §2.1). Default: false; confidential clients only. */
  readonly introspection?: boolean;
  /** The host has checked who is behind it, and the consent page says so. Default: false. */
  readonly verified?: boolean;
  /**
   * The resource servers that it is, by their URLs (the issuer is one): introspection tells it about access tokens for
   * these and nothing else. Default: about all tokens. (RFC 7662 §4, RFC 8707)
   */
  readonly resources?: readonly string[];
  /**
   * The one way it authenticates: client_secret_basic, client_secret_post, none, private_key_jwt or client_secret_jwt.
   * Default: private_key_jwt where it has keys, else its secret by either way, or none. (RFC 7591 §2)
   */
  readonly tokenEndpointAuthMethod?: string;
  /** The public keys of its private_key_jwt, by value. (RFC 7517 §5) */
  readonly jwks?: PublicJwks;
  /** Where its public keys are, instead of `jwks`. (RFC 7591 §2) */
  readonly jwksUri?: string;
  /** Seconds that its access tokens are valid. Default: as the option of the server. */
  readonly accessTokenTtl?: number;
  /** Seconds that its refresh tokens can stay unused. Default: as the option of the server. */
  readonly refreshTokenTtl?: number;
  /** An https: URL. The consent page shows it where the client is verified, or where it is at the redirect URI's host. (RFC 7591 §2, §5) */
  readonly logoUri?: string;
  /** The user who registered it on the applications page. */
  readonly ownerId?: string;
}
