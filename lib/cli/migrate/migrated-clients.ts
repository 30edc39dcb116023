import type { Client } from '../../core/clients/client.js';
import { LeftOut } from './left-out.js';
import type { OldClient } from './source.js';
import { textOf } from './values.js';

/** The client that tokens of the old server are for, with the fields that matter for them. */
export type ClientOfTokens = Pick<Client, 'clientId' | 'type' | 'grantTypes' | 'scopes'>;

/** Finds clients by whatever the old server's tokens name them by: their id, or that of their document. */
export interface MigratedClients {
  /** @param client undefined if it was left out */
  add(old: OldClient, client: ClientOfTokens | undefined): void;
  /** @throws LeftOut if the client is not here */
  find(name: unknown): Promise<ClientOfTokens>;
}

/** @param findHere finds clients that the old server did not keep; undefined if they are not to be searched for */
export function createMigratedClients(
  findHere: ((clientId: string) => Promise<Client | null>) | undefined,
): MigratedClients {
  const byId = new Map<string, ClientOfTokens | undefined>();
  const byKey = new Map<string, ClientOfTokens | undefined>();
  return {
    add({ id, keys }, client) {
      const clientId = textOf(id);
      if (clientId !== undefined) byId.set(clientId, client);
      for (const key of keys) {
        const text = textOf(key);
        if (text !== undefined) byKey.set(text, client);
      }
    },
    async find(name) {
      const text = textOf(name);
      if (text === undefined) throw new LeftOut('it names no client');
      const known = [byId, byKey].find((map) => map.has(text));
      const client = known === undefined ? await findHere?.(text) : known.get(text);
      // that its client was left out was reported already
      if (known !== undefined && client === undefined)
        throw new LeftOut('its client was left out', undefined, true);
      if (client === undefined || client === null) throw new LeftOut('there is no such client');
      if (known === undefined) byId.set(text, client);
      return client;
    },
  };
}
