import { isNativeError } from 'node:util/types';

import type { Connection } from 'mongoose';

import { unableForTheMoment } from '../errors.js';
import { checkMongoose } from './mongoose-version.js';
import { type Command, NoAnswer, watchConnection } from './watched-connection.js';

/** The host's database, as the stores use it. */
export interface Database {
  readonly connection: Connection;
  /**
   * Runs one command with a deadline: a database that is down or hangs becomes a quick answer instead of a request that
   * waits for the driver's half minute. A command that passes the signal to the driver frees its connection then.
   *
   * @throws OAuthError temporarily_unavailable (503) if the database did not do it
   */
  readonly run: <T>(command: Command<T>) => Promise<T>;
  /** Refuses new requests while commands wait too long. @throws OAuthError temporarily_unavailable (503) */
  readonly admit: () => void;
  /** Ends the use of the connection, which the host itself closes. */
  readonly close: () => void;
}

/** @param timeout milliseconds that one command may take, the wait for a connection included */
export function createDatabase(connection: Connection, timeout: number): Database {
  checkMongoose(connection);
  const watched = watchConnection(connection);
  return {
    connection,
    run: (command) =>
      watched.send(command, timeout).catch((error: unknown) => {
        throw isFailure(error) ? unavailable(error) : error;
      }),
    admit: watched.admit,
    close: watched.hold(),
  };
}

/** The error code for an insert whose key is taken. */
export const DUPLICATE_KEY = 11000;

export function isDuplicateKey(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === DUPLICATE_KEY;
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
  return error instanceof NoAnswer || error.name.startsWith('Mongo') || CUT_OFF.has(code);
}

function unavailable(cause: unknown): Error {
  return unableForTheMoment('the database did not do what was asked of it', cause, { 'Retry-After': '5' });
}
