import { Collection } from '../connection/collection.js';
import type { Database } from '../connection/database.js';
import { defineCollection, requiredType } from '../connection/model.js';
import { setOrUnset } from '../connection/query-helpers.js';

export interface ClientLogo {
  readonly url: string;
  /** The media type; undefined if the logo could not be fetched, which is tried again after `expiresAt`. */
  readonly type?: string | undefined;
  /** In base64: drivers return binary data as different classes. */
  readonly data?: string | undefined;
  readonly expiresAt: Date;
}

/** The stored logo of a client, with the client's id. */
export const CLIENT_LOGOS = defineCollection<ClientLogo & { readonly _id: string }>({
  model: 'AuthorizationServerClientLogo',
  name: 'oauth_client_logos',
  fields: () => ({ url: requiredType(String), type: { type: String }, data: String }),
  ttl: 'expiresAt',
});

const STATE = { url: 1, type: 1, expiresAt: 1 } as const;

/** The store of logos, by client id; each operation is one command. */
export function createClientLogoStore(database: Database) {
  const logos = new Collection(database, CLIENT_LOGOS);
  return {
    find: (clientId: string) => logos.findOne({ _id: clientId }),
    /** The logo without the picture. */
    findState: (clientId: string) => logos.findOne({ _id: clientId }, STATE),
    /** Stores the present members, and removes undefined ones. */
    save: (clientId: string, logo: ClientLogo) => logos.upsert({ _id: clientId }, setOrUnset({ ...logo })),
    delete: (clientId: string) => logos.deleteOne({ _id: clientId }),
  };
}
