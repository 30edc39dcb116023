import { setTimeout as delay } from 'node:timers/promises';

import { mongo } from 'mongoose';

import type { TestDatabase } from './database.js';

/** What happens to a command, in the words of MongoDB's failCommand. */
export type Failure =
  /** It is not run, and an error comes back. */
  | { readonly errorCode: number }
  /** It is not run, and the connection breaks. */
  | { readonly closeConnection: true }
  /** It is run, but an error comes back all the same. */
  | { readonly writeConcernError: { readonly code: number; readonly errmsg: string } }
  /** It is run, but late. */
  | { readonly blockConnection: true; readonly blockTimeMS: number };

export interface FailPoint {
  readonly command: 'find' | 'getMore' | 'insert' | 'update' | 'delete' | 'createIndexes' | 'findAndModify';
  /** How many commands of this name are let through first. */
  readonly skip?: number;
  /** Only the commands of this database's connections, by their `appName`. Default: of the database itself. */
  readonly only?: Pick<TestDatabase, 'connection'>;
  readonly failure: Failure;
}

/** Milliseconds until a pool that was closed has to be open again. */
const PATIENCE = 10_000;

async function failCommand(
  { connection }: Pick<TestDatabase, 'connection'>,
  settings: object,
): Promise<unknown> {
  const admin = connection.getClient().db('admin');
  for (const deadline = Date.now() + PATIENCE; ; await delay(20)) {
    try {
      return await admin.command({ configureFailPoint: 'failCommand', ...settings });
    } catch (error) {
      // a failure that says "the server goes down" closes the connections of the driver, this command's as well
      const isCleared = error instanceof mongo.MongoError && error.name === 'MongoPoolClearedError';
      if (!isCleared || Date.now() > deadline) throw error;
    }
  }
}

/** Whether the MongoDB of this run was started with its test commands. */
export async function hasFailPoints(database: Pick<TestDatabase, 'connection'>): Promise<boolean> {
  return failCommand(database, { mode: 'off' }).then(
    () => true,
    () => false,
  );
}

/** Makes commands of one name fail during some work; the driver's own retries fail too. */
export async function whileFailing<T>(
  database: Pick<TestDatabase, 'connection'>,
  { command, skip = 0, only = database, failure }: FailPoint,
  work: () => PromiseLike<T>,
): Promise<T> {
  await failCommand(database, {
    mode: skip === 0 ? 'alwaysOn' : { skip },
    // a server may have other suites at the same time
    data: { failCommands: [command], appName: appNameOf(only), ...failure },
  });
  try {
    return await work();
  } finally {
    await failCommand(database, { mode: 'off' });
  }
}

function appNameOf({ connection }: Pick<TestDatabase, 'connection'>): string {
  const { appName } = connection.getClient().options;
  if (appName === undefined) throw new Error('its URI has no appName: take databaseUri()');
  return appName;
}
