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
  clients: Pick<ClientStore, 'findNames'>,
  fields: readonly ClientField[],
  client: ClientMetadata,
  before?: ClientMetadata,
): Promise<void> {
  for (const field of fields.filter(({ namesClients }) => namesClients)) {
    const earlier = before === undefined ? [] : idsIn(before, field);
    // a client that describes itself may not have come yet
    const added = idsIn(client, field).filter((id) => !earlier.includes(id) && !isDescribed(id));
    if (added.length === 0) continue;
    const found = await clients.findNames(added);
    const unknown = added.filter((id) => !found.some(({ clientId }) => clientId === id));
    if (unknown.length > 0)
      throw metadataError({
        field: field.name,
        problem: `${field.name} names ${unknown.join(', ')}, and there is no such client: register it first.`,
      });
  }
}

function idsIn(client: ClientMetadata, field: ClientField): readonly string[] {
  return (valueOf(client, field) as readonly string[] | undefined) ?? [];
}

function isDescribed(clientId: string): boolean {
  return isClientIdUrl(clientId, { allowLoopback: true });
}
