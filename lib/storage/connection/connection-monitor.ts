import type { Connection } from 'mongoose';

import { withTimeout } from '../../shared/limits/deadline.js';

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

/** How long a command may take. */
export interface CommandTime {
  /** Milliseconds, all of its time. */
  readonly timeout: number;
  /** When that is over, by `performance.now()`. */
  readonly deadline: number;
}

/** Milliseconds without an answer to any pending command, after which only a ping is sent. */
const SILENT_AFTER = 250;
/** Milliseconds to wait for a broken connection; if the database is down longer, answers are quick. */
const RECONNECT_TIME = 2000;

const noAnswer = () => new DatabaseTimeout('no answer from MongoDB within databaseTimeout');

const monitors = new WeakMap<Connection, ConnectionMonitor>();

/** The monitor of a connection: the same one for all servers and stores on it. */
export function monitorOf(connection: Connection): ConnectionMonitor {
  const monitor = monitors.get(connection) ?? new ConnectionMonitor(connection);
  monitors.set(connection, monitor);
  return monitor;
}

/**
 * What is known of a site's connection while it is in use: whether the database answers, since when it does not, and
 * whether the site has closed the connection.
 */
class ConnectionMonitor {
  readonly #connection: Connection;
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

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Begins a use of the connection; returns a function that ends it. The last end removes the listeners. */
  acquire(): () => void {
    if (this.#users === 0) this.#listen('on');
    this.#users += 1;
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#users -= 1;
      if (this.#users === 0) this.#listen('off');
    };
  }

  #listen(method: 'on' | 'off'): void {
    for (const [name, listener] of Object.entries(this.#listeners)) this.#connection[method](name, listener);
  }

  /**
   * Sends a command once the database answers. For that it waits no longer than half of the command's time.
   *
   * @throws DatabaseTimeout
   */
  async send<T>(command: Command<T>, { deadline, timeout }: CommandTime): Promise<T> {
    const { connected } = this.#connection.base.STATES;
    const isSilent = this.#silentSince !== undefined && Date.now() - this.#silentSince > SILENT_AFTER;
    if (isSilent || this.#connection.readyState !== connected)
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
    const { connected, connecting } = this.#connection.base.STATES;
    if (this.#connection.readyState === connected) {
      await this.#sendNow(() => this.#sharedPing(timeout), patience);
    } else if (this.#connection.readyState === connecting) {
      await withTimeout(patience, () => this.#connection.asPromise(), noAnswer);
    } else if (isNeverOpened(this.#connection)) {
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
      (signal) => this.#connection.getClient().db('admin').command({ ping: 1 }, { signal }),
      noAnswer,
    ).finally(() => (this.#ping = undefined)));
  }
}
