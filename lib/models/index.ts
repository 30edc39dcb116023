import type { Connection } from 'mongoose';

import { rememberClients } from '../clients/remembered-clients.js';
import { type AssertionIdCollection, createAssertionIds } from './assertion-ids.js';
import { createClientChanges } from './client-changes.js';
import { type Clients, createClients } from './clients.js';
import { buildIndexes, collectionOf } from './collection.js';
import { type Consents, createConsents } from './consents.js';
import { createGrants } from './grants.js';
import { createInitialAccessTokens, type InitialAccessTokenCollection } from './initial-access-tokens.js';
import { rememberCodes, type RememberedGrants } from './remembered-codes.js';
import { createSigningKeyStore, type SigningKeyStore } from './signing-keys.js';
import { createStorage } from './storage.js';
import { createUserCodes, type UserCodes } from './user-codes.js';

/** All collections of the authorization server, on the host's own connection. */
export interface Models {
  readonly clients: Clients;
  readonly grants: RememberedGrants;
  readonly consents: Consents;
  readonly assertionIds: AssertionIdCollection;
  readonly initialAccessTokens: InitialAccessTokenCollection;
  readonly signingKeys: SigningKeyStore;
  readonly userCodes: UserCodes;
  /** Ends what goes on in the background. */
  readonly close: () => Promise<void>;
}

export interface ModelsOptions {
  /** Milliseconds that one command may take. */
  readonly timeout: number;
  /** Seconds that a client is remembered; 0: not at all. */
  readonly clientLife: number;
}

/** Makes the models on a connection; a second call on the same connection finds them again. */
export function createModels(connection: Connection, { timeout, clientLife }: ModelsOptions): Models {
  const storage = createStorage({ connection, timeout });
  const clients = createClients(connection, storage);
  const { watch, close } = createClientChanges(
    connection,
    collectionOf(connection, clients.model.collection.name),
  );
  return {
    clients: rememberClients(clients, { life: clientLife, watch }),
    grants: rememberCodes(createGrants(connection, storage)),
    consents: createConsents(connection, storage),
    assertionIds: createAssertionIds(connection, storage),
    initialAccessTokens: createInitialAccessTokens(connection, storage),
    signingKeys: createSigningKeyStore(connection, storage),
    userCodes: createUserCodes(connection, storage),
    close,
  };
}

/** Resolves when all indexes are built. */
export async function initModels({
  clients,
  grants,
  consents,
  assertionIds,
  initialAccessTokens,
  signingKeys,
  userCodes,
}: Models): Promise<void> {
  await Promise.all(
    [clients, grants, consents, assertionIds, initialAccessTokens, signingKeys, userCodes].map(({ model }) =>
      buildIndexes(model),
    ),
  );
}
