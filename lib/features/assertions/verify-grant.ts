import type { JWTPayload } from 'jose';

import type { AssertionIds } from '../../core/client-authentication/verify-assertion.js';
import type { AssertionClaims } from '../../core/grants/asserted-user.js';
import { createTrustedKeys, selectSvidKeys, SVID_ALGORITHMS } from '../../core/keys/trusted-keys.js';
import { findAudienceProblem, notValid, verifyTrustedJwt } from '../../core/keys/verify-trusted-jwt.js';
import type { TrustedKeySource } from '../../settings/options/key-source-options.js';
import { SIGNATURE_ALGORITHMS } from '../../shared/crypto/encryption-algorithms.js';
import { trustDomainNamed } from '../../shared/protocol/spiffe-id.js';
import { ID_JAG, invalidAssertion, type PresentedAssertion } from './assertion.js';
import type { TrustSettings } from './options.js';
import { isOfIssuer } from './trust.js';

const MAX_JTI_LENGTH = 256;
/** What other JWTs say that they are was not made for this (RFC 8725 §3.11); `JOSE` is that of a JWT-SVID of SPIFFE. */
const PLAIN_TYPES = [undefined, 'jwt', 'jose'];

/**
 * Checks what is true of an assertion whoever presents it.
 *
 * @throws OAuthError invalid_grant; temporarily_unavailable if the issuer's keys cannot be had
 */
export type VerifyGrant = (assertion: PresentedAssertion, now: Date) => Promise<AssertionClaims>;

export interface GrantVerifierDependencies {
  readonly issuer: string;
  /** Seconds that the clock of the assertion's issuer and ours may be apart. */
  readonly clockTolerance: number;
  /** Where the keys of the entry are. */
  readonly keys: TrustedKeySource;
}

/** @see RFC 7523 §3, RFC 7521 §5.2, RFC 8725 §3 */
export function createGrantVerifier(
  entry: TrustSettings,
  { issuer, clockTolerance, keys }: GrantVerifierDependencies,
): VerifyGrant {
  const isOfSpiffe = trustDomainNamed(entry.issuer) !== undefined;
  const findKey = createTrustedKeys(keys, {
    option: 'assertions',
    ...(isOfSpiffe && { select: selectSvidKeys }),
  });
  const typeProblem = (typ: string | undefined): string | undefined => {
    if (entry.kind === 'enterprise') return typ === ID_JAG ? undefined : `typ must be ${ID_JAG}`;
    return PLAIN_TYPES.includes(typ) ? undefined : 'typ must be JWT';
  };

  return async ({ jwt, typ }, now) => {
    const { payload: claims } = await verifyTrustedJwt(jwt, {
      key: await findKey(),
      algorithms: isOfSpiffe ? SVID_ALGORITHMS : SIGNATURE_ALGORITHMS,
      ...(!isOfSpiffe && { issuer: entry.issuer }),
      requiredClaims: ['sub', 'aud', 'exp'],
      maxTtl: entry.maxTtl,
      present: { now, clockTolerance },
      refuse: invalidAssertion,
    });
    const problem =
      typeProblem(typ) ??
      findAudienceProblem(claims.aud, issuer) ??
      findIdProblem(claims, entry) ??
      findKindProblem(claims, entry) ??
      // no token of one trust domain is taken by the keys of another
      (isOfIssuer(entry, claims) ? undefined : 'sub is of another trust domain');
    if (problem !== undefined) throw notValid(invalidAssertion, problem);
    return { ...claims, iss: entry.issuer } as AssertionClaims;
  };
}

/** Uses an assertion up, if it is good once. @throws OAuthError invalid_grant if it was used before, in any process */
export async function useAssertion(
  entry: TrustSettings,
  { iss, jti, exp }: AssertionClaims,
  { clockTolerance, assertionIds }: { readonly clockTolerance: number; readonly assertionIds: AssertionIds },
): Promise<void> {
  if (!entry.singleUse) return;
  // both tolerances: kept until no process accepts the assertion any more
  const expiresAt = new Date((Number(exp) + 2 * clockTolerance) * 1000);
  // with a space in it, so that no client id is like it
  if (await assertionIds.use(`grant of ${iss}`, String(jti), expiresAt)) return;
  throw invalidAssertion('used before', {
    reason: 'assertion_used',
    description: 'the assertion was used before',
  });
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
