import { OAuthError } from '../errors.js';
import { type ConcurrencyLimit, createConcurrencyLimit, createCounter } from '../limits/counter.js';
import { type Attempt, createFailureLimit, failureKey } from '../limits/failure-limit.js';
import { createCache } from '../lru-cache.js';

/**
 * The caller of a fetch: a logged-in user (`isSilent` if the user must not be asked anything), an address (`isVisitor`
 * for a browser that can be sent to the login), or, if neither is known, the client itself.
 */
export type FetchCaller =
  | { readonly userId: string; readonly isSilent?: true }
  | { readonly ip: string; readonly isVisitor?: true }
  | { readonly clientId: string };

/** Called only if something has to be fetched, so that requests without a fetch cost nothing. */
export type GetCaller = () => FetchCaller;

/**
 * Who vouches for a client: the site (`vouched`), a user who has allowed it (`stored`), or nobody (`unknown`), so that
 * strangers can make up any number of such clients.
 */
export type ClientStanding = 'vouched' | 'stored' | 'unknown';

/** A fetch from an address that a client has named, or whose address is a client id. */
export interface UntrustedFetch {
  readonly url: string;
  readonly clientId: string;
  readonly standing: ClientStanding;
  /** Default: the client. */
  readonly getCaller?: GetCaller | undefined;
  /** Whether each request repeats the fetch. Default: the response is stored, so few requests fetch. */
  readonly isPerRequest?: boolean;
  /** Whether concurrent requests share one fetch. Default: no. */
  readonly isShared?: boolean;
  /** Whether the caller pauses by itself after failures. Default: the URL is paused here. */
  readonly hasOwnPauses?: boolean;
}

/**
 * Runs a fetch to an untrusted address within the limits. Every such fetch uses this function: client documents, sector
 * documents, keys, request objects and logout tokens.
 *
 * @param work counts as failed if it throws anything but `temporarily_unavailable`
 * @throws LoginNeeded if a visitor has to log in first; OAuthError temporarily_unavailable with status 429 if there
 * were too many, 503 if the URL has just failed or too many wait; the error of `work`
 */
export type LimitUntrustedFetch = <T>(fetch: UntrustedFetch, work: () => Promise<T>) => Promise<T>;

/** Seconds in which fetches and failures count. */
const WINDOW = 60;
/** Limits of one caller. A user connects few clients in a minute; a host's server may connect many for its users. */
const MAX_FETCHES = 60;
const MAX_FAILURES = 10;
const MAX_AT_ONCE = { person: 5, address: 20 };
/** Failures of one host, for all callers of a kind together. Successes never count. */
const MAX_HOST_FAILURES = 60;
/** Fetches for all callers who are not logged in, for clients that no user has allowed. */
const MAX_FOR_ADDRESSES = 600;
/** Seconds for which a failed URL is paused. The failure is not cached as a response (§5.2: MUST NOT). */
const PAUSE = 5;
const PAUSED_URLS = 10_000;
/** Waiting requests of all hosts and of one host; each takes some kilobytes while the client's server is slow. */
const LIMIT_OF_HOST = [200, 40] as const;

/** For a site without limits, and for the command line, where only the site calls. */
export const UNLIMITED: LimitUntrustedFetch = (_fetch, work) => work();

/**
 * Limits of callers come before limits of hosts, so that one caller cannot exhaust a host's. Users and addresses have
 * separate limits, and so have the standings of clients, so that no group exhausts another's.
 *
 * @param isLimited whether fetches are limited at all (the option `security.rateLimits`)
 * @see RFC 9101 §10.4.1, OAuth Client ID Metadata Document §8.6, RFC 9700 §4.11
 */
