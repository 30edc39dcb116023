import type { Client } from '../../core/clients/client.js';
import { LeftOut } from './report.js';
import { textOf } from './values.js';

/** Finds clients by the names in the old server's tokens: their id, or that of their document. */
export type MigratedClients = ReturnType<typeof createMigratedClients>;

/** @param findHere finds clients that the old server did not have; undefined: no search */
export function createMigratedClients(findHere: ((clientId: string) => Promise<Client | null>) | undefined) {
  const byId = new Map<string | undefined, Client | undefined>();
  const byKey = new Map<string | undefined, Client | undefined>();
  return {
    /** @param client undefined if it was left out */
    add({ id, keys }: { id?: unknown; keys: readonly unknown[] }, client: Client | undefined) {
      byId.set(textOf(id), client);
      for (const key of keys) byKey.set(textOf(key), client);
    },
    /** @throws LeftOut if there is no such client here */
    async find(name: unknown): Promise<Client> {
      const text = textOf(name);
      if (text === undefined) throw new LeftOut('it names no client');
      const index = [byId, byKey].find((map) => map.has(text));
      const client = index === undefined ? await findHere?.(text) : index.get(text);
      // the report already says that the client was left out
      if (index !== undefined && client === undefined)
        throw new LeftOut('its client was left out', undefined, true);
      if (!client) throw new LeftOut('there is no such client');
      byId.set(text, client);
      return client;
    },
  };
}
