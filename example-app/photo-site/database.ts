import { type Connection, createConnection } from 'mongoose';

import { StartError } from '../settings.js';

const DEFAULT_DATABASE = 'photos';

/** @throws StartError if no MongoDB answers */
export async function connectDatabase(uri: string): Promise<Connection> {
  const namesDatabase = /^mongodb(\+srv)?:\/\/[^/]+\/[^?]/.test(uri);
  try {
    return await createConnection(uri, {
      ...(!namesDatabase && { dbName: DEFAULT_DATABASE }),
      // a database that is down should be noticed soon, and nothing should queue up for it
      bufferCommands: false,
      serverSelectionTimeoutMS: 3000,
      connectTimeoutMS: 3000,
      socketTimeoutMS: 5000,
    }).asPromise();
  } catch (error) {
    throw new StartError(
      `MongoDB does not answer at ${withoutPassword(uri)} (${(error as Error).message}). Start it, or leave MONGODB_URI out: the example then brings its own.`,
    );
  }
}

/** Whether it was the database that failed, and not the request. */
export function isDatabaseFailure(error: unknown): boolean {
  return (
    error instanceof Error && /^Mongo(?!oseError$|BulkWriteError$|InvalidArgumentError$)/.test(error.name)
  );
}

function withoutPassword(uri: string): string {
  return uri.replace(/\/\/[^@/]*@/, '//');
}
