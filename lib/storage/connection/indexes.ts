import type { Connection, Model } from 'mongoose';

import { createBackoff } from '../../shared/limits/backoff.js';
import { waitAtMax } from '../../shared/limits/deadline.js';
import { ConnectionNeverOpened, isNeverOpened } from './database.js';

/** The site has closed its connection, such as a script that needs no index. */
const CLOSED = /^Mongo(Client|Topology|Server|Pool)Closed|^MongoNotConnected/;
/** Milliseconds in which the site opens its connection: Mongoose would wait for ever. */
const OPEN_TIME = 10_000;
/** Milliseconds until the next try, at first and at most. */
const PAUSE = 5000;
const MAX_PAUSE = 300_000;
/**
 * What a server refuses for good. Everything else is tried again: a server that stops, a router, a throttled service or
 * an index build that was aborted each say it by codes of their own.
 */
const FINAL: ReadonlySet<unknown> = new Set([
  ...[2, 9, 14, 67, 72, 197], // what is wrong with the index
  ...[13, 18], // what this user may not do
  ...[85, 86], // another index is there already
  11_000, // documents break it
  ...[59, 115, 238, 303, 323], // what this server, or this version of its API, does not know
]);

/** Whether a model has its indexes, whichever server on its connection made them: `init` does not say if it had to. */
const indexed = new WeakMap<Model<object>, boolean>();

/**
 * Builds the indexes of all models. Mongoose tries once, when the model is made, and says nothing if the database is
 * away at that moment. So this tries again until the database has answered.
 *
 * @param notify is told of each model's first failure, and of what the database refuses. Default: nobody is.
 */
export function createIndexes(
  connection: Connection,
  models: readonly Model<object>[],
  notify: (error: unknown) => void = () => undefined,
) {
  let isClosed = false;
  const opening = setTimeout(() => {
    if (isNeverOpened(connection)) notify(new ConnectionNeverOpened());
  }, OPEN_TIME);
  // a process that has nothing else to do may end
  const timers = new Set([opening.unref()]);

  const tryLater = (model: Model<object>, backoff = createBackoff(PAUSE, MAX_PAUSE)): void => {
    if (isClosed) return;
    const timer = setTimeout(function tryAgain() {
      timers.delete(timer);
      // the site may have closed it, and Mongoose would wait for it
      if (connection.readyState !== connection.base.STATES.connected) return tryLater(model);
      model.createIndexes().catch((error: unknown) => {
        if (isPassing(error)) tryLater(model, backoff);
        else notify(error);
      });
    }, backoff.next()).unref();
    timers.add(timer);
  };
  for (const model of models) {
    if (!indexed.has(model)) {
      indexed.set(model, false);
      model.once('index', (problem) => indexed.set(model, !problem));
    }
    model.init().catch((error: unknown) => {
      if (isClosed || CLOSED.test((error as Error).name)) return;
      notify(error);
      if (isPassing(error)) tryLater(model);
    });
  }

  return {
    /**
     * Resolves when they exist. By itself Mongoose builds none if the site has switched that off, or on a connection
     * that reads from secondaries.
     *
     * @throws ConnectionNeverOpened if the site has not opened the connection within `OPEN_TIME`
     */
    async ready() {
      const built = Promise.all(
        models.map(async (model) => {
          // its first try may have failed already
          await model.init().catch(() => undefined);
          if (indexed.get(model) !== true) await model.createIndexes();
        }),
      );
      if (isNeverOpened(connection)) await waitAtMax(OPEN_TIME, built);
      if (isNeverOpened(connection)) throw new ConnectionNeverOpened();
      await built;
    },
    close() {
      isClosed = true;
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

function isPassing(error: unknown): boolean {
  const { name, code } = error as { name?: unknown; code?: unknown };
  return name !== 'MongoServerError' || !FINAL.has(code);
}
