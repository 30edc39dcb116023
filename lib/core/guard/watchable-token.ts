import { lazy } from '../../shared/lazy.js';
import type { AccessToken } from './access-token.js';
import type { TokenWatch, WatchedConnection } from './token-watch.js';

/** The watch begins when `signal` is read: most routes are over before a token ends. */
class WatchableToken {
  readonly #watch: () => AbortSignal;

  constructor(auth: AccessToken, watch: () => AbortSignal) {
    Object.assign(this, auth);
    this.#watch = lazy(watch);
  }

  get signal(): AbortSignal {
    return this.#watch();
  }
}

/** The accessor is one of the class: defining it on each token would cost ten times as much at each call. */
export function withSignal(auth: AccessToken, watch: () => AbortSignal): AccessToken {
  return new WatchableToken(auth, watch) as unknown as AccessToken;
}

/** A connection, or what stands for it: a response, a WebSocket, the transport of Socket.IO. */
export interface Closable {
  readonly closed: boolean;
  once(event: 'close', listener: () => void): unknown;
}

/** Watches a token until its connection closes. */
export function watchUntilClosed(
  watch: TokenWatch,
  watched: WatchedConnection,
  connection: Closable,
): AbortSignal {
  const { signal, unwatch } = watch.watch(watched);
  if (connection.closed) unwatch();
  else connection.once('close', unwatch);
  return signal;
}

/** Sockets of other packages do not say that they are closed, so it is noticed from now on. */
export function toClosable(socket: Pick<Closable, 'once'>): Closable {
  let closed = false;
  socket.once('close', () => (closed = true));
  return {
    get closed() {
      return closed;
    },
    once: (event, listener) => socket.once(event, listener),
  };
}
