import { failureKey } from '../limits/failure-limit.js';
import type { AuditEntry } from './audit-log.js';

/** Events that anybody can cause as often as they like. */
const REFUSALS = new Set([
  'token.refused',
  'authorization.refused',
  'client.authentication_failed',
  'rate.limited',
  'login.failed',
]);
/** How many entries of one kind and caller are kept as they are in a window. */
const KEPT = 10;
/** How many pairs of kind and caller are told apart in a window; after that only kinds are. */
const MOST = 500;
/** Seconds. */
export const WINDOW = 60;

/** Repeated refusals become one entry with a count, so that callers without an account do not fill the audit. */
export interface FoldedRefusals {
  /** Returns what to store now: the entry, unless it is only counted, and the counts if their window is over. */
  add(entry: AuditEntry): AuditEntry[];
  /** Returns the counts if their window is over, or in any case. */
  end(inAnyCase?: boolean): AuditEntry[];
}

interface Kind {
  kept: number;
  folded?: AuditEntry;
}

export function foldRefusals(): FoldedRefusals {
  const kinds = new Map<string, Kind>();
  let endsAt = 0;

  const end = (inAnyCase = false): AuditEntry[] => {
    if (!inAnyCase && Date.now() < endsAt) return [];
    const counts = [...kinds.values()].flatMap(({ folded }) => (folded === undefined ? [] : [folded]));
    kinds.clear();
    endsAt = Date.now() + WINDOW * 1000;
    return counts;
  };

  const kindOf = ({ type, ip }: AuditEntry): Kind => {
    const own = failureKey({ ip }, type);
    const key = kinds.has(own) || kinds.size < MOST ? own : type;
    const kind = kinds.get(key) ?? { kept: 0 };
    kinds.set(key, kind);
    return kind;
  };

  return {
    end,
    add(entry) {
      if (!REFUSALS.has(entry.type)) return [entry];
      const counts = end();
      const kind = kindOf(entry);
      if (kind.kept < KEPT) {
        kind.kept += 1;
        return [...counts, entry];
      }
      kind.folded = kind.folded === undefined ? { ...entry, count: 1 } : fold(kind.folded, entry);
      return counts;
    },
  };
}

/** The facts that both have in common, and the count so far. */
function fold({ count = 0, ...folded }: AuditEntry, { time, ...entry }: AuditEntry): AuditEntry {
  const same = Object.entries(entry).filter(([fact, value]) => folded[fact as keyof typeof folded] === value);
  return { ...(Object.fromEntries(same) as Omit<AuditEntry, 'time'>), time, count: count + 1 };
}
