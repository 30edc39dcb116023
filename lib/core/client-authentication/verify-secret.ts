import type { ClientSecret } from '../clients/client.js';
import type { AuthenticationHandler, MethodDependencies } from './method.js';

/**
 * A secret authenticates a confidential client; a public one has none, so only an empty secret is right for it. Secrets
 * that were migrated from a server that did not decode HTTP Basic are also accepted undecoded, until the client has
 * once sent its secret form-urlencoded.
 */
export function verifyBySecret({
  verifySecret: verify,
  noteSecretUse,
}: Pick<MethodDependencies, 'verifySecret' | 'noteSecretUse'>): AuthenticationHandler['verify'] {
  return async (
    client,
    { clientSecret = '', rawSecret = '' },
    { now, beforeGuess, closeSignal, isFromForeignPage = false },
  ) => {
    const { type, secrets } = client;
    if (type === 'public') return clientSecret === '' && rawSecret === '';
    // rate limits are per address, and a malicious page could use those of its visitors. Never try guessable secrets
    // for cross-origin requests
    const possible = isFromForeignPage ? secrets.filter(({ algorithm }) => algorithm !== 'bcrypt') : secrets;
    const attempt = { now, beforeGuess, closeSignal };
    const encoded = await verifyUnlessEmpty(clientSecret, possible, attempt);
    if (encoded !== undefined) {
      noteSecretUse(client, encoded, { endsRawBasic: rawSecret !== '' && encoded.isRawInBasic === true });
      return true;
    }
    const raw = await verifyRaw(rawSecret, possible, attempt);
    if (raw !== undefined) noteSecretUse(client, raw);
    return raw !== undefined;
  };

  /** Compares the undecoded secret with the migrated secrets alone. */
  async function verifyRaw(
    rawSecret: string,
    possible: readonly ClientSecret[],
    attempt: Parameters<typeof verify>[2],
  ): Promise<ClientSecret | undefined> {
    const mayBe = possible.filter(({ isRawInBasic }) => isRawInBasic === true);
    return mayBe.length === 0 ? undefined : verifyUnlessEmpty(rawSecret, mayBe, attempt);
  }

  async function verifyUnlessEmpty(...given: Parameters<typeof verify>): Promise<ClientSecret | undefined> {
    return given[0] === '' ? undefined : verify(...given);
  }
}
