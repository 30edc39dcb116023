import type { Model, mongo } from 'mongoose';

import { poolOf } from './database.js';
import { READ_PREFERENCE } from './model.js';

/** A stream occupies a connection of the pool, and must leave enough for requests. */
const MIN_FREE_CONNECTIONS = 5;
/** Milliseconds until an ended stream is opened again. */
const PAUSE = 30_000;
const CHANGES = [
  { $match: { operationType: { $in: ['update', 'replace', 'delete'] } } },
  { $project: { operationType: 1, documentKey: 1 } },
];

/**
 * Reports changed and deleted documents of a collection by a change stream. Nothing depends on the stream: if a change
 * is missed, because the deployment has no streams, the database user may not open one, the pool is too small, or the
 * connection broke, cached data expires by age.
 *
 * The stream is read by `next`, not by events: up to 5.5 the driver emits `close` before the `error` that caused it,
 * and a listener that closes the stream on `close` removes the driver's only listener of that error, which then ends
 * the process.
 */
export function watchCollection<T>({ db: connection, collection }: Model<T>) {
  let stream: mongo.ChangeStream | undefined;
  let notBefore = 0;
  let release = (): void => undefined;

  const read = async (opened: mongo.ChangeStream, notify: (id: string) => void): Promise<void> => {
    release = poolOf(connection).holdConnection();
    try {
      for (;;) {
        const change = await opened.next();
        if ('documentKey' in change) notify(String(change.documentKey._id));
      }
    } catch {
      // a standalone server has no change streams, the database user may lack the privilege, a resume token may be
      // lost, and a site may close its connection
      release();
      notBefore = Math.max(notBefore, Date.now() + PAUSE);
      stream = undefined;
      await opened.close().catch(() => undefined);
    }
  };

  return {
    /**
     * Starts the stream, if the deployment has change streams (a replica set or a sharded cluster); does nothing if it
     * is open.
     */
    watch: (notify: (id: string) => void): void => {
      if (
        stream !== undefined ||
        Date.now() < notBefore ||
        connection.readyState !== connection.base.STATES.connected ||
        poolOf(connection).freeConnections < MIN_FREE_CONNECTIONS
      )
        return;
      stream = collection.watch(CHANGES, {
        readConcern: { level: 'majority' },
        readPreference: READ_PREFERENCE,
      });
      void read(stream, notify);
    },
    async close(): Promise<void> {
      notBefore = Infinity;
      await stream?.close().catch(() => undefined);
      release();
    },
  };
}
