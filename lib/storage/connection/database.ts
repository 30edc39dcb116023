import { isNativeError } from 'node:util/types';

import type { Connection } from 'mongoose';

import { unableForTheMoment } from '../../shared/errors.js';
import { lazy } from '../../shared/lazy.js';
import { withTimeout } from '../../shared/limits/deadline.js';
import { createWorkQueue } from '../../shared/limits/work-queue.js';

/*
 * The path of a command to MongoDB: `Collection` (collection.ts) makes the command, by the model or its native
 * collection, for several concurrent requests together (batch.ts); `execute` here decides when it is sent, and how long
 * it may take.
 *
 * The queue is this package's (shared/limits/work-queue.ts): p-limit, p-queue and async-mutex neither bound the number
 * of waiting commands, nor report how long the first has waited, and cost 6 to 20 times the CPU time (0.9 to 3 µs a
 * command). So is the deadline: the driver's `timeoutMS` is experimental, lets the server abort a write (`maxTimeMS`),
 * and ignores the site's hooks, which are part of a command.
 */

/** The database did not respond in time, or there is no connection to it. */
export class DatabaseTimeout extends Error {
  override readonly name = 'DatabaseTimeout';
}

/** Nothing has opened the connection: the site opens another one, or none. */
export class ConnectionNeverOpened extends DatabaseTimeout {
  constructor() {
    super(
      'the Mongoose connection was never opened: call mongoose.connect(…), or give authorizationServer the connection that your site opens',
    );
  }
}

/** Whether a connection was never opened: Mongoose makes its client on opening. */
export function isNeverOpened(connection: Connection): boolean {
  const client = connection.getClient() as ReturnType<Connection['getClient']> | null | undefined;
  return !client && connection.readyState === connection.base.STATES.disconnected;
}

/** A command for the driver, with the signal that aborts it: the driver closes the connection that it waits on. */
export type Command<T> = (signal: AbortSignal) => PromiseLike<T>;

/** The oldest version of Mongoose that is tested: major and minor. */
const OLDEST_MONGOOSE = [6, 13] as const;

/** The driver's default `maxPoolSize`; 0 means no limit there. */
const DEFAULT_POOL_SIZE = 100;
/** How many commands may wait for each running one: a burst is served, a flood is refused with Retry-After. */
const WAITING_PER_CONNECTION = 10;
/** Milliseconds that commands may wait while requests are admitted; each request has two or three commands. */
const MAX_DELAY = 250;

/** The site's database, for the stores. */
export type Database = Readonly<ReturnType<typeof createDatabase>>;

/**
 * @param timeout milliseconds that one command may take, the wait for a connection included
 * @throws TypeError if the Mongoose of the connection is too old
 */
export function createDatabase(connection: Connection, timeout: number) {
  // checked at the start: otherwise operations would fail later, one by one
  const version = (connection.base as { readonly version?: string } | undefined)?.version ?? 'before 5';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_MONGOOSE;
  if (!(major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)))
    throw new TypeError(
      `express-authorization-server: Mongoose ${version} is too old; it must be ${OLDEST_MONGOOSE.join('.')} or newer: npm install mongoose@${oldestMajor}`,
    );
  const monitor = monitors.get(connection) ?? new ConnectionMonitor(connection);
  monitors.set(connection, monitor);
  /**
   * Runs one command with a deadline: while the database is down or hangs, requests get a quick response instead of
   * waiting for the driver's half minute. A command waits in the queue, and for the connection, no longer than half of
   * its time; if it is not sent by then, it never is. Without a response in time, its signal aborts it.
   *
   * @throws OAuthError temporarily_unavailable (503) if the database failed
   */
  const execute = async <T>(command: Command<T>): Promise<T> => {
    const deadline = performance.now() + timeout;
    try {
      return await poolOf(connection).queue.run(() => monitor.send(command, deadline, timeout), {
        patience: timeout / 2,
      });
    } catch (error) {
      if (!isFailure(error)) throw error;
      const detail =
        error instanceof ConnectionNeverOpened
          ? error.message
          : 'the database did not do what was asked of it';
      throw unableForTheMoment(detail, error, { 'Retry-After': '5' });
    }
  };

  return {
    connection,
    execute,
    /** The server's description of itself. */
    hello: () =>
      execute(async (signal) => {
        const before = Date.now();
        const { localTime, ...answer } = await connection.db!.command({ hello: 1 }, { signal });
        // assumes equal times of request and response
        const now = (before + Date.now()) / 2;
        const {
          setName,
          msg,
          arbiters = [],
        } = answer as Readonly<Record<'setName' | 'msg', unknown>> & {
          readonly arbiters?: readonly unknown[];
        };
        /** Milliseconds by which the server's clock is ahead of this machine's; null if unknown. */
        const clockDifference = localTime instanceof Date ? localTime.getTime() - now : null;
        return { setName, msg, arbiters, clockDifference };
      }),
    /**
     * Called once, before the first command of a request: requests in progress have priority over new ones.
     *
     * @throws OAuthError temporarily_unavailable (503) while commands wait too long in the queue
     */
    checkLoad: () => poolOf(connection).queue.admit(),
    /** Ends the use of the connection, which the site itself closes. */
    close: monitor.acquire(),
  };
}

