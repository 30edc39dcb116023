import type { Connection } from 'mongoose';

import { createWorkQueue, type WorkQueue } from '../../shared/limits/work-queue.js';

/** The driver's default `maxPoolSize`; 0 means no limit there. */
const DEFAULT_SIZE = 100;
/** How many commands may wait for each that is under way: a burst is served, a flood is told to come back. */
const WAITING = 10;
/** Milliseconds that commands may wait while requests are admitted; each request has two or three in turn. */
const MAX_DELAY = 250;

/** The driver's pool of connections to each server. */
export interface Pool {
  /** How many connections to each server the driver may open. */
  readonly size: number;
  /** How many commands can be under way at once. */
  readonly freeConnections: number;
  /**
   * Where commands wait for a connection: a command that waits in the driver itself would be sent even if its request
   * was answered 503 long ago.
   */
  readonly queue: WorkQueue;
  /**
   * Counts a change stream that is open; returns a function that ends that, once. It holds a connection nearly all the
   * time, because it waits on the server for what comes next.
   */
  readonly holdConnection: () => () => void;
}

const pools = new WeakMap<object, Pool>();

/** The pool that connections of one MongoClient share; a connection that has no client yet is alone. */
export function poolOf(connection: Connection): Pool {
  const client = connection.getClient() as ReturnType<Connection['getClient']> | undefined;
  const owner = client ?? connection;
  const known = pools.get(owner);
  if (known !== undefined) return known;
  const pool = createPool(client?.options.maxPoolSize || DEFAULT_SIZE);
  pools.set(owner, pool);
  return pool;
}

function createPool(size: number): Pool {
  const queue = createWorkQueue({
    name: 'database commands',
    atOnce: size,
    waiting: WAITING * size,
    maxDelay: MAX_DELAY,
  });
  let streams = 0;
  // one command goes through in any case
  const freeConnections = () => Math.max(1, size - streams);
  const count = (change: 1 | -1) => {
    streams += change;
    queue.resize(freeConnections());
  };
  return {
    size,
    queue,
    get freeConnections() {
      return freeConnections();
    },
    holdConnection() {
      let isReleased = false;
      count(1);
      return () => {
        if (!isReleased) count(-1);
        isReleased = true;
      };
    },
  };
}
