import type { ClientSource } from './client-store.js';

/**
 * Clients where nobody looks at documents: one that was stored by its document, when a site did, is what it was some
 * day, by hosts that nothing is said of any more.
 */
export function withoutDocumented(clients: ClientSource): ClientSource {
  return {
    async find(clientId, options) {
      const client = await clients.find(clientId, options);
      return client?.document === undefined ? client : null;
    },
  };
}