/** The driver's pool of connections to each server. */
type Pool = Readonly<ReturnType<typeof createPool>>;

const pools = new WeakMap<object, Pool>();

/** The pool that connections of one MongoClient share; a connection without a client has its own. */
export function poolOf(connection: Connection): Pool {
  const client = connection.getClient() as ReturnType<Connection['getClient']> | undefined;
  const owner = client ?? connection;
  const existing = pools.get(owner);
  if (existing !== undefined) return existing;
  const pool = createPool(client?.options.maxPoolSize || DEFAULT_POOL_SIZE);
  pools.set(owner, pool);
  return pool;
}

/** @param size maximum number of connections to each server */
function createPool(size: number) {
  // a command that waits in the driver would be sent even if its request was answered 503 long ago
  const queue = createWorkQueue({
    name: 'database commands',
    atOnce: size,
    waiting: WAITING_PER_CONNECTION * size,
    maxDelay: MAX_DELAY,
  });
  let streams = 0;
  const count = (change: 1 | -1) => {
    streams += change;
    // at least one command always runs
    pool.freeConnections = Math.max(1, size - streams);
    queue.resize(pool.freeConnections);
  };
  const pool = {
    size,
    queue,
    /** How many commands can run at once. */
    freeConnections: size,
    /**
     * Counts an open change stream; returns a function that ends this, once. A stream occupies a connection nearly all
     * the time, because it waits on the server for the next change.
     */
    holdConnection() {
      count(1);
      return lazy(() => count(-1));
    },
  };
  return pool;
}

/** The error code of an insert whose key is taken. */
const DUPLICATE_KEY = 11000;

/** Other databases with MongoDB's protocol may report it only by their own message. */
const DUPLICATE_TEXT = /^(E11000 |duplicate key value violates unique constraint)/;

export function isDuplicateKey(error: unknown): boolean {
  const { code, message, errmsg } = (error ?? {}) as { code?: unknown; message?: unknown; errmsg?: unknown };
  return code === DUPLICATE_KEY || DUPLICATE_TEXT.test(String(message ?? errmsg));
}

/** The first field of the unique index that another document's value violates; undefined if the server does not say. */
export function duplicateField(error: unknown): string | undefined {
  const { keyPattern, message } = error as { readonly keyPattern?: object; readonly message?: unknown };
  if (keyPattern !== undefined) return Object.keys(keyPattern)[0];
  // the default name of an index contains its fields and their directions
  const [, name] = /\bindex:\s+(?:\S+\.\$)?(\S+?)_(?:1|-1|hashed)\b/.exec(String(message)) ?? [];
  return name;
}

/** A refusal by the site's schema or by a unique index of the site, with the field. */
export interface SchemaProblem {
  readonly path: string;
  readonly message: string;
}

/** Undefined for other errors. */
export function findSchemaProblem(error: unknown): SchemaProblem | undefined {
  if (!(error instanceof Error)) return undefined;
  if (isDuplicateKey(error))
    return { path: duplicateField(error) ?? '', message: 'There is another one with this value already.' };
  const {
    errors = {},
    path,
    message,
  } = error as Error & Partial<SchemaProblem> & { readonly errors?: Readonly<Record<string, SchemaProblem>> };
  if (error.name === 'ValidationError') return Object.values(errors)[0];
  return error.name === 'CastError' && path !== undefined ? { path, message } : undefined;
}

/** The codes of a broken socket: the driver passes on some of these errors. */
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
 * Whether an error comes from the database, the driver or Mongoose; errors of the site's hooks and validators are
 * passed on unchanged.
 */
