import type { JWTPayload } from 'jose';
import { JOSEError, JWKSTimeout, JWTClaimValidationFailed, JWTExpired } from 'jose/errors';

import type { AssertionIds } from '../../core/client-authentication/verify-assertion.js';
import { createTrustedKeys } from '../../core/keys/trusted-keys.js';
import type { AssertionClaims, TrustSettings } from '../../settings/features/assertion-options.js';
import { clockDetailOf, findWrongTime, type PresentTime } from '../../shared/clock-tolerance.js';
import { SIGNATURE_ALGORITHMS } from '../../shared/crypto/signature-algorithms.js';
import { verifyByAny } from '../../shared/crypto/verify-by-any.js';
import { unableForTheMoment } from '../../shared/errors.js';
import { ID_JAG, invalidAssertion, type PresentedAssertion } from './assertion.js';

const MAX_JTI_LENGTH = 256;
/** What other JWTs say that they are was not made for this (RFC 8725 §3.11); `JOSE` is that of a JWT-SVID of SPIFFE. */
const PLAIN_TYPES = [undefined, 'jwt', 'jose'];

/** Checks what is true of an assertion whoever presents it. */
export interface GrantVerifier {
  /** @throws OAuthError invalid_grant; temporarily_unavailable if the issuer's keys cannot be had */
  verify(assertion: PresentedAssertion, now: Date): Promise<AssertionClaims>;
  /** Uses the assertion up, if it is good once. @throws OAuthError invalid_grant if it was used before, in any process */
  use(claims: AssertionClaims): Promise<void>;
}

export interface GrantVerifierDependencies {
  readonly issuer: string;
  /** Seconds that the clock of the assertion's issuer and ours may be apart. */
  readonly clockTolerance: number;
  readonly assertionIds: AssertionIds;
}

/** @see RFC 7523 §3, RFC 7521 §5.2, RFC 8725 §3 */
export function createGrantVerifier(
  entry: TrustSettings,
  { issuer, clockTolerance, assertionIds }: GrantVerifierDependencies,
): GrantVerifier {
  const findKey = createTrustedKeys(entry, 'assertions');
  const typeProblem = (typ: string | undefined): string | undefined => {
    if (entry.kind === 'enterprise') return typ === ID_JAG ? undefined : `typ must be ${ID_JAG}`;
    return PLAIN_TYPES.includes(typ) ? undefined : 'typ must be JWT';
  };

  return {
    async verify({ jwt, typ }, now) {
      const claims = await verifySignature(jwt, {
        key: await findKey(),
        options: {
          algorithms: [...SIGNATURE_ALGORITHMS],
          issuer: entry.issuer,
          requiredClaims: ['sub', 'aud', 'exp'],
          clockTolerance,
          currentDate: now,
        },
      });
      const problem = typeProblem(typ) ?? findAudienceProblem(claims, issuer);
      if (problem !== undefined) throw refused(problem);
      checkTimes(claims, entry.maxTtl, { now, clockTolerance });
      const misfit = findIdProblem(claims, entry) ?? findKindProblem(claims, entry);
      if (misfit !== undefined) throw refused(misfit);
      return claims as AssertionClaims;
    },
    async use({ iss, jti, exp }) {
      if (!entry.singleUse) return;
      // both tolerances: kept until no process accepts the assertion any more
      const expiresAt = new Date((Number(exp) + 2 * clockTolerance) * 1000);
      // with a space in it, so that no client id is like it
      if (await assertionIds.use(`grant of ${iss}`, String(jti), expiresAt)) return;
      throw invalidAssertion('used before', {
        reason: 'assertion_used',
        description: 'the assertion was used before',
      });
    },
  };
}

/** The signature has been verified by now, so the sender may be told what is wrong. */
function refused(problem: string, detail = problem) {
  return invalidAssertion(detail, { description: `the assertion is not valid: ${problem}` });
}

interface Verification {
  readonly key: Parameters<typeof verifyByAny>[1];
  readonly options: Parameters<typeof verifyByAny>[2] & {
    readonly currentDate: Date;
    readonly clockTolerance: number;
  };
}

async function verifySignature(jwt: string, { key, options }: Verification): Promise<JWTPayload> {
  try {
    return (await verifyByAny(jwt, key, options)).payload;
  } catch (error) {
    const clock = clockDetailOf(error, { now: options.currentDate, clockTolerance: options.clockTolerance });
    if (error instanceof JWTExpired)
      throw invalidAssertion(clock ?? error.message, {
        reason: 'assertion_expired',
        description: 'the assertion has expired',
      });
    if (error instanceof JWTClaimValidationFailed) throw refused(error.message, clock);
    if (isUnanswered(error))
      throw unableForTheMoment('the keys of a trusted issuer could not be read', error);
    throw invalidAssertion(error instanceof Error ? error.message : 'no signature', {
      reason: 'wrong_assertion_signature',
      cause: error,
    });
  }
}

/** An answer that never came is not the assertion's fault. */
function isUnanswered(error: unknown): boolean {
  return !(error instanceof JOSEError) || error instanceof JWKSTimeout || error.code === 'ERR_JOSE_GENERIC';
}

/** A single value, not a list of servers that could all replay it (RFC 7523 §3, ID-JAG §4.4.1). */
function findAudienceProblem({ aud }: JWTPayload, issuer: string): string | undefined {
  const [audience, ...more] = [aud].flat();
  return audience === issuer && more.length === 0 ? undefined : `aud must be ${issuer}, and nothing else`;
}

/** RFC 7523 §3 */
function checkTimes(claims: JWTPayload, maxTtl: number, present: PresentTime): void {
  const found = findWrongTime(claims, maxTtl, present);
  if (found === undefined) return;
  const problem = found.claim === 'exp' ? `exp is more than ${maxTtl} seconds ahead` : 'iat is in the future';
  throw refused(problem, found.detail);
}

function findIdProblem({ jti }: JWTPayload, { singleUse }: TrustSettings): string | undefined {
  if (!singleUse && jti === undefined) return undefined;
  const isId = typeof jti === 'string' && jti !== '' && jti.length <= MAX_JTI_LENGTH;
  return isId ? undefined : `jti must be text of 1 to ${MAX_JTI_LENGTH} characters`;
}

/** What the kinds ask for besides (ID-JAG §3.1, §6); an ID token is no grant. */
function findKindProblem(claims: JWTPayload, entry: TrustSettings): string | undefined {
  if (entry.kind === 'workload') return undefined;
  if (entry.kind === 'partner')
    return claims.nonce === undefined && claims.at_hash === undefined ? undefined : 'it is an ID token';
  if (typeof claims.client_id !== 'string' || typeof claims.iat !== 'number')
    return 'client_id and iat are needed';
  return claims.tenant === entry.tenant ? undefined : 'tenant is not the one that is trusted';
}
