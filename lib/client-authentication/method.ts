import type { StoredClient } from '../models/clients.js';
import type { Parameters } from '../protocol/parameters.js';

/** What a client has shown to say who it is. */
export interface ClientCredentials {
  readonly clientId: string;
  /** `''` and absent are the same (RFC 6749 §2.3.1). */
  readonly clientSecret?: string;
}

export interface ClientAuthenticationRequest {
  /** The Authorization header. */
  readonly authorization: string | undefined;
  readonly parameters: Parameters;
  /** Called before a secret that could be guessed is tried. @throws OAuthError where too many were wrong */
  readonly beforeGuess?: () => Promise<void>;
}

/** One way to authenticate a client, by its name in the registry of RFC 8414 §2 `token_endpoint_auth_methods_supported`. */
export interface ClientAuthenticationMethod {
  readonly name: string;
  /** The request parameters it reads. */
  readonly parameters: readonly string[];
  /** The credentials, or null where the request does not use this method. @throws OAuthError where it does, but wrongly */
  read(request: ClientAuthenticationRequest): ClientCredentials | null;
  /** Whether the credentials are the client's. */
  verify(client: StoredClient, credentials: ClientCredentials, request: ClientAuthenticationRequest): Promise<boolean>;
}
