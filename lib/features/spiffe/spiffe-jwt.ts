import { ASSERTION_PARAMETERS, readAssertion } from '../../core/client-authentication/assertion.js';
import { invalidClient } from '../../core/client-authentication/invalid-client.js';
import type { ClientAuthenticationMethod } from '../../core/client-authentication/method.js';
import { matchesSpiffeId, MAX_SPIFFE_ID_LENGTH } from '../../shared/protocol/spiffe-id.js';
import { createSvidVerifier } from './jwt-svid.js';

/** §3.1 */
const JWT_SPIFFE = 'urn:ietf:params:oauth:client-assertion-type:jwt-spiffe';

/**
 * The JWT-SVID that a workload gets from its platform. The client is that of `client_id`, or the one whose id is the
 * SPIFFE ID.
 *
 * @see OAuth SPIFFE Client Authentication (draft 02) §3.1
 */
export const spiffeJwt: ClientAuthenticationMethod = {
  name: 'spiffe_jwt',
  credential: 'svid',
  parameters: ASSERTION_PARAMETERS,
  requiresExplicitRegistration: true,
  assertionType: JWT_SPIFFE,
  isOn: ({ spiffe }) => Boolean(spiffe),
  create({ settings }) {
    const verifySvid = createSvidVerifier(settings);
    return {
      read({ parameters }) {
        if (parameters.client_assertion_type !== JWT_SPIFFE) return null;
        const kind = { type: JWT_SPIFFE, maxSubjectLength: MAX_SPIFFE_ID_LENGTH };
        const assertion = readAssertion(parameters, kind);
        return assertion && { clientId: parameters.client_id ?? assertion.clientId, assertion };
      },
      async verify({ spiffeId }, { assertion }, { now }) {
        if (assertion === undefined) return false;
        await verifySvid(assertion, now);
        // §3.1 rule 5: the SPIFFE ID must be the client's
        if (spiffeId !== undefined && matchesSpiffeId(spiffeId, assertion.clientId)) return true;
        throw invalidClient(`sub is ${assertion.clientId}`, {
          reason: 'assertion_invalid',
          description: 'the SPIFFE ID of the JWT-SVID is not that of the client',
        });
      },
    };
  },
};
