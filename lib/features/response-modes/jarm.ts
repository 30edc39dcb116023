import { fieldsOf, type MetadataOf } from '../../core/clients/client-field.js';
import { encryptionAlg, encryptionEnc, signingField } from '../../core/clients/validation/jwt-fields.js';
import type { Feature } from '../../server/server.js';
import { signingAlgorithmsOf } from '../../settings/options/signing-key-options.js';
import { CONTENT_ENCRYPTION_ALGORITHMS, KEY_ENCRYPTION_ALGORITHMS } from '../../shared/crypto/jwa.js';
import { createSignedModes } from './jwt.js';
import { responseModeOptions } from './options.js';

const AUTHORIZATION_ENCRYPTION = { name: 'authorizationEncryptedResponse', what: 'signed answers' };

const clientFieldRows = {
  /**
   * The algorithm that signs its responses. Needs `signedResponses`. Default: RS256 if there is such a key, otherwise
   * the server's. (JARM §3)
   */
  authorizationSignedResponseAlg: signingField('authorizationSignedResponseAlg', {
    label: 'signed answers',
    what: 'The answers of this server',
  }),
  /**
   * The algorithm that encrypts its signed responses to one of its keys, as for `idTokenEncryptedResponseAlg`. Default:
   * not encrypted.
   */
  authorizationEncryptedResponseAlg: encryptionAlg(AUTHORIZATION_ENCRYPTION),
  /** The `enc` of its encrypted responses. Default: A128CBC-HS256. */
  authorizationEncryptedResponseEnc: encryptionEnc(AUTHORIZATION_ENCRYPTION),
};

declare module '../../core/clients/client.js' {
  interface ClientMetadata extends MetadataOf<typeof clientFieldRows> {}
}

/** Responses to authorization requests as signed JWTs, which clients may have encrypted. @see JARM */
export const signedResponses = {
  name: 'signed-responses',
  isOn: (settings) => settings.signedResponses === true,
  options: { signedResponses: responseModeOptions.signedResponses },
  findKeyNeeds: (options) => ({ neededBy: options.signedResponses ? 'signedResponses' : undefined }),
  createResponseModes: createSignedModes,
  // JARM §4
  metadata: (settings) => ({
    authorization_signing_alg_values_supported: signingAlgorithmsOf(settings),
    authorization_encryption_alg_values_supported: KEY_ENCRYPTION_ALGORITHMS,
    authorization_encryption_enc_values_supported: CONTENT_ENCRYPTION_ALGORITHMS,
  }),
  clientFields: fieldsOf(clientFieldRows),
} satisfies Feature;
