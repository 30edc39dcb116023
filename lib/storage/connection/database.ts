import { isNativeError } from 'node:util/types';

import type { Connection } from 'mongoose';

import { unableForTheMoment } from '../../shared/errors.js';
import { lazy } from '../../shared/lazy.js';
import { withTimeout } from '../../shared/limits/deadline.js';
import { createWorkQueue } from '../../shared/limits/work-queue.js';

/*
 * The way of a command to MongoDB: `Collection` (collection.ts) says what is asked, by the model or by its native
 * collection, for several requests at once where they come together (batch.ts); `execute` here says when it is sent, and
 * for how long it may take.
 *
 * The queue is our own (shared/limits/work-queue.ts): p-limit, p-queue and async-mutex neither bound how many wait, nor
 * tell how long the first has waited, and cost 6 to 20 times the CPU time (0.9 to 3 µs a command). So is the deadline: the
 * driver's `timeoutMS` is experimental, lets the server abort a write (`maxTimeMS`), and knows nothing of the hooks of
 * the site, which are part of a command.
 */

/** The database gave no answer in time, or there is no connection to it. */
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

/** Whether nothing has opened a connection: Mongoose makes its client when it is opened. */
export function isNeverOpened(connection: Connection): boolean {
  const client = connection.getClient() as ReturnType<Connection['getClient']> | null | undefined;
  return !client && connection.readyState === connection.base.STATES.disconnected;
}

/** A command for the driver, with the signal that ends it: the driver closes the connection that it waits on. */
export type Command<T> = (signal: AbortSignal) => PromiseLike<T>;

/** The oldest version of Mongoose that is tested: major and minor. */
const OLDEST_MONGOOSE = [6, 13] as const;

/** The driver's default `maxPoolSize`; 0 means no limit there. */
const DEFAULT_POOL_SIZE = 100;
/** How many commands may wait for each that is under way: a burst is served, a flood is told to come back. */
const WAITING_PER_CONNECTION = 10;
/** Milliseconds that commands may wait while requests are admitted; each request has two or three in turn. */
const MAX_DELAY = 250;

/** The site's database, as the stores use it. */
export type Database = Readonly<ReturnType<typeof createDatabase>>;

/**
 * @param timeout milliseconds that one command may take, the wait for a connection included
 * @throws TypeError if the Mongoose of the connection is older than promised
 */
export function createDatabase(connection: Connection, timeout: number) {
  // otherwise operations would fail later, one by one
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
   * Runs one command with a deadline: a database that is down or hangs becomes a quick answer instead of a request that
   * waits for the driver's half minute. A command waits for its turn, and for the connection, no longer than half of
   * its time; one that is not sent by then never is. One that is not answered in time is ended by its signal.
   *
   * @throws OAuthError temporarily_unavailable (503) if the database did not do it
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
    /** What the server says of itself. */
    hello: () =>
      execute(async (signal) => {
        const before = Date.now();
        const { localTime, ...answer } = await connection.db!.command({ hello: 1 }, { signal });
        // assumes that the way there took as long as the way back
        const now = (before + Date.now()) / 2;
        const {
          setName,
          msg,
          arbiters = [],
        } = answer as Readonly<Record<'setName' | 'msg', unknown>> & {
          readonly arbiters?: readonly unknown[];
        };
        /** Milliseconds that its clock is ahead of this machine's; null if it does not tell. */
        const clockDifference = localTime instanceof Date ? localTime.getTime() - now : null;
        return { setName, msg, arbiters, clockDifference };
      }),
    /**
     * Called once, before the first command of a request: requests in progress go before new ones.
     *
     * @throws OAuthError temporarily_unavailable (503) while commands wait too long for their turn
     */
    checkLoad: () => poolOf(connection).queue.admit(),
    /** Ends the use of the connection, which the site itself closes. */
    close: monitor.acquire(),
  };
}

/** The driver's pool of connections to each server. */
type Pool = Readonly<ReturnType<typeof createPool>>;

const pools = new WeakMap<object, Pool>();

/** The pool that connections of one MongoClient share; a connection that has no client yet is alone. */
export function poolOf(connection: Connection): Pool {
  const client = connection.getClient() as ReturnType<Connection['getClient']> | undefined;
  const owner = client ?? connection;
  const known = pools.get(owner);
  if (known !== undefined) return known;
  const pool = createPool(client?.options.maxPoolSize || DEFAULT_POOL_SIZE);
  pools.set(owner, pool);
  return pool;
}

