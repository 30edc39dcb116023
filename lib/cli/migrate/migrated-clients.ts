import type { Client } from '../../core/clients/client.js';
import { LeftOut } from './report.js';
import { textOf } from './values.js';

/** Finds clients by whatever the old server's tokens name them by: their id, or that of their document. */
export interface MigratedClients {
  /** @param client undefined if it was left out */
  add(old: { readonly id: unknown; readonly keys: readonly unknown[] }, client: Client | undefined): void;
  /** @throws LeftOut if the client is not here */
  find(name: unknown): Promise<Client>;
}

/** @param findHere finds clients that the old server did not keep; undefined if they are not to be searched for */
export function createMigratedClients(
  findHere: ((clientId: string) => Promise<Client | null>) | undefined,
): MigratedClients {
  const byId = new Map<string, Client | undefined>();
  const byKey = new Map<string, Client | undefined>();
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
