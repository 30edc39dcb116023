import type { Request } from 'express';

/** Aborted when the connection of a request closes, or the request is answered: nobody waits for its work then. */
export function closeSignalOf({ res }: Request): AbortSignal {
  const abort = new AbortController();
  if (res?.closed === true) abort.abort();
  else res?.once('close', () => abort.abort());
  return abort.signal;
}
