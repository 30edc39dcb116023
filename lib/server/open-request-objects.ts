import { createDecryptObject } from '../authorization/encrypted-object.js';
import { createOpenRequestObject, type OpenRequestObject } from '../authorization/request-object.js';
import { algorithmsTo } from '../crypto/encryption-algorithms.js';
import { createDecryptionKeys } from '../keys/decryption-keys.js';
import { encryptionAlgorithmsOf } from '../settings/signing-key-options.js';
import type { RequestSourceParts } from './feature.js';

/** Opens all request objects of a site, by value and by reference, with one memory of keys. */
export function openRequestObjects({
  settings,
  clientKeys,
  signingKeys,
}: Pick<RequestSourceParts, 'settings' | 'clientKeys' | 'signingKeys'>): OpenRequestObject {
  const algorithms = algorithmsTo(encryptionAlgorithmsOf(settings));
  return createOpenRequestObject({
    ...settings,
    clientKeys,
    ...(algorithms.length > 0 && {
      decrypt: createDecryptObject({ findKey: createDecryptionKeys(signingKeys), algorithms }),
    }),
  });
}
