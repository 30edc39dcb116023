import type { Client } from '../clients/client.js';
import type { ClientKeys, ClientKeySet } from './remote-keys.js';
import { isUnknownKey } from './verify-assertion.js';

/**
 * Does something with the keys of a client, and once more with those that it has now if the one that is needed was not
 * among them; undefined if it is not among these either.
 */
export async function withClientKeys<Result>(
  clientKeys: ClientKeys,
  client: Client,
  verify: (keys: ClientKeySet) => Promise<Result>,
): Promise<Result | undefined> {
  const tryBy = async (keys: ClientKeySet): Promise<Result | undefined> => {
    try {
      return await verify(keys);
    } catch (error) {
      if (isUnknownKey(error)) return undefined;
      throw error;
    }
  };
  const verified = await tryBy(await clientKeys.find(client));
  if (verified !== undefined) return verified;
  const newer = await clientKeys.refetch(client);
  return newer && tryBy(newer);
}
