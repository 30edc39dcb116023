import type { Connection, Model } from 'mongoose';

import { createBackoff } from '../../shared/limits/backoff.js';
import { waitAtMax } from '../../shared/limits/deadline.js';
import { ConnectionNeverOpened, isNeverOpened } from './database.js';

/** The site has closed its connection, for example a script that needs no index. */
const CLOSED = /^Mongo(Client|Topology|Server|Pool)Closed|^MongoNotConnected/;
/** Milliseconds in which the site must open its connection: Mongoose would wait for ever. */
const OPEN_TIME = 10_000;
/** Milliseconds until the next attempt: the first pause and the longest. */
const PAUSE = 5000;
const MAX_PAUSE = 300_000;
/**
 * Permanent refusals of a server. All other errors are retried: a server that stops, a router, a throttled service or
 * an aborted index build each have codes of their own.
 */
const FINAL: ReadonlySet<unknown> = new Set([
  ...[2, 9, 14, 67, 72, 197], // errors in the index
  ...[13, 18], // missing privileges
  ...[85, 86], // another index has the name or the keys
  11_000, // documents violate it
  ...[59, 115, 238, 303, 323], // features that this server, or this version of its API, lacks
]);

/** Whether a model has its indexes, by any server on its connection: `init` does not say whether it built them. */
const indexed = new WeakMap<Model<object>, boolean>();

/**
 * Builds the indexes of all models. Mongoose tries once, when the model is made, and silently fails if the database is
 * away at that moment. So this retries until the database has responded.
 *
 * @param notify gets each model's first failure, and permanent refusals. Default: ignored.
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
  // the timer does not keep the process alive
  const timers = new Set([opening.unref()]);

  const tryLater = (model: Model<object>, backoff = createBackoff(PAUSE, MAX_PAUSE)): void => {
    if (isClosed) return;
    const timer = setTimeout(function tryAgain() {
      timers.delete(timer);
      // the site may have closed the connection, and Mongoose would wait for it
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
     * Resolves when the indexes exist. Mongoose builds none by itself if the site has disabled that, or on a connection
     * that reads from secondaries.
     *
     * @throws ConnectionNeverOpened if the site has not opened the connection within `OPEN_TIME`
     */
    async ready() {
      const built = Promise.all(
        models.map(async (model) => {
          // the first attempt may have failed already
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
