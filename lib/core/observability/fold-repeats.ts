/** An entry that may repeat; `count` says how many entries were folded into it. */
export interface Repeated {
  readonly count?: number | undefined;
}

/**
 * In each window the first entries of a kind are written unchanged, and the others at its end as one entry with a
 * count.
 */
export function createFoldedRepeats<Entry extends Repeated, Written>(options: {
  /** Seconds. */
  readonly window: number;
  /** How many entries of a kind are written unchanged in a window. */
  readonly unfolded: number;
  /** How many kinds a window distinguishes, which bounds the memory; further entries are folded by coarse kind. */
  readonly maxKinds: number;
  readonly kindOf: (entry: Entry) => string;
  /** A coarser kind, of which there are few. */
  readonly coarseKindOf: (entry: Entry) => string;
  /** Returns the members that two entries share; the caller sets the count. */
  readonly merge: (folded: Entry, entry: Entry) => Entry;
  readonly write: (entries: readonly Entry[]) => Written;
}) {
  const { window, unfolded, maxKinds, kindOf, coarseKindOf, merge, write } = options;
  const kinds = new Map<string, { unfolded: number; folded?: Entry }>();
  let endsAt = 0;
  let timer: NodeJS.Timeout | undefined;

  const isOver = () => Date.now() >= endsAt;
  const end = (): Entry[] => {
    clearTimeout(timer);
    timer = undefined;
    const counts = [...kinds.values()].flatMap(({ folded }) => (folded === undefined ? [] : [folded]));
    kinds.clear();
    endsAt = Date.now() + window * 1000;
    return counts;
  };

  return {
    /** Writes the counts if the window is over, or if `inAnyCase` is set. */
    end: (inAnyCase = false) => (inAnyCase || isOver() ? write(end()) : undefined),
    /** Writes the counts of an ended window, and the entry unless it is folded. */
    add(entry: Entry): Written {
      const counts = isOver() ? end() : [];
      const exact = kindOf(entry);
      const key = kinds.has(exact) || kinds.size < maxKinds ? exact : coarseKindOf(entry);
      const kind = kinds.get(key) ?? { unfolded: 0 };
      kinds.set(key, kind);
      if (kind.unfolded < unfolded) {
        kind.unfolded += 1;
        return write([...counts, entry]);
      }
      const { folded } = kind;
      kind.folded =
        folded === undefined
          ? { ...entry, count: 1 }
          : { ...merge(folded, entry), count: (folded.count ?? 0) + 1 };
      timer ??= setTimeout(() => write(end()), window * 1000);
      // the timer does not keep the process alive
      timer.unref();
      return write(counts);
    },
  };
}
