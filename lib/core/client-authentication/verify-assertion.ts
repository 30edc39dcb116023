import type { JWTVerifyGetKey } from 'jose';
import {
  JWKSNoMatchingKey,
  JWSSignatureVerificationFailed,
  JWTClaimValidationFailed,
  JWTExpired,
} from 'jose/errors';

import { jwtTypeOf, verifyByAny } from '../../shared/crypto/jose.js';
import { clockDetailOf, findWrongTime } from '../../shared/date.js';
import { OAuthError } from '../../shared/errors.js';
import type { FailureReason } from '../../shared/failure-reasons.js';
import { invalidClient } from './invalid-client.js';

const MAX_JTI_LENGTH = 256;
/** A JWT with another type (an access token, a request object) is no client assertion. */
const TYPES = [undefined, 'jwt', 'client-authentication+jwt'];

/** What verifies an assertion. The method sets the algorithms, not the header of the assertion. */
export interface AssertionKeys {
  readonly key: JWTVerifyGetKey | Uint8Array;
  readonly algorithms: readonly string[];
  /** Whether `aud` must be the issuer, as text (FAPI 2.0 Security Profile §5.3.2.1-8). Default: any audience. */
  readonly isForIssuer?: boolean;
  readonly now: Date;
}

/** Accepts an assertion once. @throws OAuthError invalid_client, or jose's error if no key fits */
export type VerifyAssertion = (assertion: ClientAssertion, keys: AssertionKeys) => Promise<void>;

/**
 * Uses up the id of the assertion last. Otherwise anybody could use up a client's id with an invalid assertion.
 *
 * @see RFC 7523 §3, RFC 7521 §5.2, OpenID Connect Core §9
 */
export function createAssertionVerifier(rules: {
  readonly issuer: string;
  readonly audiences: readonly string[];
  /** Seconds that `exp` may lie in the future. */
  readonly maxTtl: number;
  /** Seconds by which two clocks may differ. */
  readonly clockTolerance: number;
  readonly assertionIds: AssertionIds;
}): VerifyAssertion {
  const { issuer, audiences, maxTtl, clockTolerance, assertionIds } = rules;
  return async ({ jwt, clientId }, keys) => {
    const { key, algorithms, now } = keys;
    const options = {
      algorithms: [...algorithms],
      issuer: clientId,
      subject: clientId,
      requiredClaims: ['exp', 'aud', 'jti'],
      clockTolerance,
      currentDate: now,
    };
    const { payload, protectedHeader } = await verifyByAny(jwt, key, options).catch((error: unknown) => {
      if (error instanceof OAuthError || isUnknownKey(error)) throw error;
      if (error instanceof JWTExpired || error instanceof JWTClaimValidationFailed)
        throw invalidClient(clockDetailOf(error, { now, clockTolerance }) ?? error.message, {
          reason: error instanceof JWTExpired ? 'assertion_expired' : 'assertion_invalid',
          description: `the client assertion is not valid: ${error.message}`,
          cause: error,
        });
      throw invalidClient(error instanceof Error ? error.message : 'no signature', {
        reason: 'wrong_assertion_signature',
        cause: error,
      });
    });
    const type = jwtTypeOf(protectedHeader);
    if (!TYPES.includes(type))
      throw refuse(
        'typ of the client assertion must be client-authentication+jwt or JWT',
        undefined,
        `typ is ${type}`,
      );
    const { aud, exp = 0, jti } = payload;

    // one value: every server in a list could replay the assertion (RFC 7523 §3, draft-ietf-oauth-rfc7523bis §4)
    const [audience, ...more] = [aud].flat();
    if (audience === undefined || more.length > 0 || !audiences.includes(audience))
      throw refuse(`aud of the client assertion must be ${audiences.join(' or ')}, and nothing else`);
    if (keys.isForIssuer === true && aud !== issuer)
      throw refuse(`aud of the client assertion must be ${issuer}, as text and not in a list`);

    // RFC 7523 §3
    const wrongTime = findWrongTime(payload, maxTtl, { now, clockTolerance });
    if (wrongTime !== undefined) {
      const problem =
        wrongTime.claim === 'exp'
          ? `exp of the client assertion is more than ${maxTtl} seconds ahead`
          : 'iat of the client assertion is in the future';
      throw refuse(problem, undefined, wrongTime.detail);
    }

    if (typeof jti !== 'string' || jti === '' || jti.length > MAX_JTI_LENGTH)
      throw refuse(`jti of the client assertion must be text of 1 to ${MAX_JTI_LENGTH} characters`);
    // twice the tolerance: the clock of one process may be slow, and that of another fast
    const expiresAt = new Date((exp + 2 * clockTolerance) * 1000);
    if (!(await assertionIds.use(clientId, jti, expiresAt)))
      throw refuse('the client assertion was used before', 'assertion_used');
  };
}

/** The signature is verified, so the description may tell the client the cause. */
function refuse(
  description: string,
  reason: FailureReason = 'assertion_invalid',
  detail = description,
): OAuthError {
  return invalidClient(detail, { reason, description });
}

/** Whether an assertion failed only because of its signature. */
export function isWrongSignature(error: unknown): boolean {
  return error instanceof OAuthError && error.cause instanceof JWSSignatureVerificationFailed;
}

/** Whether the available keys lack the key that signed. */
export function isUnknownKey(error: unknown): boolean {
  return error instanceof JWKSNoMatchingKey;
}

/** The ids of used client assertions, stored as long as an assertion is valid (RFC 7523 §3, `jti`). */
export interface AssertionIds {
  /** Records that the client has used the id; false if the client had used it before, in any process. */
  use(clientId: string, jti: string, expiresAt: Date): Promise<boolean>;
}

/** A JWT by which a client authenticates (RFC 7523 §2.2), not verified yet. */
export interface ClientAssertion {
  readonly jwt: string;
  readonly algorithm: string;
  readonly clientId: string;
}
