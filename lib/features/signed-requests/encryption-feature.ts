import { fieldsOf, type MetadataOf } from '../../core/clients/client-field.js';
import { encryptionAlg, encryptionEnc } from '../../core/clients/validation/jwt-fields.js';
import type { Feature } from '../../server/server.js';
import { encryptionAlgorithmsOf } from '../../settings/options/signing-key-options.js';
import { algorithmsTo, CONTENT_ENCRYPTION_ALGORITHMS } from '../../shared/crypto/jwa.js';
import { ENCRYPTION_KEY_ALGORITHMS } from '../../shared/crypto/key-material.js';

const REQUEST_ENCRYPTION = {
  name: 'requestObjectEncryption',
  what: 'signed requests',
  algorithms: algorithmsTo(ENCRYPTION_KEY_ALGORITHMS),
};

const clientFieldRows = {
  /**
   * The algorithm that encrypts its signed requests: ECDH-ES, ECDH-ES+A128KW, ECDH-ES+A256KW or RSA-OAEP-256. Requests
   * that are only signed are then refused. Needs `signedRequests.encryption`. Default: any, or none. (RFC 9101 §4)
   */
  requestObjectEncryptionAlg: encryptionAlg(REQUEST_ENCRYPTION),
  /** The `enc` of its encrypted requests. Default: A128CBC-HS256. */
  requestObjectEncryptionEnc: encryptionEnc(REQUEST_ENCRYPTION),
};

declare module '../../core/clients/client.js' {
  interface ClientMetadata extends MetadataOf<typeof clientFieldRows> {}
}

/** Signed requests that are encrypted to this server. @see RFC 9101 §6.1 */
export const encryptedRequests = {
  name: 'encrypted-requests',
  isOn: ({ signedRequests }) => Boolean(signedRequests && signedRequests.encryption),
  // RFC 9101 §4, OpenID Connect Discovery §3
  metadata: (settings) => ({
    request_object_encryption_alg_values_supported: algorithmsTo(encryptionAlgorithmsOf(settings)),
    request_object_encryption_enc_values_supported: CONTENT_ENCRYPTION_ALGORITHMS,
  }),
  clientFields: fieldsOf(clientFieldRows),
} satisfies Feature;
