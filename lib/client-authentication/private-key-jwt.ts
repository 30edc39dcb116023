import type { JWTVerifyGetKey } from 'jose';

import { ASSERTION_PARAMETERS, readAssertion } from './assertion.js';
import type { ClientAuthenticationMethod } from './method.js';
import { isUnknownKey } from './verify-assertion.js';

/** Signatures only: a public key is never taken for an HMAC secret, and `none` is none. */
const ALGORITHMS = [
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
];

/**
 * A JWT that the client signs with a key of its own; the server knows the public half only.
 *
 * @see RFC 7523 §2.2, §3, OpenID Connect Core §9
 */
export const privateKeyJwt: ClientAuthenticationMethod = {
  name: 'private_key_jwt',
  parameters: ASSERTION_PARAMETERS,
  signingAlgorithms: ALGORITHMS,
  create: ({ verifyAssertion, clientKeys, otherAlgorithms }) => ({
    read({ parameters }) {
      const assertion = readAssertion(parameters);
      return assertion === null || otherAlgorithms.includes(assertion.algorithm)
        ? null
        : { clientId: assertion.clientId, assertion };
    },
    async verify(client, { assertion }) {
      if (assertion === undefined) return false;
      const isKnownKey = async (key: JWTVerifyGetKey): Promise<boolean> => {
        try {
          await verifyAssertion(assertion, { key, algorithms: ALGORITHMS });
          return true;
        } catch (error) {
          if (isUnknownKey(error)) return false;
          throw error;
        }
      };
      if (await isKnownKey(await clientKeys.find(client))) return true;
      // the client may have a new key since its keys were fetched
      const newer = await clientKeys.refetch(client);
      return newer !== undefined && isKnownKey(newer);
    },
  }),
};
