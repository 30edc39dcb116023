import type { ClientField } from '../../core/clients/client-field.js';
import { encryptionFields } from '../../core/clients/validation/encryption-fields.js';
import type { Feature } from '../../server/feature.js';
import { encryptionAlgorithmsOf } from '../../settings/options/signing-key-options.js';
import { algorithmsTo, CONTENT_ENCRYPTION_ALGORITHMS } from '../../shared/crypto/encryption-algorithms.js';
import { ENCRYPTION_KEY_ALGORITHMS } from '../../shared/crypto/key-material.js';

// typed explicitly: the inferred type would name zod's types in the declarations
const clientFields: readonly ClientField[] = encryptionFields({
  alg: 'requestObjectEncryptionAlg',
  enc: 'requestObjectEncryptionEnc',
  wire: { alg: 'request_object_encryption_alg', enc: 'request_object_encryption_enc' },
  flag: '--encrypted-request',
  what: 'signed requests',
  algorithms: algorithmsTo(ENCRYPTION_KEY_ALGORITHMS),
});

/** Signed requests that are encrypted to this server; sources of signed requests decrypt them. @see RFC 9101 §6.1 */
export const encryptedRequests = {
  name: 'encrypted-requests',
  isOn: ({ signedRequests }) => signedRequests !== false && signedRequests.encryption !== false,
  // RFC 9101 §4, OpenID Connect Discovery §3
  metadata: (settings) => ({
    request_object_encryption_alg_values_supported: algorithmsTo(encryptionAlgorithmsOf(settings)),
    request_object_encryption_enc_values_supported: CONTENT_ENCRYPTION_ALGORITHMS,
  }),
  clientFields,
} satisfies Feature;
