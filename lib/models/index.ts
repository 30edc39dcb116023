import type { Connection } from 'mongoose';
import { createClients, type Clients } from './clients.js';
import { createConsents, type Consents } from './consents.js';
import { createGrants, type Grants } from './grants.js';
import { createSigningKeyStore, type SigningKeyStore } from './signing-keys.js';
import { createStorage } from './storage.js';

/** All collections of the authorization server, on the host's own connection. */
export interface Models {
  readonly clients: Clients;
  readonly grants: Grants;
  readonly consents: Consents;
  readonly signingKeys: SigningKeyStore;
}

/**
 * Makes the models on a connection; a second call on the same connection finds them again.
 *
 * @param timeout milliseconds that one command may take
 */
export function createModels(connection: Connection, timeout: number): Models {
  const storage = createStorage({ connection, timeout });
  return {
    clients: createClients(connection, storage),
    grants: createGrants(connection, storage),
    consents: createConsents(connection, storage),
    signingKeys: createSigningKeyStore(connection, storage),
  };
}
