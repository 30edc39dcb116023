import { hkdfSync, randomBytes } from 'node:crypto';

import { isLoopbackHost } from '../shared/protocol/redirect-uri.js';
import type { SigningKeySettings } from './options/signing-key-options.js';
import { serverOptionError } from './table/parse-options.js';

/** The secrets in the options. */
interface SecretsOfHost {
  readonly signingKeys: Pick<SigningKeySettings, 'encryptionSecret' | 'keys'>;
  readonly clientAuthentication: { readonly secretKey: readonly string[] };
  readonly issuer: string;
}

/**
 * A secret for values that the server issues and gets back. It is derived (RFC 5869) from a secret in the options, so
 * that all processes share it. On loopback, where one process is the whole site, it is random.
 *
 * @param neededBy the option that needs the secret, if any
 * @throws TypeError if an option needs it and there is none
 */
export function resolveServerSecret(
  { signingKeys, clientAuthentication, issuer }: SecretsOfHost,
  neededBy?: string,
): string {
  const [key] = signingKeys.keys ?? [];
  const secret =
    signingKeys.encryptionSecret ?? (key && JSON.stringify(key.jwk)) ?? clientAuthentication.secretKey[0];
  if (secret !== undefined)
    return Buffer.from(hkdfSync('sha256', secret, '', 'express-authorization-server addresses', 32)).toString(
      'base64url',
    );
  if (neededBy !== undefined && !isLoopbackHost(new URL(issuer).hostname))
    throw serverOptionError(
      neededBy,
      'needs a secret that all processes have; write signingKeys: { encryptionSecret } (`openssl rand -base64 32` prints one)',
    );
  return randomBytes(32).toString('base64url');
}
