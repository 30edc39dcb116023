import type { Model, mongo } from 'mongoose';

import { createBackoff } from '../../shared/limits/backoff.js';
import { poolOf } from '../connection/database.js';
import { READ_PREFERENCE } from '../connection/model.js';
import { createStreamMarker } from './stream-marker.js';

/** The callbacks of a listener to changes of grants. */
export interface ChangeListener {
  /** A process has changed or deleted the grant of this id. */
  readonly changed: (id: string) => void;
  /** Changes may have been missed: all cached data is invalid. */
  readonly missed: () => void;
  /** Why the stream fails, at the first failure: an `UnfitDeployment` if the deployment has no suitable streams. */
  readonly failed: (error: unknown) => void;
}

/** Thrown if the deployment cannot report changes in time. */
export class UnfitDeployment extends Error {
  override readonly name = 'UnfitDeployment';
  /** @param remedy what the operator can do; appended to `problem` */
  constructor(
    problem: string,
    readonly remedy = 'use a replica set (one member will do: mongod --replSet rs0)',
  ) {
    super(problem);
  }
}

/** Milliseconds after which the last marker is too old to rely on the stream. */
export const MAX_SILENCE = 1000;
/** Milliseconds after which the database answers the stream without changes. */
const AWAIT_TIME = 250;
/** Milliseconds before a broken stream is opened again: the first pause and the longest. */
const PAUSE = 500;
const MAX_PAUSE = 60_000;
/** Connections that the pool needs: one for the stream, one for markers, one for requests. */
const MIN_POOL_SIZE = 3;

/**
 * Listens to the collection by a change stream. The stream counts as complete only while markers of this process come
 * back through it in time.
 */
export function createGrantChanges<T>({ db: connection, collection }: Model<T>, listener: ChangeListener) {
  let stream: mongo.ChangeStream | undefined;
  let isClosed = false;
  let isReported = false;
  const backoff = createBackoff(PAUSE, MAX_PAUSE);
  let timer: NodeJS.Timeout | undefined;
  /** The current or successful attempt. */
  let begun: Promise<void> | undefined;

  const fail = (error: unknown): void => {
    if (!isReported && !isClosed) listener.failed(error);
    isReported = true;
  };
  const marker = createStreamMarker(collection, fail);

  /** Waits for one change, or for the response that there is none. */
  const hear = async (opened: mongo.ChangeStream): Promise<void> => {
    const change = await opened.tryNext();
    // if the client is closed, the driver closes only the cursor, which then reports "nothing new" at once, for ever
    if (opened.closed) throw new Error('the change stream was closed');
    if (change === null) return;
    if (marker.recognize(change)) isReported = false;
    else if ('documentKey' in change) listener.changed(String(change.documentKey._id));
    // the whole collection was dropped or renamed
    else listener.missed();
  };

  const open = async (): Promise<void> => {
    await connection.asPromise();
    await checkDeployment(connection);
    if (isClosed) return;
    listener.missed();
    const release = poolOf(connection).holdConnection();
    const opened = collection.watch([...marker.stages], {
      maxAwaitTimeMS: AWAIT_TIME,
      promoteValues: true,
      raw: false,
      readConcern: { level: 'majority' },
      readPreference: READ_PREFERENCE,
    });
    stream = opened;
    const end = async (): Promise<void> => {
      release();
      await opened.close().catch(() => undefined);
    };
    try {
      await hear(opened);
      marker.begin();
      // on a server whose streams are behind, `ready` does not wait for the marker
      const deadline = performance.now() + MAX_SILENCE;
      while (!isClosed && marker.heardUntil() === -Infinity && performance.now() < deadline)
        await hear(opened);
    } catch (error) {
      await end();
      throw error;
    }
    backoff.reset();
    void (async () => {
      try {
        // if the connection breaks, the driver resumes the stream by its token; no marker comes back meanwhile
        while (!isClosed) await hear(opened);
      } catch (error) {
        if (isClosed) return;
        fail(error);
        tryLater();
      } finally {
        await end();
      }
    })();
  };

  const begin = (): Promise<void> => {
    clearTimeout(timer);
    begun ??= open().catch((error: unknown) => {
      if (isClosed) return;
      fail(error);
      // the deployment stays the same while this process runs
      if (!(error instanceof UnfitDeployment)) tryLater();
      throw error;
    });
    return begun;
  };
  const tryLater = (): void => {
    marker.end();
    begun = undefined;
    timer = setTimeout(() => void begin().catch(() => undefined), backoff.next()).unref();
  };

  // callers of `ready` get the error
  begin().catch(() => undefined);
  return {
    /** Whether all changes before the last `MAX_SILENCE` milliseconds have been received. */
    isCurrent: () => {
      marker.wake();
      return performance.now() - marker.heardUntil() <= MAX_SILENCE;
    },
    /** Whether the stream is open without a failure since its last marker. Unlike `isCurrent` this causes no marker. */
    isListening: () => marker.heardUntil() > -Infinity && !isReported,
    /**
     * Resolves when the stream is open. Without an attempt in progress, it starts one at once.
     *
     * @throws UnfitDeployment, or the error of the database
     */
    ready: begin,
    async close() {
      isClosed = true;
      marker.end();
      clearTimeout(timer);
      const removed = stream === undefined ? undefined : marker.remove();
      await Promise.allSettled([stream?.close(), removed]);
    },
  };
}

/** @throws UnfitDeployment */
async function checkDeployment(connection: Model<unknown>['db']): Promise<void> {
  if (poolOf(connection).size < MIN_POOL_SIZE)
    throw new UnfitDeployment(
      `the pool of the connection has less than ${MIN_POOL_SIZE} connections (one for the change stream, one for its markers, one for requests)`,
      `set maxPoolSize to ${MIN_POOL_SIZE} or more`,
    );
  const { setName, msg } = await connection.getClient().db('admin').command({ hello: 1 });
  if (msg === 'isdbgrid')
    throw new UnfitDeployment(
      'a sharded cluster tells of a change only when all of its shards have, which may take seconds',
    );
  if (setName === undefined) throw new UnfitDeployment('a standalone MongoDB does not tell of changes');
}
