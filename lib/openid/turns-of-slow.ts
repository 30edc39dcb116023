/** What takes its time at a receiver. */
interface Slow {
  isSending: number;
  /** Milliseconds that the last answer took, or did not come in. */
  took: number;
  /** When the next one of those that wait has its turn, in milliseconds since 1970. */
  nextTurn: number;
}

/** An answer that takes longer, in milliseconds, holds up others. */
const LONG = 500;
/** So many at once are sent to a receiver that is slow. */
const AT_ONCE = 4;
/** Receivers that are known to be slow; those of the longest standing go. */
const MOST = 1000;

/** Sends at once, unless the receiver is slow and has enough to do; then it says when. */
export type TakeTurn = <Result>(
  receiver: string,
  send: () => Promise<Result>,
) => Promise<Result | { readonly later: Date }>;

/**
 * Keeps a receiver that is slow, or never answers, from having all places: what is for it waits, as many at a time as if
 * it had few of them, and what is for others goes before.
 */
export function createTurnsOfSlow(): TakeTurn {
  const known = new Map<string, Slow>();
  const noteOf = (receiver: string): Slow => {
    const note = known.get(receiver) ?? { isSending: 0, took: 0, nextTurn: 0 };
    known.set(receiver, note);
    return note;
  };
  const forgetSome = (): void => {
    for (const [receiver, { isSending, took }] of known)
      if (isSending === 0 && (took < LONG || known.size > MOST)) known.delete(receiver);
  };

  return async (receiver, send) => {
    const note = noteOf(receiver);
    if (note.took >= LONG && note.isSending >= AT_ONCE) {
      note.nextTurn = Math.max(note.nextTurn, Date.now()) + note.took / AT_ONCE;
      return { later: new Date(note.nextTurn) };
    }
    note.isSending += 1;
    // no clock that somebody may set
    const begun = performance.now();
    try {
      return await send();
    } finally {
      note.isSending -= 1;
      note.took = performance.now() - begun;
      forgetSome();
    }
  };
}
