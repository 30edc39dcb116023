import type { OAuthEvents } from '../../../core/observability/events.js';

/** Milliseconds after which a poll looks for what another process has stored. */
const LOOK = 1000;
/** Polls of one client that wait in this process. */
const MAX_WAITING = 10;

/** Where polls wait for news. One listener for all polls: each event is heard once, however many wait. */
export function createWaitingRoom(events: OAuthEvents) {
  const waiting = new Map<string, Set<() => void>>();
  events.on('signal.issued', ({ clientId }) => waiting.get(clientId)?.forEach((wake) => wake()));

  return {
    /** Resolves when there may be news for the client, or in a second; to false if too many wait for it already. */
    wait(clientId: string, closed: AbortSignal): Promise<boolean> {
      const ofClient = waiting.get(clientId) ?? new Set();
      if (ofClient.size >= MAX_WAITING) return Promise.resolve(false);
      waiting.set(clientId, ofClient);
      return new Promise((resolve) => {
        const wake = (): void => {
          clearTimeout(timer);
          closed.removeEventListener('abort', wake);
          ofClient.delete(wake);
          if (ofClient.size === 0) waiting.delete(clientId);
          resolve(true);
        };
        const timer = setTimeout(wake, LOOK);
        // a process that has nothing else to do may end
        timer.unref();
        closed.addEventListener('abort', wake, { once: true });
        ofClient.add(wake);
      });
    },
  };
}
