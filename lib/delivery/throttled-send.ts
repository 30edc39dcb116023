import { messageOf, OAuthError } from '../shared/errors.js';
import type { DeliveryOutcome } from './delivery-worker.js';

/** The load and the speed of a receiver. */
interface Slow {
  isSending: number;
  /** Milliseconds of the last response, or of its timeout. */
  took: number;
  /** When the next waiting message may be sent, in milliseconds since 1970. */
  nextSlot: number;
}

/** Milliseconds from which a response delays other messages. */
const LONG = 500;
/** How many messages are sent at once to a slow receiver. */
const AT_ONCE = 4;
/** Maximum number of remembered slow receivers; the oldest are dropped first. */
const MAX = 1000;
/** Statuses that may succeed the next time; all others below 500 are final. (Back-Channel Logout §2.5, RFC 8935 §2) */
const RECOVERABLE = [408, 425, 429];

/** The response of a receiver that has refused a token. */
export class NotTaken extends Error {
  constructor(readonly status: number) {
    super(`answered with status ${status}`);
  }
}

/**
 * Sends tokens, each once; always resolves. A slow receiver does not occupy all places: it gets only a few, its further
 * tokens wait, and those of other receivers go first.
 */
export function createThrottledSend() {
  const receivers = new Map<string, Slow>();

  return async (receiver: string, send: () => Promise<void>): Promise<DeliveryOutcome> => {
    const load = receivers.get(receiver) ?? { isSending: 0, took: 0, nextSlot: 0 };
    receivers.set(receiver, load);
    if (load.took >= LONG && load.isSending >= AT_ONCE) {
      load.nextSlot = Math.max(load.nextSlot, Date.now()) + load.took / AT_ONCE;
      return { later: new Date(load.nextSlot) };
    }
    load.isSending += 1;
    // not a clock that somebody may set
    const begun = performance.now();
    try {
      await send();
      return {};
    } catch (error) {
      const problem = error instanceof OAuthError ? (error.detail ?? error.message) : messageOf(error);
      const isRecoverable =
        !(error instanceof NotTaken) || error.status >= 500 || RECOVERABLE.includes(error.status);
      // a final response would be the same the next time
      return { problem, isFinal: !isRecoverable };
    } finally {
      load.isSending -= 1;
      load.took = performance.now() - begun;
      for (const [each, { isSending, took }] of receivers)
        if (isSending === 0 && (took < LONG || receivers.size > MAX)) receivers.delete(each);
    }
  };
}
