import { isNativeError } from 'node:util/types';

import type { Connection } from 'mongoose';

import { unableForTheMoment } from '../../shared/errors.js';
import { type Command, DatabaseTimeout, monitorOf } from './connection-monitor.js';
import { checkMongooseVersion } from './mongoose-version.js';
import { poolOf } from './pool.js';

/*
 * The way of a command to MongoDB: `Documents` (documents.ts) says what is asked, by the model or by its native
 * collection (native-operations.ts), for several requests at once where they come together (batch.ts); `execute` here
 * says when it is sent, and for how long it may take.
 *
 * The queue is our own (shared/limits/work-queue.ts): p-limit, p-queue and async-mutex neither bound how many wait, nor tell
 * how long the first has waited, and cost 6 to 20 times the CPU time (0.9 to 3 µs a command). So is the deadline: the
 * driver's `timeoutMS` is experimental, lets the server abort a write (`maxTimeMS`), and knows nothing of the hooks of
 * the host, which are part of a command.
 */

/** The host's database, as the stores use it. */
export interface Database {
  readonly connection: Connection;
  /**
   * Runs one command with a deadline: a database that is down or hangs becomes a quick answer instead of a request that
   * waits for the driver's half minute. A command waits for its turn, and for the connection, no longer than half of
   * its time; one that is not sent by then never is. One that is not answered in time is ended by its signal.
   *
   * @throws OAuthError temporarily_unavailable (503) if the database did not do it
   */
  readonly execute: <T>(command: Command<T>) => Promise<T>;
  /**
   * Called once, before the first command of a request: requests in progress go before new ones.
   *
   * @throws OAuthError temporarily_unavailable (503) while commands wait too long for their turn
   */
  readonly checkLoad: () => void;
  /** Ends the use of the connection, which the host itself closes. */
  readonly close: () => void;
}

/** @param timeout milliseconds that one command may take, the wait for a connection included */
export function createDatabase(connection: Connection, timeout: number): Database {
  checkMongooseVersion(connection);
  const monitor = monitorOf(connection);

  return {
    connection,
    async execute(command) {
      const deadline = performance.now() + timeout;
      try {
        return await poolOf(connection).queue.run(() => monitor.send(command, { deadline, timeout }), {
          patience: timeout / 2,
        });
      } catch (error) {
        if (!isFailure(error)) throw error;
        throw unableForTheMoment('the database did not do what was asked of it', error, {
          'Retry-After': '5',
        });
      }
    },
    checkLoad: () => poolOf(connection).queue.admit(),
    close: monitor.acquire(),
  };
}

/** The error code for an insert whose key is taken. */
export const DUPLICATE_KEY = 11000;

/** What speaks the protocol of MongoDB on another database may say so by the text of that database alone. */
const DUPLICATE_TEXT = /^(E11000 |duplicate key value violates unique constraint)/;

export function isDuplicateKey(error: unknown): boolean {
  const { code, message, errmsg } = (error ?? {}) as { code?: unknown; message?: unknown; errmsg?: unknown };
  return code === DUPLICATE_KEY || DUPLICATE_TEXT.test(String(message ?? errmsg));
}

/** The codes of a socket that was cut: the driver throws some of these errors as they are. */
const CUT_OFF: ReadonlySet<unknown> = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENETDOWN',
  'ENETUNREACH',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENOTCONN',
  'ERR_SOCKET_CLOSED',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_WRITE_AFTER_END',
]);

/**
 * Whether an error is of the database, the driver or Mongoose itself; what a hook or validator of the host throws is
 * passed on as it is.
 */
function isFailure(error: unknown): boolean {
  if (!isNativeError(error) || isDuplicateKey(error)) return false;
  const { code } = error as { code?: unknown };
  return error instanceof DatabaseTimeout || error.name.startsWith('Mongo') || CUT_OFF.has(code);
}
