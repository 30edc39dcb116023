import type { Response } from 'express';

import { lazy } from '../../shared/lazy.js';
import type { AccessToken } from './access-token.js';
import type { Opened, TokenWatch } from './token-watch.js';

/** Its signal is made when it is read: most routes are over before a token ends. */
class WatchableToken {
  readonly #open: () => AbortSignal;

  constructor(auth: AccessToken, open: () => AbortSignal) {
    Object.assign(this, auth);
    this.#open = lazy(open);
  }

  get signal(): AbortSignal {
    return this.#open();
  }
}

/** An accessor of the class, and not of each token: that would cost ten times as much at each call. */
export function withSignal(auth: AccessToken, open: () => AbortSignal): AccessToken {
  return new WatchableToken(auth, open) as unknown as AccessToken;
}

/** Watches a token until its connection closes. */
export function openFor(watch: TokenWatch, opened: Opened, res: Response): AbortSignal {
  const { signal, release } = watch.open(opened);
  if (res.closed) release();
  else res.once('close', release);
  return signal;
}
