import type { AuthenticationHandler, MethodDependencies } from './method.js';

/**
 * A secret authenticates a confidential client; a public client has none and may send only an empty one. Secrets that
 * were migrated from a server that did not decode HTTP Basic are also accepted undecoded, until the client has once
 * sent its secret form-urlencoded.
 */
export function verifyBySecret(dependencies: MethodDependencies): AuthenticationHandler['verify'] {
  const { verifySecret, noteSecretUse } = dependencies;
  return async (client, { clientSecret = '', rawSecret = '' }, request) => {
    const { type, secrets } = client;
    if (type === 'public') return clientSecret === '' && rawSecret === '';
    // rate limits are per address, and a malicious page could use the addresses of its visitors. Never try guessable
    // secrets for cross-origin requests
    const possible =
      request.isFromForeignPage === true
        ? secrets.filter(({ algorithm }) => algorithm !== 'bcrypt')
        : secrets;
    const encoded = clientSecret === '' ? undefined : await verifySecret(clientSecret, possible, request);
    if (encoded !== undefined) {
      noteSecretUse(client, encoded, { endsRawBasic: rawSecret !== '' && encoded.isRawInBasic === true });
      return true;
    }
    const migrated = possible.filter(({ isRawInBasic }) => isRawInBasic === true);
    const raw = rawSecret === '' ? undefined : await verifySecret(rawSecret, migrated, request);
    if (raw !== undefined) noteSecretUse(client, raw);
    return raw !== undefined;
  };
}
