import type { ClientStores } from '../client-store.js';

/**
 * Deletes a client with all that users have allowed it; resolves to how many grants ended, or to null if there was no
 * client. The client goes after them, so that a try that failed half way can be repeated; what it got meanwhile goes
 * last.
 *
 * @param remove false if there is nothing to delete
 */
export async function deleteClient(
  { grants, consents }: Pick<ClientStores, 'grants' | 'consents'>,
  { clientId, now }: { readonly clientId: string; readonly now: Date },
  remove: () => Promise<boolean>,
): Promise<number | null> {
  const endAll = async (): Promise<number> => {
    // forgotten first: a silent request that comes in between finds nothing that it could go by
    await consents.forget({ clientId });
    return grants.revokeAll({ clientId }, now);
  };
  const before = await endAll();
  const existed = await remove();
  const meanwhile = await endAll();
  return existed ? before + meanwhile : null;
}
