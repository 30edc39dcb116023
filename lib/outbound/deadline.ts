/**
 * Does something that may take so many milliseconds and no longer. Its own timer decides, so that an event of the
 * platform that never comes cannot make anybody wait; when it is over, whichever way, `signal` ends what still goes on.
 *
 * @throws Error named TimeoutError
 */
export async function withDeadline<T>(
  milliseconds: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<never>((_settle, reject) => {
    timer = setTimeout(
      () => reject(new DOMException(`timeout: no answer in ${milliseconds} ms`, 'TimeoutError')),
      milliseconds,
    );
  });
  try {
    return await Promise.race([work(abort.signal), end]);
  } finally {
    clearTimeout(timer);
    abort.abort();
  }
}
