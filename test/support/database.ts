import { randomUUID } from 'node:crypto';

import mongoose, { type AnyObject, type Connection, type ConnectOptions } from 'mongoose';

import { type Disposable, disposable } from './disposable.js';

export interface OpenDatabase {
  readonly connection: Connection;
  readonly uri: string;
  close(): Promise<void>;
}

export interface TestDatabase extends OpenDatabase {
  readonly collection: Connection['collection'];
  find(collection: string, id: unknown): Promise<AnyObject | null>;
  update(collection: string, id: unknown, change: mongoose.mongo.UpdateFilter<AnyObject>): Promise<unknown>;
}

/**
 * A new database, on the MongoDB of the run or on `server`; commands are monitored (see commands.ts). Closing it drops
 * the database.
 */
export async function openDatabase(
  name = `test_${randomUUID().slice(0, 8)}`,
  server?: string,
  options: ConnectOptions = {},
): Promise<TestDatabase & Disposable> {
  const uri = databaseUri(name, server);
  const { connection } = await connectTo(uri, {
    // the driver's default of 30 s ends every command if a busy server is late for its monitor
    connectTimeoutMS: 120_000,
    appName: name,
    ...options,
  });
  return {
    ...disposable,
    ...accessTo(connection),
    uri,
    async close() {
      await connection.dropDatabase();
      await connection.close();
    },
  };
}

/** A connection to a database that is there already, as another process has one; closing it drops nothing. */
export async function connectTo(
  uri: string,
  options: ConnectOptions = {},
): Promise<OpenDatabase & Disposable> {
  const connection = await mongoose.createConnection(uri, { monitorCommands: true, ...options }).asPromise();
  return { ...disposable, connection, uri, close: () => connection.close() };
}

/** What a test database has of its connection. */
export function accessTo(
  connection: Connection,
): Pick<TestDatabase, 'connection' | 'collection' | 'find' | 'update'> {
  return {
    connection,
    collection: connection.collection.bind(connection),
    find: (name, id) => connection.collection(name).findOne({ _id: id as never }),
    update: (name, id, change) => connection.collection(name).updateOne({ _id: id as never }, change),
  };
}

/** The issuer of each connection of a test. */
const issuers = new WeakMap<Connection, string>();

/** Another issuer on the same database gets another connection, as if it were in another process. */
export function connectionFor(issuer: string, connection: Connection): Connection {
  const taken = issuers.get(connection) ?? issuer;
  issuers.set(connection, taken);
  if (taken === issuer) return connection;
  return connection.useDb(connection.name);
}

/** From now on another issuer may use the connection. */
export function forgetIssuer(connection: Connection): void {
  issuers.delete(connection);
}

/**
 * The connection string of the run's MongoDB, with the name of a database, and of an application, by which fail points
 * tell its connections from those of other suites on the same server. There may be several hosts, which no `URL` has.
 */
export function databaseUri(name: string, given = mongoUri()): string {
  const [, server, path, query = ''] =
    /^(mongodb(?:\+srv)?:\/\/[^/?]+)(\/[^?]*)?(?:\?(.*))?$/.exec(given) ?? [];
  if (server === undefined) throw new Error('the URI of MongoDB is none');
  const options = new URLSearchParams(query);
  options.set('appName', name);
  // with credentials the database in the path is that of the user, by default
  if (server.includes('@') && !options.has('authSource'))
    options.set('authSource', path?.slice(1) || 'admin');
  return `${server}/${name}?${options.toString()}`;
}

/** The MongoDB of this Jest worker (global-setup.mjs): there is one for each worker, or one for all. */
export function mongoUri(): string {
  const all = process.env.TEST_MONGODB_URI?.split(' ') ?? [];
  const uri = all[(Number(process.env.JEST_WORKER_ID ?? 1) - 1) % all.length];
  if (uri === undefined) throw new Error('TEST_MONGODB_URI is not set: run the tests by npm test');
  return uri;
}
