import { decodeProtectedHeader } from 'jose/decode/protected_header';

import type { Client } from '../../core/clients/client.js';
import type { SigningKey } from '../../core/keys/signing-keys.js';
import type { FeatureParts } from '../../server/server.js';
import { encryptionAlgorithmsOf } from '../../settings/options/signing-key-options.js';
import { loadJose } from '../../shared/crypto/jose.js';
import {
  algorithmsTo,
  CONTENT_ENCRYPTION_ALGORITHMS,
  DEFAULT_CONTENT_ENCRYPTION,
  isKeyFor,
} from '../../shared/crypto/jwa.js';
import { OAuthError } from '../../shared/errors.js';

/** RFC 7519 §5.2, RFC 9101 §9.4.1; a missing `cty` means the same. */
const CONTENT_TYPES: readonly unknown[] = [undefined, 'JWT', 'jwt', 'oauth-authz-req+jwt'];

/** Milliseconds between two database reads for unknown key ids, which anybody can send. */
const REST = 5_000;

/**
 * Decrypts a request object to its signed JWT. Decryption proves no sender (RFC 9101 §10.2), because the key is public.
 * Undefined if the options allow no encryption.
 *
 * @see RFC 9101 §6.1
 */
export function createDecryptObject({ settings, signingKeys }: FeatureParts) {
  const algorithms = algorithmsTo(encryptionAlgorithmsOf(settings));
  if (algorithms.length === 0) return undefined;
  let readAt = -Infinity;
  return async (jwe: string, client: Client): Promise<string> => {
    // a client without keys cannot sign, so decryption would be useless
    if (client.jwks === undefined && client.jwksUri === undefined)
      throw invalidObject('it cannot be verified: the client has no keys');

    // validates the header before the search for a key
    let header: Readonly<Record<string, unknown>>;
    try {
      header = decodeProtectedHeader(jwe);
    } catch (cause) {
      throw invalidObject('it is no encrypted JWT', cause);
    }
    const registeredAlg = client.requestObjectEncryptionAlg;
    const alg = oneOf(header.alg, registeredAlg === undefined ? algorithms : [registeredAlg], 'alg');
    // OpenID Connect Registration §2
    const registeredEnc = client.requestObjectEncryptionEnc ?? DEFAULT_CONTENT_ENCRYPTION;
    const enc = oneOf(
      header.enc,
      registeredAlg === undefined ? CONTENT_ENCRYPTION_ALGORITHMS : [registeredEnc],
      'enc',
    );
    // RFC 8725 §3.6: the length of compressed data reveals its content, and its expansion may be huge
    if (header.zip !== undefined) throw invalidObject('it is compressed');
    if (!CONTENT_TYPES.includes(header.cty)) throw invalidObject('its cty must be JWT');
    // OpenID Connect Core §10.2: this server has more than one key
    const { kid } = header;
    if (typeof kid !== 'string') throw invalidObject('it has no kid of a key of this server');

    // the key must be for this algorithm (RFC 8725 §3.1); a signing key decrypts nothing
    const isMeant = (each: SigningKey) => each.kid === kid && isKeyFor(each.algorithm, alg);
    let key = (await signingKeys.current()).find(isMeant);
    const now = performance.now();
    // another process may have published the key just now: reads the database, at most once in `REST`
    if (key === undefined && now - readAt >= REST) {
      readAt = now;
      key = (await signingKeys.list()).find(isMeant);
    }
    if (key === undefined) throw invalidObject('its kid is of no key of this server that is for its alg');
    const { compactDecrypt } = await loadJose();
    try {
      const { plaintext } = await compactDecrypt(jwe, key.privateKey, {
        keyManagementAlgorithms: [alg],
        contentEncryptionAlgorithms: [enc],
      });
      return new TextDecoder().decode(plaintext);
    } catch (cause) {
      // one description for every cause, which is for the log. Not all errors are jose's, such as a point off the curve
      throw invalidObject('it cannot be decrypted', cause);
    }
  };
}

/** A JWE has five parts (RFC 7516 §9). */
export function isEncrypted(jwt: string): boolean {
  return jwt.split('.').length === 5;
}

/** RFC 8725 §3.1: the lists of this server and of the client decide, whatever the header says. */
function oneOf(value: unknown, allowed: readonly string[], name: string): string {
  if (typeof value === 'string' && allowed.includes(value)) return value;
  throw invalidObject(`its ${name} must be one of ${allowed.join(', ')}`);
}

/** RFC 9101 §7: refuses a request object. */
export function invalidObject(problem: string, cause?: unknown, detail?: string): OAuthError {
  return new OAuthError('invalid_request_object', `the request object cannot be used: ${problem}`, {
    reason: 'request_object_invalid',
    cause,
    detail,
  });
}