export function createLimitUntrustedFetch(isLimited: boolean): LimitUntrustedFetch {
  const limitOf = (failures: number, counted: string) =>
    createFailureLimit(isLimited && { failures, window: WINDOW, counted });
  const fetches = limitOf(MAX_FETCHES, 'fetches for you');
  const failures = limitOf(MAX_FAILURES, 'failed fetches for you');
  const ofHost = limitOf(MAX_HOST_FAILURES, 'failed fetches from this host');
  const ofAddresses = limitOf(MAX_FOR_ADDRESSES, 'fetches for applications that are not known here');
  const atOnce = createCounter();
  /** URLs that have just failed, each with the end of its pause. */
  const paused = createCache<{ readonly until: number }>({ size: PAUSED_URLS, ttl: PAUSE });
  const limits = new Map<string, ConcurrencyLimit>();
  const underway = new Map<string, Promise<unknown>>();

  /** Counts the fetch for the host, and waits within the host's concurrency limit. */
  const start = async <T>(fetch: UntrustedFetch, kind: Kind, work: () => Promise<T>): Promise<T> => {
    const { host } = new URL(fetch.url);
    const name = `${fetch.standing} ${kind}`;
    const attempt = isCounted(fetch) ? await ofHost.reserve(failureKey({}, `${name} ${host}`)) : undefined;
    const limit = limits.get(name) ?? createConcurrencyLimit(...LIMIT_OF_HOST);
    limits.set(name, limit);
    const fetchCounted = async () => {
      if (attempt !== undefined && kind === 'address') await ofAddresses.consume('');
      return limit(host, work);
    };
    return runAttempt(fetchCounted, attempt, () => {
      if (isLimited && fetch.hasOwnPauses !== true)
        paused.set(pauseKey(fetch), { until: Date.now() + PAUSE * 1000 });
    });
  };
  const share = <T>(fetch: UntrustedFetch, kind: Kind, work: () => Promise<T>): Promise<T> => {
    if (fetch.isShared !== true) return start(fetch, kind, work);
    const key = JSON.stringify([fetch.standing, fetch.clientId, fetch.url]);
    const begun = underway.get(key) as Promise<T> | undefined;
    if (begun !== undefined) return begun;
    const started = start(fetch, kind, work).finally(() => underway.delete(key));
    underway.set(key, started);
    return started;
  };

  return async (fetch, work) => {
    const { clientId, getCaller = () => ({ clientId }) } = fetch;
    const caller = isCounted(fetch) ? getCaller() : undefined;
    // a silent request of a client without any consent is answered as if nobody were logged in: a fetch would tell its
    // server that somebody is (OpenID Connect Core §17)
    if (caller && ('isVisitor' in caller || ('isSilent' in caller && fetch.standing === 'unknown')))
      throw new LoginNeeded();

    const pause = fetch.hasOwnPauses === true ? undefined : paused.get(pauseKey(fetch));
    const left = (pause?.until ?? 0) - Date.now();
    if (left > 0) {
      const wait = Math.min(Math.ceil(left / 1000), PAUSE);
      // without the URL: a caller with ever new addresses must not add a line to the log with each (error-log.ts)
      const detail = 'the server of a client has just failed, and is not asked again yet';
      throw busy(`its server has just failed, try again in ${wait} seconds`, wait, detail);
    }
    if (caller === undefined) return share(fetch, 'address', work);

    const kind = 'userId' in caller ? 'person' : 'address';
    const key =
      'ip' in caller
        ? failureKey(caller, 'address')
        : failureKey({}, 'userId' in caller ? `person ${caller.userId}` : `client ${caller.clientId}`);
    if (isLimited && atOnce.of(key) >= MAX_AT_ONCE[kind]) {
      const detail = 'a caller waits for others too often';
      throw busy('too many fetches for you at once, please try again', 1, detail);
    }
    atOnce.add(key);
    try {
      const attempt = await failures.reserve(key);
      const fetchCounted = async () => {
        await fetches.consume(key);
        return share(fetch, kind, work);
      };
      return await runAttempt(fetchCounted, attempt);
    } finally {
      atOnce.remove(key);
    }
  };
}

/** A stored response for a client that somebody vouches for is fetched seldom, whoever calls. */
function isCounted({ standing, isPerRequest = false, getCaller }: UntrustedFetch): boolean {
  if (standing === 'unknown') return true;
  // the site's code asks for its own clients
  const isOfHost = standing === 'vouched' && getCaller === undefined;
  return isPerRequest && !isOfHost;
}

type Kind = 'person' | 'address';

/** By client: another client may reach a URL that this one cannot. */
function pauseKey({ clientId, url }: UntrustedFetch): string {
  return failureKey({}, `${clientId}\n${url}`);
}

/** Ends an attempt with the work: a failure counts, unless this server itself is busy. */
async function runAttempt<T>(work: () => Promise<T>, attempt: Attempt | undefined, onFailure?: () => void) {
  try {
    const result = await work();
    attempt?.refund();
    return result;
  } catch (error) {
    if (error instanceof OAuthError && error.error === 'temporarily_unavailable') attempt?.refund();
    else {
      onFailure?.();
      await attempt?.fail();
    }
    throw error;
  }
}

function busy(description: string, wait: number, detail: string): OAuthError {
  return new OAuthError('temporarily_unavailable', description, {
    reason: 'rate_limited',
    headers: { 'Retry-After': String(wait) },
    detail,
  });
}

/**
 * A visitor's request needs a fetch that is made only for users: a user in a browser logs in first, and then comes back
 * to the same request.
 *
 * @see RFC 9101 §10.4.1, OAuth Client ID Metadata Document §8.6
 */
export class LoginNeeded extends OAuthError {
  constructor() {
    const description = 'this site has to ask the application, and does so only for users who are logged in';
    super('login_required', description, { reason: 'login_required' });
  }
}
