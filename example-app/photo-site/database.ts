import { type Connection, createConnection } from 'mongoose';

import { StartError } from '../settings.js';

const DEFAULT_DATABASE = 'photos';

/** @throws StartError if no MongoDB answers */
export async function connectDatabase(uri: string): Promise<Connection> {
  const namesDatabase = /^mongodb(\+srv)?:\/\/[^/]+\/[^?]/.test(uri);
  try {
    return await createConnection(uri, {
      ...(!namesDatabase && { dbName: DEFAULT_DATABASE }),
      // reports an unreachable database soon, without a queue of commands
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

/** Whether the database failed, rather than the request. */
export function isDatabaseFailure(error: unknown): boolean {
  return (
    error instanceof Error && /^Mongo(?!oseError$|BulkWriteError$|InvalidArgumentError$)/.test(error.name)
  );
}

function withoutPassword(uri: string): string {
  return uri.replace(/\/\/[^@/]*@/, '//');
}
