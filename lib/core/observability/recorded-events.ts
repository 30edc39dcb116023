import { failureKey } from '../../shared/limits/failure-limit.js';
import type { AuditEntry } from './audit-log.js';
import type { OAuthEvent, OAuthEvents, Storing } from './events.js';
import { createFoldedRepeats } from './fold-repeats.js';

/** Events that anybody can cause without limit. */
const REFUSALS = new Set([
  'token.refused',
  'authorization.refused',
  'client.authentication_failed',
  'rate.limited',
  'login.failed',
  'signal.refused',
]);
/** Maximum number of entries of one kind and caller that a window stores unfolded. */
const MAX_UNFOLDED = 10;
/** Maximum number of pairs of kind and caller in a window; further entries are folded by kind alone. */
const MAX = 500;
/** Seconds. */
const WINDOW = 60;

export function toAuditEntry({ username: _typed, ...event }: OAuthEvent): AuditEntry {
  return event;
}

/**
 * Passes each event to `store` as an entry, without typed usernames. Repeated refusals become one entry with a count,
 * so that callers without an account do not fill the audit. `emit` waits for the result of `store`.
 */
export function recordEvents(
  events: OAuthEvents,
  store: (entries: readonly AuditEntry[]) => Storing | undefined,
) {
  const refusals = createFoldedRepeats<AuditEntry, Storing | undefined>({
    window: WINDOW,
    unfolded: MAX_UNFOLDED,
    maxKinds: MAX,
    kindOf: ({ type, ip }) => failureKey({ ip }, type),
    coarseKindOf: ({ type }) => type,
    merge(folded, { time, ...entry }) {
      const same = Object.entries(entry).filter(
        ([fact, value]) => folded[fact as keyof AuditEntry] === value,
      );
      return { ...(Object.fromEntries(same) as Omit<AuditEntry, 'time'>), time };
    },
    write: store,
  });
  const record = (event: OAuthEvent): Storing | undefined => {
    const entry = toAuditEntry(event);
    return REFUSALS.has(entry.type) ? refusals.add(entry) : store([entry]);
  };
  events.on('*', record);

  return {
    /** Stores the counts of refusals if their window is over. */
    endWindow: () => void refusals.end(),
    /** Stores all counts, and stops recording. */
    close() {
      events.off('*', record);
      refusals.end(true);
    },
  };
}
