import type { OnError } from '../../../settings/options/on-error.js';
import { CLIENT_FAILURES, type ClientFailure } from '../../../shared/failure-reasons.js';
import type { OAuthEvent, OAuthEvents } from '../../observability/events.js';
import { createStoredLater } from '../../observability/stored-later.js';

export type FailureCounts = ReadonlyMap<ClientFailure, number>;

/**
 * Where they are kept: a document for each client and day, which expires by itself. It has nothing about users in it.
 */
export interface ClientFailureStore {
  /** Adds what happened in the hour that `at` lies in. */
  add(clientId: string, at: Date, counts: FailureCounts): Promise<void>;
  /** The counts of the last day: of the hour that `now` lies in, and the 23 before it. */
  find(clientId: string, now: Date): Promise<FailureCounts>;
}

/** How many clients' counts may wait; for further clients nothing is counted until those are stored. */
const MAX_CLIENTS = 250;
const HOUR = 3_600_000;
/** The endpoints whose refusals have an event of their own beside that of the authentication. */
const WITH_OWN_EVENT: ReadonlySet<string> = new Set(['token', 'par', 'device_authorization']);
/** A client cannot mend what is wrong with this server, or with the database behind it. */
const SERVER_FAULTS: ReadonlySet<string | undefined> = new Set(['server_error', 'temporarily_unavailable']);

interface Waiting {
  readonly clientId: string;
  readonly at: Date;
  readonly counts: Map<ClientFailure, number>;
}

/** Counts why clients are refused, for those who develop them. */
export type ClientFailures = ReturnType<typeof createClientFailures>;

/**
 * Counts in memory and stores once a minute, with one command for each client, so that no request waits for it or fails
 * because of it. Only existing clients are counted, so made-up ids cost nothing. A process that dies loses a minute's
 * counts.
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
    // not repeated: it may have been stored, and a count that is too high misleads more than one that is too low
    store: ({ clientId, at, counts }) => store.add(clientId, at, counts),
    onError,
    failure: { endpoint: 'applications', detail: 'why clients were refused could not be counted' },
  });

  const count = (event: OAuthEvent): void => {
    const { type, clientId, endpoint = '', error, reason, time } = event;
    if (clientId === undefined) return;
    // each refusal once, though it may have several events
    if (type === 'client.authentication_failed' && WITH_OWN_EVENT.has(endpoint)) return;
    // a device is told what its user has decided, which was counted when they did
    if (type === 'token.refused' && reason === 'denied_by_user') return;
    if (reason === undefined && SERVER_FAULTS.has(error)) return;
    // an event may be the site's own, with any word as its reason
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
    /** Stores what waits, and ends; resolves in any case. */
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
