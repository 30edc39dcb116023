import type { Connection } from 'mongoose';

/** The default of the driver; 0 means no limit there. */
const DEFAULT_SIZE = 100;

const streams = new WeakMap<object, number>();

/** How many connections to each server the driver of a Mongoose connection may open. */
export function poolSizeOf(connection: Connection): number {
  return clientOf(connection)?.options.maxPoolSize || DEFAULT_SIZE;
}

/**
 * How many commands can be under way at once. An open change stream holds a connection nearly all the time: it waits on
 * the server for what comes next. One command goes through in any case.
 */
export function freeConnectionsOf(connection: Connection): number {
  return Math.max(1, poolSizeOf(connection) - (streams.get(poolOf(connection)) ?? 0));
}

/** Counts a change stream that is open; returns a function that ends that, once. */
export function holdConnection(connection: Connection): () => void {
  const pool = poolOf(connection);
  const add = (change: 1 | -1) => void streams.set(pool, (streams.get(pool) ?? 0) + change);
  let isGranted = true;
  add(1);
  return () => {
    if (isGranted) add(-1);
    isGranted = false;
  };
}

/** What connections of one MongoClient share; a connection that has none yet is alone. */
export function poolOf(connection: Connection): object {
  return clientOf(connection) ?? connection;
}

function clientOf(connection: Connection): ReturnType<Connection['getClient']> | undefined {
  return connection.getClient();
}
