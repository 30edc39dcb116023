import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { describe, test } from '@jest/globals';
import { mongo } from 'mongoose';

import type { TestDatabase } from './database.js';

/** The fate of a command, in the words of MongoDB's failCommand. */
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
  readonly command:
    'find' | 'getMore' | 'aggregate' | 'insert' | 'update' | 'delete' | 'createIndexes' | 'findAndModify';
  /** The number of commands of this name that pass first. */
  readonly skip?: number;
  /** Only the commands of this database's connections, by their `appName`. Default: of the database itself. */
  readonly only?: Pick<TestDatabase, 'connection'>;
  readonly failure: Failure;
}

/**
 * Whether the MongoDB of this run was started with its test commands; global-setup.mjs has asked, and says so if not.
 */
const hasFailPoints = process.env.TEST_LACKS_FAIL_POINTS === undefined;

/** A test or suite of failures: skipped on a server without fail points. */
export const testFailing = hasFailPoints ? test : test.skip;
export const describeFailing = hasFailPoints ? describe : describe.skip;

/** Makes commands of one name fail during some work; the driver's own retries fail too. */
export async function whileFailing<T>(
  database: Pick<TestDatabase, 'connection' | 'uri'>,
  { command, skip = 0, only = database, failure }: FailPoint,
  work: () => PromiseLike<T>,
): Promise<T> {
  // a failure that says "the server goes down" closes all connections of a client: this one hears of none
  const client = new mongo.MongoClient(database.uri, { appName: 'fail-point' });
  const failCommand = (settings: object) =>
    client.db('admin').command({ configureFailPoint: 'failCommand', ...settings });
  return alone(database, async () => {
    await failCommand({
      mode: skip === 0 ? 'alwaysOn' : { skip },
      // a server may have other suites at the same time
      data: { failCommands: [command], appName: appNameOf(only), ...failure },
    });
    try {
      return await work();
    } finally {
      await failCommand({ mode: 'off' });
    }
  }).finally(() => client.close());
}

/** A server has one `failCommand`: if another worker has set it, this one waits. */
async function alone<T>(
  { connection }: Pick<TestDatabase, 'connection'>,
  work: () => Promise<T>,
): Promise<T> {
  const lock = join(process.env.TEST_PROGRAMS ?? '', `fail-point-${connection.host}-${connection.port}`);
  while (!(await take(lock))) await delay(20);
  try {
    return await work();
  } finally {
    await rm(lock);
  }
}

async function take(lock: string): Promise<boolean> {
  try {
    await writeFile(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  // a killed worker leaves its lock behind
  const holder = Number(await readFile(lock, 'utf8').catch(() => process.pid));
  if (!isRunning(holder)) await rm(lock, { force: true });
  return false;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function appNameOf({ connection }: Pick<TestDatabase, 'connection'>): string {
  const { appName } = connection.getClient().options;
  if (appName === undefined) throw new Error('its URI has no appName: take databaseUri()');
  return appName;
}
