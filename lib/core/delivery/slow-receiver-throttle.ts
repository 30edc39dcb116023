/** How busy and how slow a receiver is. */
interface Slow {
  isSending: number;
  /** Milliseconds that the last answer took, or after which it was given up. */
  took: number;
  /** When the next waiting message has its turn, in milliseconds since 1970. */
  nextSlot: number;
}

/** An answer that takes longer, in milliseconds, holds up others. */
const LONG = 500;
/** How many are sent at once to a slow receiver. */
const AT_ONCE = 4;
/** How many slow receivers are remembered; the oldest are forgotten first. */
const MAX = 1000;

/** Sends at once, unless the receiver is slow and busy; then it says when to send. */
export type SlowReceiverThrottle = <Result>(
  receiver: string,
  send: () => Promise<Result>,
) => Promise<Result | { readonly later: Date }>;

/**
 * Keeps a receiver that is slow, or never answers, from taking all places: it gets only a few, further messages for it
 * wait, and those for others go first.
 */
export function createSlowReceiverThrottle(): SlowReceiverThrottle {
  const known = new Map<string, Slow>();

  return async (receiver, send) => {
    const note = known.get(receiver) ?? { isSending: 0, took: 0, nextSlot: 0 };
    known.set(receiver, note);
    if (note.took >= LONG && note.isSending >= AT_ONCE) {
      note.nextSlot = Math.max(note.nextSlot, Date.now()) + note.took / AT_ONCE;
      return { later: new Date(note.nextSlot) };
    }
    note.isSending += 1;
    // not a clock that somebody may set
    const begun = performance.now();
    try {
      return await send();
    } finally {
      note.isSending -= 1;
      note.took = performance.now() - begun;
      for (const [each, { isSending, took }] of known)
        if (isSending === 0 && (took < LONG || known.size > MAX)) known.delete(each);
    }
  };
}
