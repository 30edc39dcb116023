import type { ConsentClient } from '../../core/authorization/consent-client.js';
import type { ClientStore } from '../../core/clients/client-store.js';

/** Where the names of other clients are. */
export interface NameStores {
  readonly clients: Pick<ClientStore, 'findNames'>;
}

/** The names of the clients that a client may hand its tokens on to; those that are gone have none. */
export type FindHandedOn = (client: ConsentClient) => Promise<readonly string[]>;

/** One command, and none for a client that hands nothing on. */
export function createFindHandedOn({ clients }: NameStores): FindHandedOn {
  return async ({ mayAct }) => {
    if (mayAct.length === 0) return [];
    const found = await clients.findNames(mayAct);
    return mayAct.flatMap((clientId) => found.find((client) => client.clientId === clientId)?.name ?? []);
  };
}
