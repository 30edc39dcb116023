/**
 * Runs work that may take at most this many milliseconds. The function's timer decides, so that it never waits for
 * an event of the platform or a driver that does not come; `signal` ends the work if it is late or fails.
 *
 * @param late makes the error of late work
 */
export async function withTimeout<T>(
  milliseconds: number,
  work: (signal: AbortSignal) => PromiseLike<T>,
  late: () => Error,
): Promise<T> {
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<never>((_settle, reject) => {
    timer = setTimeout(() => reject(late()), milliseconds);
  });
  try {
    return await Promise.race([work(abort.signal), end]);
  } catch (error) {
    abort.abort(error);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for work that ends by itself, for at most this many milliseconds. */
export async function waitAtMax(timeout: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise((resolve) => {
    timer = setTimeout(resolve, timeout);
  });
  try {
    await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
