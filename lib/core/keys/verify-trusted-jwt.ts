import type { JWTVerifyGetKey, JWTVerifyOptions, JWTVerifyResult } from 'jose';
import { JOSEError, JWKSTimeout, JWTClaimValidationFailed, JWTExpired } from 'jose/errors';

import { verifyByAny } from '../../shared/crypto/jose.js';
import { clockDetailOf, findWrongTime, type PresentTime } from '../../shared/date.js';
import { OAuthError, unableForTheMoment } from '../../shared/errors.js';
import type { FailureReason } from '../../shared/failure-reasons.js';

/** Makes the error of the endpoint; without a description the caller learns no cause. */
export type Refuse = (
  detail: string,
  options: {
    readonly reason: FailureReason;
    readonly description?: string;
    readonly cause?: unknown;
  },
) => OAuthError;

/**
 * Verifies a JWT of a trusted issuer: its signature, times and required claims. Errors may name the problem: only a JWT
 * with a valid signature gets that far.
 *
 * @throws OAuthError of `refuse`; temporarily_unavailable if the keys cannot be read
 * @see RFC 7523 §3, RFC 8725 §3
 */
export async function verifyTrustedJwt(
  jwt: string,
  how: {
    readonly issuer?: JWTVerifyOptions['issuer'];
    readonly key: JWTVerifyGetKey;
    readonly algorithms: readonly string[];
    readonly requiredClaims: readonly string[];
    /** Seconds that `exp` may lie in the future. */
    readonly maxTtl: number;
    readonly present: PresentTime;
    readonly refuse: Refuse;
  },
): Promise<JWTVerifyResult> {
  const { key, algorithms, issuer, requiredClaims, maxTtl, present, refuse } = how;
  const options = {
    algorithms: [...algorithms],
    issuer,
    requiredClaims: [...requiredClaims],
    clockTolerance: present.clockTolerance,
    currentDate: present.now,
  };
  const verified = await verifyByAny(jwt, key, options).catch((error: unknown) => {
    if (error instanceof OAuthError) throw error;
    const clock = clockDetailOf(error, present);
    if (error instanceof JWTExpired)
      throw refuse(clock ?? error.message, {
        reason: 'assertion_expired',
        description: 'the assertion has expired',
      });
    if (error instanceof JWTClaimValidationFailed) throw notValid(refuse, error.message, clock);
    // a missing response is not the assertion's fault
    if (!(error instanceof JOSEError) || error instanceof JWKSTimeout || error.code === 'ERR_JOSE_GENERIC')
      throw unableForTheMoment('the keys of a trusted issuer could not be read', error);
    throw refuse(error.message, { reason: 'wrong_assertion_signature', cause: error });
  });
  const wrong = findWrongTime(verified.payload, maxTtl, present);
  if (wrong === undefined) return verified;
  const problem = wrong.claim === 'exp' ? `exp is more than ${maxTtl} seconds ahead` : 'iat is in the future';
  throw notValid(refuse, problem, wrong.detail);
}

/** Reports a problem of a JWT whose signature is valid, so that the sender may learn the problem. */
export function notValid(refuse: Refuse, problem: string, detail = problem): OAuthError {
  return refuse(detail, {
    reason: 'assertion_invalid',
    description: `the assertion is not valid: ${problem}`,
  });
}

/** Only one value: every server in a list could replay the JWT (RFC 7523 §3, draft-ietf-oauth-rfc7523bis §4). */
export function findAudienceProblem(aud: string | string[] | undefined, issuer: string): string | undefined {
  const [audience, ...more] = [aud].flat();
  return audience === issuer && more.length === 0 ? undefined : `aud must be ${issuer}, and nothing else`;
}
