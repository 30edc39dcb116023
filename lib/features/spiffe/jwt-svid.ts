import { decodeProtectedHeader } from 'jose/decode/protected_header';

import { invalidClient } from '../../core/client-authentication/invalid-client.js';
import type { ClientAssertion } from '../../core/client-authentication/verify-assertion.js';
import { createTrustedKeys, selectSvidKeys, SVID_ALGORITHMS } from '../../core/keys/trusted-keys.js';
import { findAudienceProblem, notValid, verifyTrustedJwt } from '../../core/keys/verify-trusted-jwt.js';
import type { Settings } from '../../settings/settings.js';
import { requireEnabled } from '../../settings/table/require-enabled.js';
import { parseSpiffeId } from '../../shared/protocol/spiffe-id.js';

/** JWT-SVID §2.3 */
const TYPES = [undefined, 'JWT', 'JOSE'];

/**
 * Verifies JWT-SVIDs by the keys of the trust domain in `sub`. Clients reuse a JWT-SVID until it expires (JWT-SVID
 * §6.1), so `jti` is ignored, and so is `iss`: the issuer is the trust domain.
 *
 * @throws TypeError if keys of the options are invalid
 * @see JWT-SVID §2, §3, OAuth SPIFFE Client Authentication (draft 02) §3.1, §6, §8.1
 */
export function createSvidVerifier({ spiffe, issuer, security: { clockTolerance } }: Settings) {
  // §6: keyed by trust domain, so that no key serves another domain
  const byTrustDomain = new Map(
    Object.entries(requireEnabled(spiffe, 'spiffe')).map(([name, { maxTtl, ...source }]) => [
      name,
      {
        maxTtl,
        findKey: createTrustedKeys(source, { option: `spiffe.${name}`, select: selectSvidKeys }),
      },
    ]),
  );
  /** @throws OAuthError invalid_client */
  return async ({ jwt, clientId: sub }: ClientAssertion, now: Date): Promise<void> => {
    const id = parseSpiffeId(sub);
    const trustDomain = id && byTrustDomain.get(id.trustDomain);
    if (trustDomain === undefined)
      throw invalidClient(`sub ${sub} is no SPIFFE ID of a trust domain of the options`, {
        reason: 'assertion_invalid',
      });
    const { payload } = await verifyTrustedJwt(jwt, {
      key: await trustDomain.findKey(),
      algorithms: SVID_ALGORITHMS,
      requiredClaims: ['sub', 'aud', 'exp'],
      maxTtl: trustDomain.maxTtl,
      present: { now, clockTolerance },
      refuse: invalidClient,
    });
    const isType = TYPES.includes(decodeProtectedHeader(jwt).typ);
    const problem = isType ? findAudienceProblem(payload.aud, issuer) : 'typ must be JWT or JOSE';
    if (problem !== undefined) throw notValid(invalidClient, problem);
  };
}
