import type { AssertionClaims } from '../../core/grants/asserted-user.js';
import { createTrustedKeys, selectSvidKeys, SVID_ALGORITHMS } from '../../core/keys/trusted-keys.js';
import { findAudienceProblem, notValid, verifyTrustedJwt } from '../../core/keys/verify-trusted-jwt.js';
import type { Settings } from '../../settings/settings.js';
import { SIGNATURE_ALGORITHMS } from '../../shared/crypto/jwa.js';
import { trustDomainNamed } from '../../shared/protocol/spiffe-id.js';
import { ID_JAG, invalidAssertion, type PresentedAssertion } from './assertion.js';
import { keySourceOf, type TrustSettings } from './options.js';
import { isOfIssuer } from './trust.js';

const MAX_JTI_LENGTH = 256;
/** RFC 8725 §3.11: a JWT with another `typ` was made for another purpose. JWT-SVIDs of SPIFFE have `JOSE`. */
const PLAIN_TYPES = [undefined, 'jwt', 'jose'];

/**
 * Checks an assertion, whichever client presents it.
 *
 * @see RFC 7523 §3, RFC 7521 §5.2, RFC 8725 §3
 */
export function createGrantVerifier(
  entry: TrustSettings,
  { issuer, security: { clockTolerance }, spiffe }: Settings,
) {
  const isOfSpiffe = trustDomainNamed(entry.issuer) !== undefined;
  const findKey = createTrustedKeys(keySourceOf(entry, spiffe), {
    option: 'assertions',
    select: isOfSpiffe ? selectSvidKeys : undefined,
  });

  return async ({ jwt, typ }: PresentedAssertion, now: Date): Promise<AssertionClaims> => {
    const { payload } = await verifyTrustedJwt(jwt, {
      key: await findKey(),
      algorithms: isOfSpiffe ? SVID_ALGORITHMS : SIGNATURE_ALGORITHMS,
      issuer: isOfSpiffe ? undefined : entry.issuer,
      requiredClaims: ['sub', 'aud', 'exp'],
      maxTtl: entry.maxTtl,
      present: { now, clockTolerance },
      refuse: invalidAssertion,
    });
    const { aud, jti, nonce, at_hash: atHash, client_id: clientId, iat, tenant } = payload;
    // RFC 7523 §3: the audience
    let problem = findAudienceProblem(aud, issuer);
    // RFC 7523 §3: single use needs a `jti`
    const isId = typeof jti === 'string' && jti !== '' && jti.length <= MAX_JTI_LENGTH;
    if ((entry.singleUse || jti !== undefined) && !isId)
      problem ??= `jti must be text of 1 to ${MAX_JTI_LENGTH} characters`;
    if (entry.kind === 'enterprise') {
      // ID-JAG §3.1, §6
      if (typ !== ID_JAG) problem = `typ must be ${ID_JAG}`;
      if (typeof clientId !== 'string' || typeof iat !== 'number') problem ??= 'client_id and iat are needed';
      if (tenant !== entry.tenant) problem ??= 'tenant is not the one that is trusted';
    } else {
      // RFC 8725 §3.11: a JWT of another `typ`, and an ID token, is no grant
      if (!PLAIN_TYPES.includes(typ)) problem = 'typ must be JWT';
      if (entry.kind === 'partner' && (nonce !== undefined || atHash !== undefined))
        problem ??= 'it is an ID token';
    }
    // the keys of one trust domain verify no token of another
    if (!isOfIssuer(entry, payload)) problem ??= 'sub is of another trust domain';
    if (problem !== undefined) throw notValid(invalidAssertion, problem);
    return { ...payload, iss: entry.issuer } as AssertionClaims;
  };
}
