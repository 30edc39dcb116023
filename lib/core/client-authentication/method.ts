import type { Settings } from '../../settings/settings.js';
import type { ClientCertificate } from '../../shared/crypto/client-certificate.js';
import type { SealedSecrets } from '../../shared/crypto/seal.js';
import type { GetCaller } from '../../shared/outbound/limit-untrusted-fetch.js';
import type { Parameters } from '../../shared/protocol/parameters.js';
import type { AuthMethodInfo } from '../clients/auth-method-info.js';
import type { Client, ClientSecret } from '../clients/client.js';
import type { VerifyClientSecret } from '../clients/secrets/client-secrets.js';
import type { SecretUse } from '../clients/secrets/secret-last-used.js';
import type { ClientKeys } from './client-keys.js';
import type { ClientAssertion, VerifyAssertion } from './verify-assertion.js';

export interface ClientCredentials {
  readonly clientId: string;
  /** `''` and absent mean the same (RFC 6749 §2.3.1). */
  readonly clientSecret?: string;
  /** The undecoded secret of HTTP Basic. Set only if decoding changes it or fails. */
  readonly rawSecret?: string;
  readonly assertion?: ClientAssertion;
}

export interface ClientAuthenticationRequest {
  readonly authorization: string | undefined;
  readonly parameters: Parameters;
  /** The certificate of the connection, if certificates are read (RFC 8705). */
  readonly certificate?: ClientCertificate | undefined;
  readonly now: Date;
  /** Whether a page of another origin sent the request: the address is then a visitor's, not an attacker's. */
  readonly isFromForeignPage?: boolean;
  /** The caller against whose rate limit a fetch of the client's keys counts. Default: the client. */
  readonly getCaller?: GetCaller;
  /** Called before a guessable secret is checked. @throws OAuthError if too many were wrong */
  readonly beforeGuess?: () => Promise<void>;
  /** Returns a signal that aborts when the connection closes. Default: none. */
  readonly closeSignal?: (() => AbortSignal) | undefined;
}

/**
 * A method of client authentication. A new one is a file here and a line in the list of built-in methods.
 *
 * @see RFC 6749 §2.3
 */
export interface ClientAuthenticationMethod extends AuthMethodInfo {
  /**
   * Whether a request without credentials of another method uses this one; of several such methods, the client's
   * registered one. Default: false.
   */
  readonly isFallback?: boolean;
  /** Whether the options enable the method. Default: always. */
  readonly isOn?: (settings: Settings) => boolean;
  /** Whether only clients registered for this method can use it. Default: true for a method that takes JWTs. */
  readonly requiresExplicitRegistration?: boolean;
  readonly parameters: readonly string[];
  /**
   * The algorithms of the method's JWTs (RFC 8414 §2, `token_endpoint_auth_signing_alg_values_supported`); absent if it
   * takes none. By default, only clients that are registered for such a method can use it.
   */
  readonly signingAlgorithms?: readonly string[];
  /** The `client_assertion_type` of this method alone. Default: none. */
  readonly assertionType?: string;
  create(dependencies: MethodDependencies, others: OtherMethods): AuthenticationHandler;
}

export interface MethodDependencies {
  readonly verifySecret: VerifyClientSecret;
  readonly noteSecretUse: (client: Client, secret: ClientSecret, use?: SecretUse) => void;
  readonly verifyAssertion: VerifyAssertion;
  readonly clientKeys: ClientKeys;
  /** Undefined without the option `clientAuthentication.secretKey`. */
  readonly sealedSecrets: SealedSecrets | undefined;
  readonly settings: Settings;
}

/** What the other enabled methods read: their algorithms, and the `client_assertion_type`s that only they take. */
export interface OtherMethods {
  readonly otherAlgorithms: readonly string[];
  readonly otherTypes: readonly string[];
}

export interface AuthenticationHandler {
  /** The credentials, or null if the request does not use this method. @throws OAuthError if they are malformed */
  read(request: ClientAuthenticationRequest): ClientCredentials | null;
  verify(
    client: Client,
    credentials: ClientCredentials,
    request: ClientAuthenticationRequest,
  ): Promise<boolean>;
}

export function readNamedClient({ parameters: { client_id: clientId } }: ClientAuthenticationRequest) {
  return clientId === undefined ? null : { clientId };
}
