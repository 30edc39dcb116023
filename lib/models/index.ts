import type { Connection } from 'mongoose';
import { createClients, type Clients } from './clients.js';
import { createConsents, type Consents } from './consents.js';
import { createGrants, type Grants } from './grants.js';
import { createStorage } from './storage.js';
import { createUserCodes, type UserCodes } from './user-codes.js';

/** All collections of the authorization server, on the host's own connection. */
export interface Models {
  readonly clients: Clients;
  readonly grants: Grants;
  readonly consents: Consents;
  readonly userCodes: UserCodes;
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
    userCodes: createUserCodes(connection, storage),
  };
}
