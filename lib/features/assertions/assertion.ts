import { decodeProtectedHeader } from 'jose/decode/protected_header';
import { decodeJwt } from 'jose/jwt/decode';

import type { Refuse } from '../../core/keys/verify-trusted-jwt.js';
import { jwtTypeOf } from '../../shared/crypto/jose.js';
import { OAuthError } from '../../shared/errors.js';

/** The `typ` of an ID-JAG (§3.1). */
export const ID_JAG = 'oauth-id-jag+jwt';

/** A parsed assertion, not yet verified. */
export type PresentedAssertion = ReturnType<typeof parseAssertion>;

/** Characters. Assertions of platforms have a quarter of this. */
const MAX_LENGTH = 16_384;

/** @throws OAuthError invalid_grant if the assertion is no JWT */
export function parseAssertion(jwt: string) {
  if (jwt.length > MAX_LENGTH)
    throw invalidAssertion(`it has ${jwt.length} characters`, { reason: 'assertion_malformed' });
  try {
    return { jwt, typ: jwtTypeOf(decodeProtectedHeader(jwt)), claims: decodeJwt(jwt) };
  } catch (cause) {
    throw invalidAssertion('no JWT', { reason: 'assertion_malformed', cause });
  }
}

/**
 * RFC 7521 §4.1.1, RFC 7523 §3.1: the client learns the problem only after the signature is verified. Until then every
 * cause has the same description.
 */
export function invalidAssertion(
  detail: string,
  {
    reason = 'assertion_invalid',
    description = 'the assertion is invalid, expired, was used before, or is not trusted here',
    cause,
  }: Partial<Parameters<Refuse>[1]> = {},
): OAuthError {
  return new OAuthError('invalid_grant', description, { reason, detail, cause });
}
