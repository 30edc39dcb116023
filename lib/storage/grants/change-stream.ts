import type { Model, mongo } from 'mongoose';

import { READ_PREFERENCE } from '../connection/collection.js';

/** Who listens to changes of grants. */
export interface ChangeListener {
  /** The grant of this id was changed or deleted, by any process. */
  readonly changed: (id: string) => void;
  /** Changes may have been missed: nothing that was known before counts any more. */
  readonly missed: () => void;
  /** Why nothing is heard, told at the first failure: an `UnfitDeployment` if the deployment cannot tell of changes. */
  readonly failed: (error: unknown) => void;
}

/** Hears of each change of a grant, and knows whether it has heard of all. */
export interface GrantChanges {
  /** Whether everything was told that happened longer ago than `MAX_SILENCE` milliseconds. */
  readonly isCurrent: () => boolean;
  /** Resolves when it listens. @throws UnfitDeployment, or what the database says */
  readonly ready: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** This MongoDB cannot say that it has told everything. */
export class UnfitDeployment extends Error {
  override readonly name = 'UnfitDeployment';
}

/** Milliseconds after which what was heard is too old to rely on. */
export const MAX_SILENCE = 1000;
/** Milliseconds after which the database says that there is nothing new. */
const HEARTBEAT = 250;
/** Milliseconds until a stream that broke is opened again. */
const PAUSE = 500;

const CHANGES = [
  // nobody can know a grant before it is there
  { $match: { operationType: { $ne: 'insert' } } },
  { $project: { operationType: 1, documentKey: 1 } },
];

/**
 * Listens to the collection with a change stream, from now on. The primary of a replica set answers with all that its
 * majority has, or after `HEARTBEAT` that there is nothing. Either way everything that was confirmed to anybody before
 * the question is known.
 */
export function createGrantChanges(
  { db: connection, collection }: Pick<Model<unknown>, 'db' | 'collection'>,
  listener: ChangeListener,
): GrantChanges {
  let stream: mongo.ChangeStream | undefined;
  let timer: NodeJS.Timeout | undefined;
  let askedAt = -Infinity;
  let heardUntil = -Infinity;
  let isClosed = false;
  let isTold = false;

  /** Waits for one change, or the news that there is none. */
  const hear = async (opened: mongo.ChangeStream): Promise<void> => {
    // an answer may hold many changes
    if (opened.bufferedCount() === 0) askedAt = performance.now();
    const change = await opened.tryNext();
    // if its client is closed, the driver closes only the cursor, which then answers "nothing new" at once, for ever
    if (opened.closed) throw new Error('the change stream was closed');
    if (change !== null) {
      if ('documentKey' in change) listener.changed(String(change.documentKey._id));
      // the whole collection was dropped or renamed
      else listener.missed();
    }
    if (opened.bufferedCount() === 0) heardUntil = askedAt;
  };

  const listen = async (opened: mongo.ChangeStream): Promise<void> => {
    try {
      // if the connection breaks, the driver resumes the stream by its token, and nothing is heard meanwhile
      while (!isClosed) await hear(opened);
    } catch (error) {
      if (isClosed) return;
      fail(error);
      again();
    } finally {
      await opened.close().catch(() => undefined);
    }
  };

  const open = async (): Promise<void> => {
    await checkDeployment(connection);
    if (isClosed) return;
    listener.missed();
    stream = collection.watch(CHANGES, {
      maxAwaitTimeMS: HEARTBEAT,
      readConcern: { level: 'majority' },
      readPreference: READ_PREFERENCE,
    });
    await hear(stream);
    isTold = false;
    void listen(stream);
  };

  const begin = async (): Promise<void> => {
    try {
      await connection.asPromise();
      await open();
    } catch (error) {
      if (isClosed) return;
      fail(error);
      // the deployment does not become another one while this process runs
      if (!(error instanceof UnfitDeployment)) again();
      throw error;
    }
  };

  const again = (): void => {
    heardUntil = -Infinity;
    timer = setTimeout(() => void begin().catch(() => undefined), PAUSE).unref();
  };
  const fail = (error: unknown): void => {
    if (!isTold) listener.failed(error);
    isTold = true;
  };

  const begun = begin();
  // callers of `ready` are told
  begun.catch(() => undefined);
  return {
    isCurrent: () => performance.now() - heardUntil <= MAX_SILENCE,
    ready: () => begun,
    async close() {
      isClosed = true;
      heardUntil = -Infinity;
      clearTimeout(timer);
      await stream?.close().catch(() => undefined);
    },
  };
}

/** @throws UnfitDeployment */
async function checkDeployment(connection: Model<unknown>['db']): Promise<void> {
  const { setName, msg } = await connection.getClient().db('admin').command({ hello: 1 });
  if (msg === 'isdbgrid')
    throw new UnfitDeployment(
      'a sharded cluster tells of a change only when all of its shards have, which may take seconds',
    );
  if (setName === undefined) throw new UnfitDeployment('a standalone MongoDB does not tell of changes');
}