function isFailure(error: unknown): boolean {
  if (!isNativeError(error) || isDuplicateKey(error)) return false;
  const { code } = error as { code?: unknown };
  return error instanceof DatabaseTimeout || error.name.startsWith('Mongo') || CUT_OFF.has(code);
}

/** Milliseconds without a response to any pending command, after which only a ping is sent. */
const SILENT_AFTER = 250;
/** Milliseconds to wait for a broken connection; if the database is down longer, requests fail at once. */
const RECONNECT_TIME = 2000;

const noAnswer = () => new DatabaseTimeout('no answer from MongoDB within databaseTimeout');

/** The monitor of a connection: the same one for all servers and stores on it. */
const monitors = new WeakMap<Connection, ConnectionMonitor>();

/**
 * Monitors a site's connection while it is in use: whether and since when the database does not respond, and whether
 * the site has closed the connection.
 */
class ConnectionMonitor {
  readonly #listeners = {
    connected: () => void (this.#isClosedByHost = false),
    close: () => void (this.#isClosedByHost = true),
    disconnected: () => void (this.#brokenAt = Date.now()),
  };
  #users = 0;
  #isClosedByHost = false;
  #brokenAt = 0;
  #pending = 0;
  #silentSince: number | undefined;
  #ping: Promise<unknown> | undefined;

  constructor(private readonly connection: Connection) {}

  /** Begins a use of the connection; returns a function that ends it. The last end removes the listeners. */
  acquire(): () => void {
    if (this.#users === 0) this.#listen('on');
    this.#users += 1;
    return lazy(() => {
      this.#users -= 1;
      if (this.#users === 0) this.#listen('off');
    });
  }

  #listen(method: 'on' | 'off'): void {
    for (const [name, listener] of Object.entries(this.#listeners)) this.connection[method](name, listener);
  }

  /**
   * Sends a command once the database responds, after at most half of the command's time.
   *
   * @param deadline when its `timeout` (milliseconds) is over, by `performance.now()`
   * @throws DatabaseTimeout
   */
  async send<T>(command: Command<T>, deadline: number, timeout: number): Promise<T> {
    const { connected } = this.connection.base.STATES;
    const isSilent = this.#silentSince !== undefined && Date.now() - this.#silentSince > SILENT_AFTER;
    if (isSilent || this.connection.readyState !== connected)
      await this.#waitUntilResponsive(deadline - timeout / 2 - performance.now(), timeout);
    return this.#sendNow(command, deadline - performance.now());
  }

  async #sendNow<T>(command: Command<T>, timeout: number): Promise<T> {
    this.#silentSince ??= Date.now();
    this.#pending += 1;
    let isAnswered = true;
    try {
      return await withTimeout(timeout, command, noAnswer);
    } catch (error) {
      // a refusal is a response, too
      isAnswered = !(error instanceof DatabaseTimeout);
      throw error;
    } finally {
      this.#pending -= 1;
      if (isAnswered) this.#silentSince = this.#pending > 0 ? Date.now() : undefined;
    }
  }

  /** Waits until the database responds. A ping may take `timeout` milliseconds: other commands may wait for it, too. */
  async #waitUntilResponsive(patience: number, timeout: number): Promise<void> {
    const { connected, connecting } = this.connection.base.STATES;
    if (this.connection.readyState === connected) {
      await this.#sendNow(() => this.#sharedPing(timeout), patience);
    } else if (this.connection.readyState === connecting) {
      await withTimeout(patience, () => this.connection.asPromise(), noAnswer);
    } else if (isNeverOpened(this.connection)) {
      throw new ConnectionNeverOpened();
    } else {
      const remaining = Math.min(this.#brokenAt + RECONNECT_TIME - Date.now(), patience);
      // any command would make the driver reopen a connection that the site has closed
      if (this.#isClosedByHost || remaining <= 0)
        throw new DatabaseTimeout('the Mongoose connection is not connected');
      await withTimeout(remaining, () => this.#sharedPing(timeout), noAnswer);
    }
  }

  /**
   * Pings a silent database, once for all requests: a command in the driver could still run after its request was
   * answered 503, and so use up a code for nothing.
   */
  #sharedPing(timeout: number): Promise<unknown> {
    return (this.#ping ??= withTimeout(
      timeout,
      (signal) => this.connection.getClient().db('admin').command({ ping: 1 }, { signal }),
      noAnswer,
    ).finally(() => (this.#ping = undefined)));
  }
}
