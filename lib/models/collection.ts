import type { Connection, mongo } from 'mongoose';

/**
 * Reads from the primary and writes to the majority, whatever the host's connection string says of its own data: a used
 * code and a revoked token must be known to everyone, also after a failover.
 */
const FOR_ALL = { readPreference: 'primary', readConcern: { level: 'local' }, writeConcern: { w: 'majority' } } as const;

/** The same for what goes through Mongoose's own queries. */
export const SCHEMA_OPTIONS = { versionKey: false, read: FOR_ALL.readPreference, readConcern: FOR_ALL.readConcern, writeConcern: FOR_ALL.writeConcern } as const;

/** Gives the driver's own collection: its commands are the hot path, and their values are ours and need no casting. */
export type CollectionOf = () => mongo.Collection;

/** To be asked for while the connection is open, as in `storage.run`; a connection that is opened again has another one. */
export function collectionOf(connection: Connection, name: string): CollectionOf {
  let database: Connection['db'];
  let collection: mongo.Collection | undefined;
  return () => {
    if (collection === undefined || connection.db !== database) {
      database = connection.db;
      if (database === undefined) throw new Error('the Mongoose connection is not connected');
      collection = database.collection(name, FOR_ALL);
    }
    return collection;
  };
}
