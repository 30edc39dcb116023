import type { AuditEntry } from './audit-log.js';
import type { OAuthEvent, OAuthEvents, Storing } from './events.js';
import { foldRefusals, WINDOW } from './folded-refusals.js';

/** Turns every event into an entry. */
export interface EventRecorder {
  /** Stores the counts of refusals whose minute is over. */
  endWindow(): void;
  /** Stores all counts, and ends. */
  close(): void;
}

/** An event without what users typed. */
export function entryOf({ username: _typed, ...event }: OAuthEvent): AuditEntry {
  return event;
}

/**
 * Gives each event to `store` as an entry: without what users typed, and with repeated refusals counted. `emit` waits
 * for what `store` returns.
 */
export function recordEvents(
  events: OAuthEvents,
  store: (entries: readonly AuditEntry[]) => Storing | undefined,
): EventRecorder {
  const refusals = foldRefusals();
  let timer: NodeJS.Timeout | undefined;

  const endWindowLater = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      store(refusals.end(true));
    }, WINDOW * 1000);
    // a process that has nothing else to do may end
    timer.unref();
  };
  const record = (event: OAuthEvent): Storing | undefined => {
    const now = refusals.add(entryOf(event));
    if (now.length === 0) endWindowLater();
    return store(now);
  };
  events.on('*', record);

  return {
    endWindow: () => void store(refusals.end()),
    close() {
      events.off('*', record);
      clearTimeout(timer);
      store(refusals.end(true));
    },
  };
}
