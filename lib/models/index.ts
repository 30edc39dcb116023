import type { Connection } from 'mongoose';
import { createAssertionIds, type AssertionIds } from './assertion-ids.js';
import { createClients, type Clients } from './clients.js';
import { createConsents, type Consents } from './consents.js';
import { createGrants, type Grants } from './grants.js';
import { createInitialAccessTokens, type InitialAccessTokens } from './initial-access-tokens.js';
import { createSigningKeyStore, type SigningKeyStore } from './signing-keys.js';
import { createStorage } from './storage.js';

/** All collections of the authorization server, on the host's own connection. */
export interface Models {
  readonly clients: Clients;
  readonly grants: Grants;
  readonly consents: Consents;
  readonly assertionIds: AssertionIds;
  readonly initialAccessTokens: InitialAccessTokens;
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
    assertionIds: createAssertionIds(connection, storage),
    initialAccessTokens: createInitialAccessTokens(connection, storage),
    signingKeys: createSigningKeyStore(connection, storage),
  };
}

/** Resolves when all indexes are built. */
export async function initModels({ clients, grants, consents, assertionIds, initialAccessTokens, signingKeys }: Models): Promise<void> {
  await Promise.all([clients.model.init(), grants.model.init(), consents.model.init(), assertionIds.model.init(), initialAccessTokens.model.init(), signingKeys.model.init()]);
}
