import type { Request } from 'express';

/** Waits for the store before the response is sent: the browser may come back faster than a store writes. */
export function saveSession(req: Request): Promise<void> {
  const { session } = req as { session?: { save?(done: (error?: Error | null) => void): void } };
  return new Promise((resolve, reject) => {
    if (session?.save === undefined) return resolve();
    session.save((error) => (error ? reject(error) : resolve()));
  });
}
