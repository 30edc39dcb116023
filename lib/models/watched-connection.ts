import type { Connection } from 'mongoose';

/** The database gave no answer, or there is no connection to ask by. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/**
 * What is known of a host's connection while it is in use: whether the database answers, since when it does not, and
 * whether the host has closed it. There is one for each connection, however many servers and stores are on it.
 */
export interface WatchedConnection {
  /**
   * Sends one command as soon as the connection is there, and waits no longer than `timeout` milliseconds.
   *
   * @throws NoAnswer, or what the command throws
   */
  send<T>(command: () => PromiseLike<T>, timeout: number): Promise<T>;
  /** Says that a user of the connection begins; gives what ends it. At the last end the listeners are taken off. */
  readonly hold: () => () => void;
}

/** Milliseconds without any answer to what was asked, after which nothing but a ping is asked. */
const SILENT_AFTER = 250;
/**
 * Milliseconds in which a connection that broke is waited for; while the database is down longer, answers are
 * quick.
 */
const RECONNECT_TIME = 2000;

const watched = new WeakMap<Connection, WatchedConnection>();

export function watchConnection(connection: Connection): WatchedConnection {
  const known = watched.get(connection) ?? createWatchedConnection(connection);
  watched.set(connection, known);
  return known;
}

function createWatchedConnection(connection: Connection): WatchedConnection {
  const { connected, connecting } = connection.base.STATES;
  const listeners = listenTo(connection);
  const ping = sharedPing(connection);
  let unanswered = 0;
  let silentSince: number | undefined;

  const ask = async <T>(command: () => PromiseLike<T>, timeout: number): Promise<T> => {
    silentSince ??= Date.now();
    unanswered += 1;
    let isAnswered = true;
    try {
      return await within(timeout, command());
    } catch (error) {
      // a refusal is an answer, too
      isAnswered = !(error instanceof NoAnswer);
      throw error;
    } finally {
      unanswered -= 1;
      if (isAnswered) silentSince = unanswered > 0 ? Date.now() : undefined;
    }
  };

  const reconnect = async (timeout: number): Promise<void> => {
    if (connection.readyState === connecting) {
      await within(timeout, connection.asPromise());
      return;
    }
    const remaining = listeners.brokenAt() + Math.min(RECONNECT_TIME, timeout) - Date.now();
    // asked for anything, the driver would open again what the host has closed
    if (listeners.isClosedByHost() || remaining <= 0)
      throw new NoAnswer('the Mongoose connection is not connected');
    await within(remaining, ping());
  };

  return {
    async send(command, timeout) {
      if (connection.readyState !== connected) await reconnect(timeout);
      else if (silentSince !== undefined && Date.now() - silentSince > SILENT_AFTER) await ask(ping, timeout);
      return ask(command, timeout);
    },
    hold: listeners.hold,
  };
}

/** Three listeners on the connection while anybody uses it. */
function listenTo(connection: Connection) {
  let holders = 0;
  let brokenAt = 0;
  let isClosedByHost = false;
  const listeners = {
    connected: () => void (isClosedByHost = false),
    close: () => void (isClosedByHost = true),
    disconnected: () => void (brokenAt = Date.now()),
  };
  const each = (method: 'on' | 'off') => {
    for (const [name, listener] of Object.entries(listeners)) connection[method](name, listener);
  };

  return {
    brokenAt: () => brokenAt,
    isClosedByHost: () => isClosedByHost,
    hold: () => {
      if (holders === 0) each('on');
      holders += 1;
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        holders -= 1;
        if (holders === 0) each('off');
      };
    },
  };
}

/**
 * What a database that does not answer is asked, once for all requests: a command that was handed to the driver could
 * still be done after its request was answered 503, and so use up a code for nothing.
 */
function sharedPing(connection: Connection): () => Promise<unknown> {
  let ping: Promise<unknown> | undefined;
  return () =>
    (ping ??= connection
      .getClient()
      .db('admin')
      .command({ ping: 1 })
      .finally(() => (ping = undefined)));
}

async function within<T>(timeout: number, operation: PromiseLike<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new NoAnswer(`no answer from MongoDB within ${timeout} ms`)), timeout);
  });
  try {
    return await Promise.race([operation, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
