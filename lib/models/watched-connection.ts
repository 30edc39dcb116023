import type { Connection } from 'mongoose';

import { createSharedDeadlines, type WithinDeadline } from '../limits/shared-deadlines.js';
import { createWorkQueue, type WorkQueue } from '../limits/work-queue.js';

/** The database gave no answer, or there is no connection to it. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/**
 * What is known of a host's connection while it is in use: whether the database answers, since when it does not, and
 * whether the host has closed it. There is one for each connection, however many servers and stores are on it.
 */
export interface WatchedConnection {
  /**
   * Sends one command in its turn and as soon as the connection is there, and waits no longer than `timeout`
   * milliseconds: up to half of them until it is sent, and then for its answer. One that is not sent by then never is.
   * One that is not answered in time is ended by `signal`: the driver closes the connection that it waits on.
   *
   * @throws NoAnswer, OAuthError temporarily_unavailable if it has not had its turn, or what the command throws
   */
  send<T>(command: Command<T>, timeout: number): Promise<T>;
  /**
   * Called once, before the first command of a request: requests in progress go before new ones.
   *
   * @throws OAuthError temporarily_unavailable while commands wait too long for their turn
   */
  readonly admit: () => void;
  /** Begins a use of the connection; returns a function that ends it. The last end removes the listeners. */
  readonly hold: () => () => void;
}

/** A command for the driver, with the signal that ends it. */
export type Command<T> = (signal: AbortSignal) => PromiseLike<T>;

/** Milliseconds without an answer to any pending command, after which only a ping is sent. */
const SILENT_AFTER = 250;
/** Milliseconds to wait for a broken connection; if the database is down longer, answers are quick. */
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
  const within = answeredWithin(createSharedDeadlines());
  const ping = sharedPing(connection, within);
  let unanswered = 0;
  let silentSince: number | undefined;

  const ask = <T>(command: Command<T>, timeout: number): Promise<T> => {
    silentSince ??= Date.now();
    unanswered += 1;
    const answered = (): void => void (silentSince = unanswered > 0 ? Date.now() : undefined);
    return within(timeout, command).then(
      (answer) => {
        unanswered -= 1;
        answered();
        return answer;
      },
      (error: unknown) => {
        unanswered -= 1;
        // a refusal is an answer, too
        if (!(error instanceof NoAnswer)) answered();
        throw error;
      },
    );
  };

  const reconnect = async (timeout: number): Promise<void> => {
    if (connection.readyState === connecting) {
      await within(timeout, () => connection.asPromise());
      return;
    }
    const remaining = Math.min(listeners.brokenAt() + RECONNECT_TIME - Date.now(), timeout);
    // given any command, the driver would reopen a connection that the host has closed
    if (listeners.isClosedByHost() || remaining <= 0)
      throw new NoAnswer('the Mongoose connection is not connected');
    await within(remaining, () => ping(timeout));
  };

  const isSilent = (): boolean => silentSince !== undefined && Date.now() - silentSince > SILENT_AFTER;

  return {
    send(command, timeout) {
      const deadline = performance.now() + timeout;
      const patience = timeout / 2;
      const remaining = () => deadline - performance.now();
      const sendWhenReady = async () => {
        const untilSent = remaining() - patience;
        if (connection.readyState !== connected) await reconnect(untilSent);
        else await ask(() => ping(timeout), untilSent);
        return ask(command, remaining());
      };
      return queueOf(connection).run(
        () =>
          connection.readyState === connected && !isSilent() ? ask(command, remaining()) : sendWhenReady(),
        { patience },
      );
    },
    admit: () => queueOf(connection).admit(),
    hold: listeners.hold,
  };
}

/** The default of the driver. */
const POOL_SIZE = 100;
/** How many commands may wait for each that is under way: a burst is served, a flood is told to come back. */
const WAITING = 10;
/** Milliseconds that commands may wait while requests are admitted; each request has two or three in turn. */
const MOST_DELAY = 250;

const queues = new WeakMap<object, WorkQueue>();

/**
 * Where commands wait for a connection of the driver's pool: a command that waits in the driver itself would be sent
 * even if its request was answered 503 long ago.
 */
function queueOf(connection: Connection): WorkQueue {
  const client = connection.getClient() as ReturnType<Connection['getClient']> | undefined;
  const known = queues.get(client ?? connection);
  if (known !== undefined) return known;
  const atOnce = client?.options.maxPoolSize || POOL_SIZE;
  const queue = createWorkQueue({
    name: 'database commands',
    atOnce,
    waiting: WAITING * atOnce,
    mostDelay: MOST_DELAY,
  });
  queues.set(client ?? connection, queue);
  return queue;
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
 * Asks a database that does not answer, once for all requests: a command that was handed to the driver could still run
 * after its request was answered 503, and so use up a code for nothing.
 */
function sharedPing(connection: Connection, within: Within): (timeout: number) => Promise<unknown> {
  let ping: Promise<unknown> | undefined;
  return (timeout) =>
    (ping ??= within(timeout, (signal) =>
      connection.getClient().db('admin').command({ ping: 1 }, { signal }),
    ).finally(() => (ping = undefined)));
}

type Within = <T>(timeout: number, command: Command<T>) => Promise<T>;

function answeredWithin(withDeadline: WithinDeadline): Within {
  return (timeout, command) =>
    withDeadline(timeout, command, () => new NoAnswer('no answer from MongoDB within databaseTimeout'));
}
