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

/** A connection, or what stands for it: a response, a WebSocket, the transport of Socket.IO. */
export interface Closing {
  readonly closed: boolean;
  once(event: 'close', listener: () => void): unknown;
}

/** Watches a token until its connection closes. */
export function openFor(watch: TokenWatch, opened: Opened, connection: Closing): AbortSignal {
  const { signal, release } = watch.open(opened);
  if (connection.closed) release();
  else connection.once('close', release);
  return signal;
}

/** Sockets of other packages do not say that they are closed, so it is noticed from now on. */
export function closingOf(socket: Pick<Closing, 'once'>): Closing {
  let closed = false;
  socket.once('close', () => (closed = true));
  return {
    get closed() {
      return closed;
    },
    once: (event, listener) => socket.once(event, listener),
  };
}
