import type { IncomingHttpHeaders } from 'node:http';

import type { Request } from 'express';

import { lazy } from '../../shared/lazy.js';

/** The sender of a request, as far as it shows outside the parameters. */
export interface RequestOrigin {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** `req.ip`: correct behind a proxy if the app's `trust proxy` is. */
  readonly ip: string;
  /** Aborted when the client no longer waits for the response. Default: never. */
  readonly closeSignal?: () => AbortSignal;
}

/** For checks outside a request, such as `oauth.verify`. */
export const NO_ORIGIN: RequestOrigin = { method: '', headers: {}, ip: '' };

export function requestOriginOf(req: Request): RequestOrigin {
  return {
    method: req.method,
    headers: req.headers,
    ip: req.ip ?? '',
    closeSignal: lazy(() => createCloseSignal(req)),
  };
}

/** Aborted when the connection of a request closes, or its response is sent: further work would be wasted. */
export function createCloseSignal({ res }: Request): AbortSignal {
  const abort = new AbortController();
  if (res?.closed === true) abort.abort();
  else res?.once('close', () => abort.abort());
  return abort.signal;
}
