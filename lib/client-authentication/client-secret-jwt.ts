import { ASSERTION_PARAMETERS, readAssertion } from './assertion.js';
import { invalidClient } from './invalid-client.js';
import type { ClientAuthenticationMethod } from './method.js';
import { isWrongSignature } from './verify-assertion.js';

const ALGORITHMS = ['HS256'];

/**
 * A JWT with a MAC by the client's secret, which itself is not sent; the server needs it readable for that.
 *
 * @see RFC 7523 §2.2, §3, OpenID Connect Core §9
 */
export const clientSecretJwt: ClientAuthenticationMethod = {
  name: 'client_secret_jwt',
  parameters: ASSERTION_PARAMETERS,
  signingAlgorithms: ALGORITHMS,
  isOn: ({ clientSecretKey }) => clientSecretKey.length > 0,
  create: ({ verifyAssertion, keptSecrets }) => ({
    read({ parameters }) {
      const assertion = readAssertion(parameters);
      return assertion !== null && ALGORITHMS.includes(assertion.algorithm)
        ? { clientId: assertion.clientId, assertion }
        : null;
    },
    async verify({ clientId, secrets }, { assertion }) {
      if (assertion === undefined || keptSecrets === undefined) return false;
      const now = new Date();
      const kept = secrets.flatMap(({ sealed, expiresAt }) =>
        sealed === undefined || (expiresAt !== undefined && expiresAt <= now) ? [] : [sealed],
      );
      if (kept.length === 0)
        throw invalidClient('no secret of the client is kept readable: rotateSecret makes one that is');
      return verifyByOneOf(
        await Promise.all(kept.map((sealed) => keptSecrets.open(clientId, sealed))),
        (key) => verifyAssertion(assertion, { key, algorithms: ALGORITHMS }),
      );
    },
  }),
};

/** There are two secrets while one is rotated. */
async function verifyByOneOf(
  [secret, ...more]: readonly string[],
  verify: (key: Uint8Array) => Promise<void>,
): Promise<boolean> {
  try {
    await verify(new TextEncoder().encode(secret));
    return true;
  } catch (error) {
    if (more.length === 0 || !isWrongSignature(error)) throw error;
    return verifyByOneOf(more, verify);
  }
}
