import type { GetCaller } from '../../shared/outbound/limit-untrusted-fetch.js';
import type { Client } from '../clients/client.js';
import type { ClientKeys, ClientKeySet } from './client-keys.js';
import { isUnknownKey } from './verify-assertion.js';

/**
 * Does something with the known keys of a client, and again with freshly fetched ones if the key that is needed was
 * missing; undefined if it is missing there too.
 */
export async function withClientKeys<Result>(
  clientKeys: ClientKeys,
  client: Client,
  verify: (keys: ClientKeySet) => Promise<Result>,
  getCaller?: GetCaller,
): Promise<Result | undefined> {
  const tryBy = async (keys: ClientKeySet): Promise<Result | undefined> => {
    try {
      return await verify(keys);
    } catch (error) {
      if (isUnknownKey(error)) return undefined;
      throw error;
    }
  };
  const verified = await tryBy(await clientKeys.find(client, getCaller));
  if (verified !== undefined) return verified;
  const newer = await clientKeys.refetch(client, getCaller);
  return newer && tryBy(newer);
}
