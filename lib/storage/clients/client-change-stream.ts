import type { Model, mongo } from 'mongoose';

import { READ_PREFERENCE } from '../connection/collection.js';
import { poolOf } from '../connection/database.js';

/** Says which clients were changed or deleted by any process. */
export interface ClientChangeStream {
  /**
   * Starts to watch, if the deployment has change streams (a replica set or a sharded cluster); costs nothing if it
   * watches already.
   */
  readonly watch: (notify: (id: string) => void) => void;
  readonly close: () => Promise<void>;
}

/** A stream takes a connection of the pool for itself: of a smaller one, too much. */
const MIN_POOL_SIZE = 5;
/** Milliseconds until a stream that ended is opened again. */
const PAUSE = 30_000;
const CHANGES = [
  { $match: { operationType: { $in: ['update', 'replace', 'delete'] } } },
  { $project: { operationType: 1, documentKey: 1 } },
];

/**
 * Watches the collection with a change stream. Nothing depends on it: if a change is missed, because the deployment has
 * no streams, the user may not use them, the pool is too small for one, or the connection broke, what is remembered is
 * forgotten by age.
 */
export function createClientChangeStream<T>({ db: connection, collection }: Model<T>): ClientChangeStream {
  let stream: mongo.ChangeStream | undefined;
  let notBefore = 0;
  let release: (() => void) | undefined;
  const stop = async () => {
    const ended = stream;
    stream = undefined;
    release?.();
    notBefore = Date.now() + PAUSE;
    await ended?.close().catch(() => undefined);
  };

  return {
    watch(notify) {
      if (
        stream !== undefined ||
        Date.now() < notBefore ||
        connection.readyState !== connection.base.STATES.connected ||
        poolOf(connection).size < MIN_POOL_SIZE
      )
        return;
      const opened = collection.watch(CHANGES, {
        readConcern: { level: 'majority' },
        readPreference: READ_PREFERENCE,
      });
      // a standalone server has no change streams, and a site may close its connection during one
      const ended = () => void (stream === opened && stop());
      opened
        .on('error', ended)
        .on('close', ended)
        .on('change', (change) => {
          if ('documentKey' in change) notify(String(change.documentKey._id));
        });
      stream = opened;
      release = poolOf(connection).holdConnection();
    },
    async close() {
      await stop();
      notBefore = Infinity;
    },
  };
}
