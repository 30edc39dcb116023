import type { Model, mongo } from 'mongoose';

import { poolOf } from './database.js';
import { READ_PREFERENCE } from './model.js';

/** A stream takes a connection of the pool for itself: not one of the last, which requests need. */
const MIN_FREE_CONNECTIONS = 5;
/** Milliseconds until a stream that ended is opened again. */
const PAUSE = 30_000;
const CHANGES = [
  { $match: { operationType: { $in: ['update', 'replace', 'delete'] } } },
  { $project: { operationType: 1, documentKey: 1 } },
];

/**
 * Says which documents of a collection were changed or deleted by any process, by a change stream. Nothing depends on
 * it: if a change is missed, because the deployment has no streams, the user may not use them, the pool is too small for
 * one, or the connection broke, what is remembered is forgotten by age.
 *
 * The stream is read by `next`, not by events: up to 5.5 the driver emits `close` before the `error` that is its cause,
 * and whoever closes the stream on `close` removes the driver's only listener of that error, which then ends the
 * process.
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
      // a standalone server has no change streams, a user may lack the privilege, a resume token may be lost, and a
      // site may close its connection during one
      release();
      notBefore = Math.max(notBefore, Date.now() + PAUSE);
      stream = undefined;
      await opened.close().catch(() => undefined);
    }
  };

  return {
    /**
     * Starts to watch, if the deployment has change streams (a replica set or a sharded cluster); costs nothing if it
     * watches already.
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
