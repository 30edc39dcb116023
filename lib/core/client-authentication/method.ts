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
  /** `''` and absent are the same (RFC 6749 §2.3.1). */
  readonly clientSecret?: string;
  /** The undecoded secret of HTTP Basic. Set only if decoding changes it or fails. */
  readonly rawSecret?: string;
  readonly assertion?: ClientAssertion;
}

export interface ClientAuthenticationRequest {
  readonly authorization: string | undefined;
  readonly parameters: Parameters;
  /** The certificate that it came with, if certificates are read (RFC 8705). */
  readonly certificate?: ClientCertificate | undefined;
  readonly now: Date;
  /** Whether a page of another origin sends it: its address is then that of a visitor, not of an attacker. */
  readonly isFromForeignPage?: boolean;
  /** The caller against whose rate limit a fetch of the client's keys counts. Default: the client. */
  readonly getCaller?: GetCaller;
  /** Called before a secret that could be guessed is tried. @throws OAuthError if too many were wrong */
  readonly beforeGuess?: () => Promise<void>;
  /** Gives a signal that aborts when the connection is closed. Default: none. */
  readonly closeSignal?: (() => AbortSignal) | undefined;
}

/**
 * One way to authenticate a client. A new one is a file here and a line in the list of what is built in.
 *
 * @see RFC 6749 §2.3
 */
export interface ClientAuthenticationMethod extends AuthMethodInfo {
  /**
   * Whether a request without the credentials of another method counts as using this one; if several such methods are
   * on, the one that the client is registered for. Default: false.
   */
  readonly isFallback?: boolean;
  /** Whether the options switch it on. Default: always. */
  readonly isOn?: (settings: Settings) => boolean;
  /** Whether only clients that are registered for it by name can use it. Default: whether it takes JWTs. */
  readonly requiresExplicitRegistration?: boolean;
  readonly parameters: readonly string[];
  /**
   * The algorithms of the JWTs it takes (RFC 8414 §2, `token_endpoint_auth_signing_alg_values_supported`); absent if it
   * takes none. Only clients that are registered for such a method by name can use it.
   */
  readonly signingAlgorithms?: readonly string[];
  /** The `client_assertion_type` that it takes and no other method does. Default: none. */
  readonly assertionType?: string;
  create(dependencies: MethodDependencies, others: OtherMethods): AuthenticationHandler;
}

export interface MethodDependencies {
  readonly verifySecret: VerifyClientSecret;
  readonly noteSecretUse: (client: Client, secret: ClientSecret, use?: SecretUse) => void;
  readonly verifyAssertion: VerifyAssertion;
  readonly clientKeys: ClientKeys;
  /** Undefined if the site gave no `clientAuthentication.secretKey`. */
  readonly sealedSecrets: SealedSecrets | undefined;
  readonly settings: Settings;
}

/** What the other methods that are on read: their algorithms, and the `client_assertion_type`s of theirs alone. */
export interface OtherMethods {
  readonly otherAlgorithms: readonly string[];
  readonly otherTypes: readonly string[];
}

export interface AuthenticationHandler {
  /** The credentials, or null if the request does not use this method. @throws OAuthError if it does, but wrongly */
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