/** @param size how many connections to each server the driver may open */
function createPool(size: number) {
  // a command that waited in the driver itself would be sent even if its request was answered 503 long ago
  const queue = createWorkQueue({
    name: 'database commands',
    atOnce: size,
    waiting: WAITING_PER_CONNECTION * size,
    maxDelay: MAX_DELAY,
  });
  let streams = 0;
  const count = (change: 1 | -1) => {
    streams += change;
    // one command goes through in any case
    pool.freeConnections = Math.max(1, size - streams);
    queue.resize(pool.freeConnections);
  };
  const pool = {
    size,
    queue,
    /** How many commands can be under way at once. */
    freeConnections: size,
    /**
     * Counts a change stream that is open; returns a function that ends that, once. It holds a connection nearly all the
     * time, because it waits on the server for what comes next.
     */
    holdConnection() {
      count(1);
      return lazy(() => count(-1));
    },
  };
  return pool;
}

/** The error code for an insert whose key is taken. */
const DUPLICATE_KEY = 11000;

/** What speaks the protocol of MongoDB on another database may say so by the text of that database alone. */
const DUPLICATE_TEXT = /^(E11000 |duplicate key value violates unique constraint)/;

export function isDuplicateKey(error: unknown): boolean {
  const { code, message, errmsg } = (error ?? {}) as { code?: unknown; message?: unknown; errmsg?: unknown };
  return code === DUPLICATE_KEY || DUPLICATE_TEXT.test(String(message ?? errmsg));
}

/** The first field of the unique index in which another document has this value; undefined if the server says none. */
export function duplicateField(error: unknown): string | undefined {
  const { keyPattern, message } = error as { readonly keyPattern?: object; readonly message?: unknown };
  if (keyPattern !== undefined) return Object.keys(keyPattern)[0];
  // an index has the name of its fields and their directions, unless somebody has given it another one
  const [, name] = /\bindex:\s+(?:\S+\.\$)?(\S+?)_(?:1|-1|hashed)\b/.exec(String(message)) ?? [];
  return name;
}

/** Why the site's schema or a unique index of the site refuses a value, and of which field. */
export interface SchemaProblem {
  readonly path: string;
  readonly message: string;
}

/** Undefined if something else went wrong. */
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
 * Whether an error is of the database, the driver or Mongoose itself; what a hook or validator of the site throws is
 * passed on as it is.
 */
function isFailure(error: unknown): boolean {
  if (!isNativeError(error) || isDuplicateKey(error)) return false;
  const { code } = error as { code?: unknown };
  return error instanceof DatabaseTimeout || error.name.startsWith('Mongo') || CUT_OFF.has(code);
}

/** Milliseconds without an answer to any pending command, after which only a ping is sent. */
const SILENT_AFTER = 250;
/** Milliseconds to wait for a broken connection; if the database is down longer, answers are quick. */
const RECONNECT_TIME = 2000;

const noAnswer = () => new DatabaseTimeout('no answer from MongoDB within databaseTimeout');

/** The monitor of a connection: the same one for all servers and stores on it. */
const monitors = new WeakMap<Connection, ConnectionMonitor>();

/**
 * What is known of a site's connection while it is in use: whether the database answers, since when it does not, and
 * whether the site has closed the connection.
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
   * Sends a command once the database answers. For that it waits no longer than half of the command's time.
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
      // a refusal is an answer, too
      isAnswered = !(error instanceof DatabaseTimeout);
      throw error;
    } finally {
      this.#pending -= 1;
      if (isAnswered) this.#silentSince = this.#pending > 0 ? Date.now() : undefined;
    }
  }

  /** Waits until the database answers. A ping may take `timeout` milliseconds: others may wait for it, too. */
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
      // given any command, the driver would reopen a connection that the site has closed
      if (this.#isClosedByHost || remaining <= 0)
        throw new DatabaseTimeout('the Mongoose connection is not connected');
      await withTimeout(remaining, () => this.#sharedPing(timeout), noAnswer);
    }
  }

  /**
   * Asks a database that does not answer, once for all requests: a command that was handed to the driver could still
   * run after its request was answered 503, and so use up a code for nothing.
   */
  #sharedPing(timeout: number): Promise<unknown> {
    return (this.#ping ??= withTimeout(
      timeout,
      (signal) => this.connection.getClient().db('admin').command({ ping: 1 }, { signal }),
      noAnswer,
    ).finally(() => (this.#ping = undefined)));
  }
}
