import { isClientIdUrl } from '../../../shared/protocol/client-id-url.js';
import type { ClientMetadata } from '../client.js';
import { type ClientField, valueOf } from '../client-field.js';
import { metadataError } from '../client-metadata.js';
import type { ClientStore } from '../client-store.js';

/**
 * Checks that the clients exist that a client newly names. What it named before may have been deleted since, and does
 * not stand in the way of another change.
 *
 * @throws OAuthError invalid_client_metadata with the ids of nobody
 */
export async function checkNamedClients(
  clients: ClientStore,
  fields: readonly ClientField[],
  client: ClientMetadata,
  before: Partial<ClientMetadata> = {},
): Promise<void> {
  for (const field of fields.filter(({ namesClients }) => namesClients)) {
    const [earlier = [], named = []] = [valueOf(before, field), valueOf(client, field)] as string[][];
    const added = named.filter(
      // a client that describes itself may not have come yet
      (id) => !earlier.includes(id) && !isClientIdUrl(id, { allowLoopback: true }),
    );
    if (added.length === 0) continue;
    const existing = (await clients.findNames(added)).map(({ clientId }) => clientId);
    const unknown = added.filter((id) => !existing.includes(id));
    const text = `${field.name} names ${unknown.join(', ')}, and there is no such client: register it first.`;
    if (unknown.length > 0) throw metadataError({ field: field.name, problem: text });
  }
}
