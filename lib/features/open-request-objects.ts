import { createDecryptObject } from '../authorization/encrypted-object.js';
import { createOpenRequestObject, type OpenRequestObject } from '../authorization/request-object.js';
import { algorithmsTo } from '../crypto/encryption-algorithms.js';
import { createDecryptionKeys } from '../keys/decryption-keys.js';
import type { RequestSourceParts } from '../server/feature.js';
import { encryptionAlgorithmsOf } from '../settings/signing-key-options.js';

/** What opens the request objects of a site, by value and by reference. */
export function openRequestObjects({
  settings,
  clientKeys,
  signingKeys,
}: RequestSourceParts): OpenRequestObject {
  const algorithms = algorithmsTo(encryptionAlgorithmsOf(settings));
  return createOpenRequestObject({
    ...settings,
    clientKeys,
    ...(algorithms.length > 0 && {
      decrypt: createDecryptObject({ findKey: createDecryptionKeys(signingKeys), algorithms }),
    }),
  });
}
