import { createDecryptionKeys } from '../../core/keys/decryption-keys.js';
import type { FeatureParts } from '../../server/feature.js';
import { encryptionAlgorithmsOf } from '../../settings/options/signing-key-options.js';
import { algorithmsTo } from '../../shared/crypto/jwa.js';
import { createDecryptObject } from './encrypted-object.js';
import { createOpenRequestObject, type OpenRequestObject } from './request-object.js';

/** Opens all request objects of a site, by value and by reference, with one memory of keys. */
export function openRequestObjects({ settings, clientKeys, signingKeys }: FeatureParts): OpenRequestObject {
  const algorithms = algorithmsTo(encryptionAlgorithmsOf(settings));
  return createOpenRequestObject({
    ...settings,
    clockTolerance: settings.security.clockTolerance,
    clientKeys,
    ...(algorithms.length > 0 && {
      decrypt: createDecryptObject({ findKey: createDecryptionKeys(signingKeys), algorithms }),
    }),
  });
}
