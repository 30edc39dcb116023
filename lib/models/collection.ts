import type { Connection, Model, mongo, Schema } from 'mongoose';

/**
 * Reads from the primary and writes to the majority, whatever the host's connection string says of its own data: a used
 * code and a revoked token must be known to everyone, also after a failover.
 */
const FOR_ALL = {
  readPreference: 'primary',
  readConcern: { level: 'local' },
  writeConcern: { w: 'majority' },
} as const;

/** The same for what goes through Mongoose's own queries. */
export const SCHEMA_OPTIONS = {
  versionKey: false,
  read: FOR_ALL.readPreference,
  readConcern: FOR_ALL.readConcern,
  writeConcern: FOR_ALL.writeConcern,
} as const;

/** Gives the driver's own collection: its commands are the hot path, and their values are ours and need no casting. */
export interface CollectionOf {
  /** To be asked for while the connection is open, as in `storage.run`; a connection that is opened again has another one. */
  (): mongo.Collection;
  /**
   * One document by one command. The driver's `findOne` makes a cursor for it, which costs a quarter of the whole; it is
   * what comes after a failure, since it knows how to wait for the next primary.
   */
  readOne<T>(
    filter: Readonly<Record<string, unknown>>,
    projection?: Readonly<Record<string, 1>>,
  ): Promise<T | null>;
}

export function collectionOf(connection: Connection, name: string): CollectionOf {
  let database: Connection['db'];
  let known: mongo.Collection | undefined;
  const collection = () => {
    if (known === undefined || connection.db !== database) {
      database = databaseOf(connection);
      known = database.collection(name, FOR_ALL);
    }
    return known;
  };

  return Object.assign(collection, {
    async readOne<T>(
      filter: Readonly<Record<string, unknown>>,
      projection?: Readonly<Record<string, 1>>,
    ): Promise<T | null> {
      try {
        const answer = await databaseOf(connection).command({
          find: name,
          filter,
          ...(projection && { projection }),
          limit: 1,
          singleBatch: true,
          readConcern: FOR_ALL.readConcern,
        });
        const { firstBatch } = answer.cursor as { readonly firstBatch: readonly T[] };
        return firstBatch[0] ?? null;
      } catch {
        return collection().findOne(filter, { ...(projection && { projection }) }) as Promise<T | null>;
      }
    },
  });
}

/** The model on a connection, the same for all who ask. Its schema takes Mongoose a millisecond: importing the package makes none. */
export function modelOf<T>(
  connection: Connection,
  name: string,
  collection: string,
  createSchema: () => Schema<T>,
): Model<T> {
  return (
    (connection.models[name] as Model<T> | undefined) ?? connection.model<T>(name, createSchema(), collection)
  );
}

/**
 * Resolves when the indexes of a model are there. Mongoose by itself builds none where the host has switched that off,
 * and none on a connection that reads from secondaries.
 */
export async function buildIndexes(model: {
  init(): Promise<unknown>;
  createIndexes(): Promise<void>;
}): Promise<void> {
  await model.init();
  await model.createIndexes();
}

function databaseOf({ db }: Connection): mongo.Db {
  if (db === undefined) throw new Error('the Mongoose connection is not connected');
  return db;
}
