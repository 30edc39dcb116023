import type { SigningKeyRecord } from '../../core/keys/signing-key-store.js';
import { isForEncryption, isSealed } from '../../shared/crypto/key-material.js';
import type { ReportFinding } from './finding.js';

/** Finds keys that are usable by any reader of the database or of a backup. */
export function checkKeys(report: ReportFinding, keys: readonly SigningKeyRecord[]): void {
  for (const { kid, algorithm, privateKey } of keys)
    report(!isSealed(privateKey) && 'serious', 'keys.clear', {
      what: `the ${isForEncryption(algorithm) ? 'key that requests are encrypted to,' : 'signing key'} ${kid} is stored in clear`,
      why: isForEncryption(algorithm)
        ? 'Whoever has a copy of this database can read the requests that clients encrypt, wherever they find them.'
        : 'Whoever has a copy of this database can sign tokens of any user, with any scope, for every API that goes by the published keys.',
      cure: `Set signingKeys.encryptionSecret, unless no JWT is issued; then run \`keys revoke ${kid}\`: a copy of the database may be somewhere already.`,
    });
}
