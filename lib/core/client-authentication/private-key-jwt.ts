import { SIGNATURE_ALGORITHMS } from '../../shared/crypto/jwa.js';
import { algorithmsFor, requiresFapi } from '../clients/fapi-profile.js';
import { ASSERTION_PARAMETERS, readAssertion, registeredAlgorithms } from './assertion.js';
import { type ClientKeySet, withClientKeys } from './client-keys.js';
import type { ClientAuthenticationMethod } from './method.js';

/**
 * A JWT that the client signs with its private key; the server has only the public key.
 *
 * @see RFC 7523 §2.2, §3, OpenID Connect Core §9
 */
export const privateKeyJwt: ClientAuthenticationMethod = {
  name: 'private_key_jwt',
  credential: 'keys',
  parameters: ASSERTION_PARAMETERS,
  signingAlgorithms: SIGNATURE_ALGORITHMS,
  create({ verifyAssertion, clientKeys, settings }, { otherAlgorithms, otherTypes }) {
    return {
      read({ parameters }) {
        const assertion = readAssertion(parameters, { otherTypes });
        return assertion === null || otherAlgorithms.includes(assertion.algorithm)
          ? null
          : { clientId: assertion.clientId, assertion };
      },
      async verify(client, { assertion }, { now, getCaller }) {
        if (assertion === undefined) return false;
        const verifyBy = async ({ find }: ClientKeySet) => {
          await verifyAssertion(assertion, {
            key: find,
            algorithms: registeredAlgorithms(client, algorithmsFor(settings, client)),
            isForIssuer: requiresFapi(settings, client),
            now,
          });
          return true;
        };
        return (await withClientKeys(clientKeys, client, verifyBy, getCaller)) === true;
      },
    };
  },
};
