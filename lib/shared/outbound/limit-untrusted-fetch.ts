import { OAuthError } from '../errors.js';
import { type ConcurrencyLimit, createConcurrencyLimit, createCounter } from '../limits/counter.js';
import { type Attempt, createFailureLimit, failureKey } from '../limits/failure-limit.js';
import { createCache } from '../lru-cache.js';

/**
 * Who makes this server fetch something: a user who is logged in (`isSilent` if the user is not to be asked
 * anything), an address (`isVisitor` if it is a browser that can be sent to the login), or, if neither is known, the
 * client itself.
 */
export type FetchCaller =
  | { readonly userId: string; readonly isSilent?: true }
  | { readonly ip: string; readonly isVisitor?: true }
  | { readonly clientId: string };

/** Asked only when something has to be fetched, so that requests without a fetch do not pay for it. */
export type GetCaller = () => FetchCaller;

/**
 * Who answers for a client: somebody of the site (`vouched`), a user who has allowed it (`stored`), or nobody yet
 * (`unknown`), so that strangers can make up as many of them as they like.
 */
export type ClientStanding = 'vouched' | 'stored' | 'unknown';

/** A fetch from an address that a client has named, or that somebody has named as a client. */
export interface UntrustedFetch {
  readonly url: string;
  readonly clientId: string;
  readonly standing: ClientStanding;
  /** Default: the client. */
  readonly getCaller?: GetCaller | undefined;
  /** Whether each request fetches it anew. Default: its answer is kept, so few requests fetch it. */
  readonly isPerRequest?: boolean;
  /** Whether those who need it at the same moment share one fetch. Default: they do not. */
  readonly isShared?: boolean;
  /** Whether whoever calls this remembers failures and pauses by itself. Default: the URL rests for a moment. */
  readonly hasOwnPauses?: boolean;
}

/**
 * Runs a fetch whose address a stranger has chosen, unless there were too many. Every such fetch goes through here:
 * client documents, sector documents, keys, request objects and logout tokens.
 *
 * @param work counts as failed if it throws anything but `temporarily_unavailable`
 * @throws LoginNeeded if a visitor has to log in first; OAuthError temporarily_unavailable with status 429 if there
 *   were too many, 503 if the URL has just failed or too many wait; what `work` throws
 */
export type LimitUntrustedFetch = <T>(fetch: UntrustedFetch, work: () => Promise<T>) => Promise<T>;

/** Seconds in which fetches and failures count. */
const WINDOW = 60;
/** Of one caller. A user connects few clients in a minute; the server of a host may connect many for its people. */
const MAX_FETCHES = 60;
const MAX_FAILURES = 10;
const MAX_AT_ONCE = { person: 5, address: 20 };
/** Failures of one host, of all callers of a kind together. What it answers well never counts. */
const MAX_HOST_FAILURES = 60;
/** Fetches for all callers who are not logged in, for clients that nobody has allowed. */
const MAX_FOR_ADDRESSES = 600;
/** Seconds in which a URL that failed is not asked again. Its failure is not kept as an answer (§5.2: MUST NOT). */
const PAUSE = 5;
const PAUSED_URLS = 10_000;
/** Each holds some kilobytes while the server of a client thinks, or pretends to. */
const LIMIT_OF_HOST = [200, 40] as const;

/** For a site without limits, and for the command line: only the site calls. */
export const UNLIMITED: LimitUntrustedFetch = (_fetch, work) => work();

/**
 * Callers come before hosts, so that one caller uses up no host; users and addresses are apart, as are clients by
 * their standing, so that nobody uses up what others need.
 *
 * @param isLimited whether fetches are counted at all (the option `security.rateLimits`)
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
  /** URLs that have just failed, with the time until which each rests. */
  const paused = createCache<{ readonly until: number }>({ size: PAUSED_URLS, ttl: PAUSE });
  const limits = new Map<string, ConcurrencyLimit>();
  const underway = new Map<string, Promise<unknown>>();

  /** Counts for the host, and waits for a place among those that ask the host. */
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
    return outcomeOf(fetchCounted, attempt, () => {
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
    // a silent request of a client that nobody has allowed is answered as if nobody were logged in: by a fetch its
    // server would learn that somebody is (OpenID Connect Core §17)
    if (caller && ('isVisitor' in caller || ('isSilent' in caller && fetch.standing === 'unknown')))
      throw new LoginNeeded();

    const pause = fetch.hasOwnPauses === true ? undefined : paused.get(pauseKey(fetch));
    const left = (pause?.until ?? 0) - Date.now();
    if (left > 0) {
      const wait = Math.min(Math.ceil(left / 1000), PAUSE);
      // whoever names one address after the other must not make a line in the log with each (error-log.ts)
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
      return await outcomeOf(fetchCounted, attempt);
    } finally {
      atOnce.remove(key);
    }
  };
}

/** What is kept after it was fetched, for a client that somebody answers for, is fetched seldom, whoever asks. */
function isCounted({ standing, isPerRequest = false, getCaller }: UntrustedFetch): boolean {
  if (standing === 'unknown') return true;
  // the code of the site itself asks for its own clients
  const isOfHost = standing === 'vouched' && getCaller === undefined;
  return isPerRequest && !isOfHost;
}

type Kind = 'person' | 'address';

/** By client: what one may not reach another may. */
function pauseKey({ clientId, url }: UntrustedFetch): string {
  return failureKey({}, `${clientId}\n${url}`);
}

/** Ends an attempt with the work: a failure counts, unless the reason is that this server itself is busy. */
async function outcomeOf<T>(work: () => Promise<T>, attempt: Attempt | undefined, onFailure?: () => void) {
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
 * Nobody is logged in, and what a request needs is fetched only for somebody: a user in a browser logs in first, and
 * then comes back to the same request.
 *
 * @see RFC 9101 §10.4.1, OAuth Client ID Metadata Document §8.6
 */
export class LoginNeeded extends OAuthError {
  constructor() {
    const description = 'this site has to ask the application, and does so only for users who are logged in';
    super('login_required', description, { reason: 'login_required' });
  }
}
