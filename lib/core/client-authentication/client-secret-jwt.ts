import { ASSERTION_PARAMETERS, readAssertion, registeredAlgorithms } from './assertion.js';
import { invalidClient } from './invalid-client.js';
import type { ClientAuthenticationMethod } from './method.js';
import { isWrongSignature } from './verify-assertion.js';

const ALGORITHMS = ['HS256'];

/**
 * A JWT with a MAC by the client's secret, which is not sent itself; the server must be able to read the secret.
 *
 * @see RFC 7523 §2.2, §3, OpenID Connect Core §9
 */
export const clientSecretJwt: ClientAuthenticationMethod = {
  name: 'client_secret_jwt',
  credential: 'secret',
  readsSecret: true,
  // clients that register themselves do not expect their secret to be stored readable under a key of the site
  isRegistrable: false,
  parameters: ASSERTION_PARAMETERS,
  signingAlgorithms: ALGORITHMS,
  isOn: ({ clientAuthentication }) => clientAuthentication.secretKey.length > 0,
  create({ verifyAssertion, sealedSecrets, noteSecretUse }, { otherTypes }) {
    return {
      read({ parameters }) {
        const assertion = readAssertion(parameters, { otherTypes });
        return assertion !== null && ALGORITHMS.includes(assertion.algorithm)
          ? { clientId: assertion.clientId, assertion }
          : null;
      },
      async verify(client, { assertion }, { now }) {
        const { clientId, secrets } = client;
        if (assertion === undefined || sealedSecrets === undefined) return false;
        const stored = secrets.flatMap((secret) => {
          const { sealed, expiresAt } = secret;
          const isExpired = expiresAt !== undefined && expiresAt <= now;
          return sealed === undefined || isExpired ? [] : { secret, sealed };
        });
        if (stored.length === 0)
          throw invalidClient(
            'the client has no stored secret that this server can decrypt; rotateSecret makes one',
            { reason: 'client_keys_missing' },
          );
        const algorithms = registeredAlgorithms(client, ALGORITHMS);
        const opened = await Promise.all(
          stored.map(async ({ secret, sealed }) => {
            const text = await sealedSecrets.open(clientId, sealed);
            return { secret, key: new TextEncoder().encode(text) };
          }),
        );
        // during a rotation there are two secrets: verify by either
        for (const [index, { secret, key }] of opened.entries()) {
          try {
            await verifyAssertion(assertion, { key, algorithms, now });
            noteSecretUse(client, secret);
            return true;
          } catch (error) {
            if (index === opened.length - 1 || !isWrongSignature(error)) throw error;
          }
        }
        return false;
      },
    };
  },
};
