import type { OnError } from '../../../settings/options/on-error.js';
import { CLIENT_FAILURES, type ClientFailure } from '../../../shared/failure-reasons.js';
import type { OAuthEvent, OAuthEvents } from '../../observability/events.js';
import { createStoredLater } from '../../observability/stored-later.js';

export type FailureCounts = ReadonlyMap<ClientFailure, number>;

/** Stores the counts: a document for each client and day, which expires by itself and has no data about users. */
export interface ClientFailureStore {
  /** Adds the counts of the hour that contains `at`. */
  add(clientId: string, at: Date, counts: FailureCounts): Promise<void>;
  /** The counts of the last day: of the hour that contains `now`, and the 23 before it. */
  find(clientId: string, now: Date): Promise<FailureCounts>;
}

/** Maximum number of clients with waiting counts; further clients are not counted until these are stored. */
const MAX_CLIENTS = 250;
const HOUR = 3_600_000;
/** The endpoints whose refusals have an event of their own beside that of the authentication. */
const WITH_OWN_EVENT: ReadonlySet<string> = new Set(['token', 'par', 'device_authorization']);
/** Errors of this server or its database, which no client can mend. */
const SERVER_FAULTS: ReadonlySet<string | undefined> = new Set(['server_error', 'temporarily_unavailable']);

interface Waiting {
  readonly clientId: string;
  readonly at: Date;
  readonly counts: Map<ClientFailure, number>;
}

/** Counts refusals of clients by cause, for the clients' developers. */
export type ClientFailures = ReturnType<typeof createClientFailures>;

/**
 * Counts in memory and stores once a minute, with one command for each client, so that no request waits for a count or
 * fails because of it. Only existing clients are counted, so made-up ids cost nothing. A process that dies loses a
 * minute's counts.
 *
 * @param options `interval`: milliseconds that counts wait to be stored, by default a minute
 */
export function createClientFailures(options: {
  readonly store: ClientFailureStore;
  readonly events: OAuthEvents;
  readonly onError?: OnError | undefined;
  readonly interval?: number;
}) {
  const { store, events, onError, interval = 60_000 } = options;
  const later = createStoredLater<Waiting>({
    interval,
    // not retried: the count may have been stored, and a count that is too high misleads more than one that is too low
    store: ({ clientId, at, counts }) => store.add(clientId, at, counts),
    onError,
    failure: { endpoint: 'applications', detail: 'why clients were refused could not be counted' },
  });

  const count = (event: OAuthEvent): void => {
    const { type, clientId, endpoint = '', error, reason, time } = event;
    if (clientId === undefined) return;
    // a refusal with several events counts once
    if (type === 'client.authentication_failed' && WITH_OWN_EVENT.has(endpoint)) return;
    // the user's decision about a device was already counted when the user made it
    if (type === 'token.refused' && reason === 'denied_by_user') return;
    if (reason === undefined && SERVER_FAULTS.has(error)) return;
    // an event may come from the site's code, with any reason
    const stated = type === 'consent.denied' ? 'denied_by_user' : reason;
    const failure = CLIENT_FAILURES.find((name) => name === stated) ?? 'other';
    const at = new Date(Math.floor(time.getTime() / HOUR) * HOUR);
    const key = `${at.getTime()} ${clientId}`;
    const entry = later.waiting.get(key) ?? { clientId, at, counts: new Map<ClientFailure, number>() };
    if (!later.waiting.has(key) && later.waiting.size >= MAX_CLIENTS) return;
    entry.counts.set(failure, (entry.counts.get(failure) ?? 0) + 1);
    later.set(key, entry);
  };

  for (const name of COUNTED) events.on(name, count);
  return {
    /** The counts of the last day, including those that wait in this process. */
    async of(clientId: string, now: Date): Promise<FailureCounts> {
      await later.flush((each) => each.clientId === clientId);
      return store.find(clientId, now);
    },
    /** Stores the waiting counts, and stops. Always resolves. */
    async close() {
      for (const name of COUNTED) events.off(name, count);
      await later.close();
    },
  };
}

const COUNTED = [
  'token.refused',
  'authorization.refused',
  'client.authentication_failed',
  'rate.limited',
  'consent.denied',
] as const;
