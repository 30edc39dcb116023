import type { Model, mongo } from 'mongoose';

import { createBackoff } from '../../shared/limits/backoff.js';
import { poolOf } from '../connection/database.js';
import { READ_PREFERENCE } from '../connection/model.js';
import { createStreamMarker } from './stream-marker.js';

/** Who listens to changes of grants. */
export interface ChangeListener {
  /** The grant of this id was changed or deleted, by any process. */
  readonly changed: (id: string) => void;
  /** Changes may have been missed: nothing that was known before counts any more. */
  readonly missed: () => void;
  /** Why nothing is heard, told at the first failure: an `UnfitDeployment` if the deployment cannot tell of changes. */
  readonly failed: (error: unknown) => void;
}

/** Thrown if the server lacks `postBatchResumeToken`. */
export class UnfitDeployment extends Error {
  override readonly name = 'UnfitDeployment';
  /** @param remedy what would do; continues a sentence */
  constructor(
    problem: string,
    readonly remedy = 'use a replica set (one member will do: mongod --replSet rs0)',
  ) {
    super(problem);
  }
}

/** Milliseconds after which what was heard is too old to rely on. */
export const MAX_SILENCE = 1000;
/** Milliseconds after which the database answers the stream although there is nothing new. */
const AWAIT_TIME = 250;
/** Milliseconds until a stream that broke is opened again, at first and at most. */
const PAUSE = 500;
const MAX_PAUSE = 60_000;
/** Connections that a pool has to have: one for the stream, one for markers, one for requests. */
const MIN_POOL_SIZE = 3;

/**
 * Listens to the collection with a change stream, from now on. What is heard counts as all that there was only while
 * markers of this process come back through the stream in time.
 */
export function createGrantChanges<T>({ db: connection, collection }: Model<T>, listener: ChangeListener) {
  let stream: mongo.ChangeStream | undefined;
  let isClosed = false;
  let isReported = false;
  const backoff = createBackoff(PAUSE, MAX_PAUSE);
  let timer: NodeJS.Timeout | undefined;
  /** The try that is running or has succeeded. */
  let begun: Promise<void> | undefined;

  const fail = (error: unknown): void => {
    if (!isReported && !isClosed) listener.failed(error);
    isReported = true;
  };
  const marker = createStreamMarker(collection, fail);

  /** Waits for one change, or the news that there is none. */
  const hear = async (opened: mongo.ChangeStream): Promise<void> => {
    const change = await opened.tryNext();
    // if its client is closed, the driver closes only the cursor, which then answers "nothing new" at once, for ever
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
        // if the connection breaks, the driver resumes the stream by its token, and nothing is heard meanwhile
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
      // the deployment does not become another one while this process runs
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

  // callers of `ready` are told
  begin().catch(() => undefined);
  return {
    /** Whether everything was told that happened longer ago than `MAX_SILENCE` milliseconds. */
    isCurrent: () => {
      marker.wake();
      return performance.now() - marker.heardUntil() <= MAX_SILENCE;
    },
    /** Whether it listens, and nothing has failed since it last heard. Unlike `isCurrent` it causes no marker. */
    isListening: () => marker.heardUntil() > -Infinity && !isReported,
    /**
     * Resolves when it listens. If it does not and no try is running, it tries at once.
     *
     * @throws UnfitDeployment, or what the database says
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
