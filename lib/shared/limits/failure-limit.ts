import { hash } from 'node:crypto';

import ipaddr from 'ipaddr.js';
import { RateLimiterMemory } from 'rate-limiter-flexible';

import { OAuthError } from '../errors.js';
import { createCounter } from './counter.js';
import { createKeyedMutex } from './keyed-mutex.js';

/**
 * Counts failures, and refuses callers with too many: a busy client that never fails is never slowed down.
 *
 * @see RFC 6749 §2.3.1, §4.3.2: endpoints that take passwords MUST be protected against brute force
 */
export interface FailureLimit {
  /**
   * Begins an attempt, which counts from now on, so that sending attempts at once allows no more of them than sending
   * them one after the other.
   *
   * @throws OAuthError with status 429 if `key` has failed too often
   */
  reserve(key: string): Promise<Attempt>;
  /**
   * Counts a failure that has happened already.
   *
   * @throws OAuthError with status 429 if there were too many before, temporarily_unavailable as `Attempt.fail`
   */
  consume(key: string): Promise<void>;
}

/** An attempt in progress; one of the two functions says how it ends. */
export interface Attempt {
  /** @throws OAuthError temporarily_unavailable if the other processes cannot be told */
  fail(): Promise<void>;
  /** The attempt has not failed, and no longer counts. */
  refund(): void;
}

export interface FailureLimitOptions {
  readonly failures: number;
  /** Seconds in which they count. */
  readonly window: number;
  /** What is counted, if not failures. */
  readonly counted?: string;
  /** Where all processes count together, and under what name. Default: each process counts for itself. */
  readonly shared?: { readonly name: string; readonly store: SharedFailures } | undefined;
}

export function createFailureLimit(options: FailureLimitOptions | false): FailureLimit {
  const done = () => Promise.resolve();
  if (options === false)
    return { reserve: () => Promise.resolve({ fail: done, refund: () => undefined }), consume: done };
  const { failures, window, shared } = options;
  const own = new RateLimiterMemory({ points: failures, duration: window });
  const countForAll = shared?.store.counterOf({ name: shared.name, window });
  const inFlight = createCounter();
  const keyedMutex = createKeyedMutex();

  const count = async (key: string): Promise<void> => {
    // here first, and at once: guesses at the same moment must count before the database answers
    const { consumedPoints: failedHere } = await own.penalty(key);
    // shared from the second failure on; one is likely a typo
    if (countForAll === undefined || failedHere === 1) return;
    const all = await countForAll(key, failedHere === 2 ? 2 : 1);
    // each failure here learns what the others have counted, so nobody has to ask before an attempt
    if (all.failures <= failedHere || all.wait <= 0) return;
    await keyedMutex(key, async () => {
      // only ever raised: there may have been failures here meanwhile
      const missing = all.failures - ((await own.get(key))?.consumedPoints ?? 0);
      if (missing > 0) await own.penalty(key, missing);
    });
  };

  const reserve = async (key: string): Promise<Attempt> => {
    const place = inFlight.add(key);
    const counted = await own.get(key);
    const failed = counted === null || counted.msBeforeNext <= 0 ? 0 : counted.consumedPoints;
    if (failed + place > failures) {
      inFlight.remove(key);
      // there is room at once if an attempt in progress does not fail
      throw tooMany(options, failed < failures ? 1 : Math.ceil((counted?.msBeforeNext ?? 0) / 1000));
    }
    return {
      fail() {
        inFlight.remove(key);
        return count(key);
      },
      refund: () => inFlight.remove(key),
    };
  };

  return { reserve, consume: async (key) => (await reserve(key)).fail() };
}

function tooMany({ failures, window, counted }: FailureLimitOptions, remaining: number): OAuthError {
  // if the clock was set back since, the rest of the window would be longer than the window
  const wait = Math.min(remaining, window);
  return new OAuthError(
    'temporarily_unavailable',
    `too many ${counted ?? 'failed attempts'}, try again in ${wait} seconds`,
    {
      reason: 'rate_limited',
      status: 429,
      headers: { 'Retry-After': String(wait) },
      detail: `rate limit of ${failures} ${counted ?? 'failures'} in ${window} s`,
    },
  );
}

/**
 * Begins an attempt that counts in several limits; if one of them refuses it, it counts in none.
 *
 * @throws OAuthError with status 429
 */
export async function reserveAll(
  limits: readonly { readonly limit: FailureLimit; readonly key: string }[],
): Promise<Attempt> {
  const begun: Attempt[] = [];
  const refund = (): void => begun.forEach((attempt) => attempt.refund());
  try {
    for (const { limit, key } of limits) begun.push(await limit.reserve(key));
  } catch (refusal) {
    refund();
    throw refusal;
  }
  return { refund, fail: async () => void (await Promise.all(begun.map((attempt) => attempt.fail()))) };
}

/**
 * Counts an attempt if it fails with `code`, and refuses it if there were too many. For what nobody can guess: a right
 * one is let in however many were wrong before, or anybody could lock out those who share their address.
 */
export async function countingFailures<T>(
  { limit, key, code }: { limit: FailureLimit; key: string; code: string },
  attempt: () => Promise<T>,
): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof OAuthError && error.error === code) await limit.consume(key);
    throw error;
  }
}

/** Who is limited: a request, or its sender. */
export interface Caller {
  readonly ip?: string | undefined;
}

/** A key of bounded size from the caller's address (an IPv6 network counts as one) and what it tries to get into. */
export function failureKey({ ip = '' }: Caller, target: string): string {
  // whoever has one IPv6 address has many: a household is given the first 56 bits (RFC 6177 §2)
  return hash('sha256', `${networkOf(ip, [4, 7])}\n${target}`, 'base64url');
}

/** A key of the network around the caller's: a firm's network holds many of those (RFC 6177 §2). */
export function wideNetworkKey({ ip = '' }: Caller): string {
  return hash('sha256', `wide ${networkOf(ip, [3, 6])}`, 'base64url');
}

/** The first bytes of an address. */
function networkOf(ip: string, [v4, v6]: readonly [v4: number, v6: number]): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  return address
    .toByteArray()
    .slice(0, address.kind() === 'ipv4' ? v4 : v6)
    .join('.');
}

/** Where all processes count failures together. */
export interface SharedFailures {
  /** The counter of one limit, under a name that no other limit has; its window are seconds from the first failure on. */
  counterOf(limit: { readonly name: string; readonly window: number }): CountFailures;
}

/**
 * Adds failures to those of a key; resolves to how many there are now, and for how many seconds they still count.
 *
 * @throws OAuthError temporarily_unavailable if they could not be added
 */
type CountFailures = (
  key: string,
  failures: number,
) => Promise<{ readonly failures: number; readonly wait: number }>;
