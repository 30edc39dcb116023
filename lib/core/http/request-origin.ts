import type { IncomingHttpHeaders } from 'node:http';

import type { Request } from 'express';

import { lazy } from '../../shared/lazy.js';

/** Who sent a request, as far as that shows outside the parameters. */
export interface RequestOrigin {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** `req.ip`: correct behind a proxy if the app's `trust proxy` is. */
  readonly ip: string;
  /** Aborted when nobody waits for the answer any more. Default: somebody does. */
  readonly closeSignal?: () => AbortSignal;
}

/** For what is checked without a request. */
export const NO_ORIGIN: RequestOrigin = { method: '', headers: {}, ip: '' };

export function requestOriginOf(req: Request): RequestOrigin {
  return {
    method: req.method,
    headers: req.headers,
    ip: req.ip ?? '',
    closeSignal: lazy(() => closeSignalOf(req)),
  };
}

/** Aborted when the connection of a request closes, or the request is answered: nobody waits for its work then. */
export function closeSignalOf({ res }: Request): AbortSignal {
  const abort = new AbortController();
  if (res?.closed === true) abort.abort();
  else res?.once('close', () => abort.abort());
  return abort.signal;
}
