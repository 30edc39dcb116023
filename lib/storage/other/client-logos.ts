import type { ClientLogo, ClientLogoStore } from '../../core/clients/client-logos.js';
import { Collection } from '../connection/collection.js';
import type { Database } from '../connection/database.js';
import { defineCollection, requiredType } from '../connection/model.js';
import { setOrUnset } from '../connection/query-helpers.js';

/** The logo of a client, as stored: the id is that of the client. */
export interface StoredClientLogo extends ClientLogo {
  readonly _id: string;
}

export const CLIENT_LOGOS = defineCollection<StoredClientLogo>({
  model: 'AuthorizationServerClientLogo',
  name: 'oauth_client_logos',
  fields: () => ({
    url: requiredType(String),
    type: { type: String },
    data: { type: String },
  }),
  ttl: 'expiresAt',
});

const STATE = { url: 1, type: 1, expiresAt: 1 } as const;

export function createClientLogoStore(database: Database): ClientLogoStore {
  const logos = new Collection(database, CLIENT_LOGOS);
  return {
    find: (clientId) => logos.findOne({ _id: clientId }),
    findState: (clientId) => logos.findOne({ _id: clientId }, STATE),
    save: (clientId, logo) => logos.upsert({ _id: clientId }, setOrUnset({ ...logo })),
    delete: async (clientId) => void (await logos.deleteOne({ _id: clientId })),
  };
}
