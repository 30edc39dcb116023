import { type Connection,STATES } from 'mongoose';

import { OAuthError } from '../errors.js';

const DUPLICATE_KEY = 11000;

/**
 * Runs one database command with a deadline: a database that is down or hangs becomes a quick
 * `temporarily_unavailable` (503) instead of a request that waits for the driver's half minute.
 */
export interface Storage {
  run<T>(command: () => PromiseLike<T>): Promise<T>;
}

/** One aggregation over a collection that answers a pipeline of each of several ids, each of which uses an index. */
export function eachOf(
  collection: string,
  [first, ...others]: readonly string[],
  pipelineOf: (id: string) => readonly object[],
): Record<string, unknown>[] {
  if (first === undefined) throw new RangeError('an aggregation of no ids');
  return [
    ...pipelineOf(first),
    ...others.map((id) => ({ $unionWith: { coll: collection, pipeline: pipelineOf(id) } })),
  ] as Record<string, unknown>[];
}

export interface StorageOptions {
  readonly connection: Connection;
  /** Milliseconds that one command may take, the wait for a connection included. */
  readonly timeout: number;
}

export function createStorage({ connection, timeout }: StorageOptions): Storage {
  const ping = sharedPing(connection);
  const reconnect = watchConnection(connection, { timeout, ping });
  const silence = createSilence();
  return {
    async run<T>(command: () => PromiseLike<T>): Promise<T> {
      try {
        if (connection.readyState !== STATES.connected) await reconnect();
        else if (silence.isTooLong()) await silence.during(() => withDeadline(ping(), timeout));
        return await silence.during(() => withDeadline(command(), timeout));
      } catch (error) {
        throw isStorageFailure(error) ? unavailable(error) : error;
      }
    },
  };
}

export function isDuplicateKey(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === DUPLICATE_KEY;
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

/** Milliseconds without any answer to what was asked, after which nothing but a ping is asked. */
const SILENT_AFTER = 250;

/** Watches since when a database that is connected says nothing at all. */
function createSilence() {
  let unanswered = 0;
  let since: number | undefined;
  const answered = () => (since = unanswered > 1 ? Date.now() : undefined);
  return {
    isTooLong: () => since !== undefined && Date.now() - since > SILENT_AFTER,
    async during<T>(command: () => Promise<T>): Promise<T> {
      since ??= Date.now();
      unanswered += 1;
      try {
        const answer = await command();
        answered();
        return answer;
      } catch (error) {
        // a refusal is an answer, too
        if (!(error instanceof StorageFailure)) answered();
        throw error;
      } finally {
        unanswered -= 1;
      }
    },
  };
}

/** Milliseconds in which a connection that broke is waited for; while the database is down longer, answers are quick. */
const RECONNECT_TIME = 2000;

/** Resolves when the connection is there again. */
function watchConnection(
  connection: Connection,
  { timeout, ping }: { timeout: number; ping: () => Promise<unknown> },
): () => Promise<void> {
  let disconnectedAt = 0;
  let isClosedByHost = false;
  connection.on('connected', () => (isClosedByHost = false));
  connection.on('close', () => (isClosedByHost = true));
  connection.on('disconnected', () => (disconnectedAt = Date.now()));

  return async () => {
    if (connection.readyState === STATES.connecting) {
      await withDeadline(connection.asPromise(), timeout);
      return;
    }
    const remaining = disconnectedAt + Math.min(RECONNECT_TIME, timeout) - Date.now();
    // asked for anything, the driver would open again what the host has closed
    if (isClosedByHost || remaining <= 0)
      throw new StorageFailure('the Mongoose connection is not connected');
    await withDeadline(ping(), remaining);
  };
}

async function withDeadline<T>(operation: PromiseLike<T>, timeout: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new StorageFailure(`no answer from MongoDB within ${timeout} ms`)),
      timeout,
    );
  });
  try {
    return await Promise.race([operation, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

class StorageFailure extends Error {
  override readonly name = 'StorageFailure';
}

function isStorageFailure(error: unknown): boolean {
  if (!(error instanceof Error) || isDuplicateKey(error)) return false;
  return error instanceof StorageFailure || error.name.startsWith('Mongo');
}

function unavailable(cause: unknown): OAuthError {
  return new OAuthError(
    'temporarily_unavailable',
    'the service is unable to handle the request for the moment, please try again',
    {
      detail: 'the database did not do what was asked of it',
      headers: { 'Retry-After': '5' },
      cause,
    },
  );
}
