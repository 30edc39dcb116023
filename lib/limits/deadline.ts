/**
 * Does something that may take so many milliseconds and no longer. Its own timer decides, so that an event that never
 * comes, of the platform or of a driver, cannot make anybody wait; `signal` ends what goes on when it is late or fails.
 *
 * @param late the error of what is late
 */
export async function withDeadline<T>(
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
