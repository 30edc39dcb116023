import { createWorkQueue, type Waiting, type WorkQueue } from './work-queue.js';

/**
 * Runs work for one key in the order of the calls, and work for different keys at the same time.
 *
 * @throws OAuthError as a work queue does, if the work has waited too long, or nobody waits for it
 */
export type KeyedMutex = <T>(key: string, work: () => Promise<T>, waiting?: Waiting) => Promise<T>;

/**
 * Serializes attempts whose failures are limited: of a thousand concurrent ones all would pass before the first has
 * failed.
 */
export function createKeyedMutex(): KeyedMutex {
  const lines = new Map<string, { readonly queue: WorkQueue; users: number }>();
  return async (key, work, waiting) => {
    const line = lines.get(key) ?? {
      queue: createWorkQueue({ name: 'tries for the same name', atOnce: 1, waiting: Infinity }),
      users: 0,
    };
    lines.set(key, line);
    line.users += 1;
    try {
      return await line.queue.run(work, waiting);
    } finally {
      line.users -= 1;
      if (line.users === 0) lines.delete(key);
    }
  };
}
