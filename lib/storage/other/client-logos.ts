import { Collection } from '../connection/collection.js';
import type { Database } from '../connection/database.js';
import { defineCollection, requiredType } from '../connection/model.js';
import { setOrUnset } from '../connection/query-helpers.js';

export interface ClientLogo {
  readonly url: string;
  /** Its media type; undefined if it could not be fetched, which is tried again after `expiresAt`. */
  readonly type?: string | undefined;
  /** In base64: drivers return binary data as different classes. */
  readonly data?: string | undefined;
  readonly expiresAt: Date;
}

/** The logo of a client, as stored: the id is that of the client. */
export const CLIENT_LOGOS = defineCollection<ClientLogo & { readonly _id: string }>({
  model: 'AuthorizationServerClientLogo',
  name: 'oauth_client_logos',
  fields: () => ({ url: requiredType(String), type: { type: String }, data: String }),
  ttl: 'expiresAt',
});

const STATE = { url: 1, type: 1, expiresAt: 1 } as const;

/** Where logos are kept, by the id of the client; each operation is one command. */
export function createClientLogoStore(database: Database) {
  const logos = new Collection(database, CLIENT_LOGOS);
  return {
    find: (clientId: string) => logos.findOne({ _id: clientId }),
    /** The same without the picture. */
    findState: (clientId: string) => logos.findOne({ _id: clientId }, STATE),
    /** Stores the members that are given, and removes those that are undefined. */
    save: (clientId: string, logo: ClientLogo) => logos.upsert({ _id: clientId }, setOrUnset({ ...logo })),
    delete: (clientId: string) => logos.deleteOne({ _id: clientId }),
  };
}
