import { ASSERTION_PARAMETERS, jwtBearerFormat, readAssertion, registeredAlgorithms } from './assertion.js';
import { invalidClient } from './invalid-client.js';
import type { ClientAuthenticationMethod } from './method.js';
import { isWrongSignature } from './verify-assertion.js';

const ALGORITHMS = ['HS256'];

/**
 * A JWT with a MAC made with the client's secret, which is not sent itself; the server must be able to read the secret.
 *
 * @see RFC 7523 §2.2, §3, OpenID Connect Core §9
 */
export const clientSecretJwt: ClientAuthenticationMethod = {
  name: 'client_secret_jwt',
  credential: 'secret',
  readsSecret: true,
  // clients that register themselves do not expect this: their secret would be kept readable under a key of the site
  isRegistrable: false,
  parameters: ASSERTION_PARAMETERS,
  signingAlgorithms: ALGORITHMS,
  isOn: ({ clientAuthentication }) => clientAuthentication.secretKey.length > 0,
  create({ verifyAssertion, sealedSecrets, noteSecretUse, otherTypes }) {
    const format = jwtBearerFormat(otherTypes);
    return {
      read({ parameters }) {
        const assertion = readAssertion(parameters, format);
        return assertion !== null && ALGORITHMS.includes(assertion.algorithm)
          ? { clientId: assertion.clientId, assertion }
          : null;
      },
      async verify(client, { assertion }, { now }) {
        const { clientId, secrets } = client;
        if (assertion === undefined || sealedSecrets === undefined) return false;
        const stored = secrets.flatMap((secret) =>
          secret.sealed === undefined || (secret.expiresAt !== undefined && secret.expiresAt <= now)
            ? []
            : [{ secret, sealed: secret.sealed }],
        );
        if (stored.length === 0)
          throw invalidClient(
            'the client has no stored secret that this server can decrypt; rotateSecret makes one',
            {
              reason: 'client_keys_missing',
            },
          );
        const opened = await Promise.all(
          stored.map(async ({ secret, sealed }) => ({
            secret,
            text: await sealedSecrets.open(clientId, sealed),
          })),
        );
        const { secret } = await findRight(opened, (key) =>
          verifyAssertion(assertion, { key, algorithms: registeredAlgorithms(client, ALGORITHMS), now }),
        );
        noteSecretUse(client, secret);
        return true;
      },
    };
  },
};

/** The secret that verifies it: there are two while one is rotated. @throws OAuthError if it is none */
async function findRight<Opened extends { readonly text: string }>(
  [opened, ...more]: readonly Opened[],
  verify: (key: Uint8Array) => Promise<void>,
): Promise<Opened> {
  if (opened === undefined) throw new RangeError('no secret to verify by');
  try {
    await verify(new TextEncoder().encode(opened.text));
    return opened;
  } catch (error) {
    if (more.length === 0 || !isWrongSignature(error)) throw error;
    return findRight(more, verify);
  }
}
