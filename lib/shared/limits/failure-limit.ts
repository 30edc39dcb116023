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
   * Begins an attempt, which counts at once: concurrent attempts get no further than successive ones.
   *
   * @throws OAuthError with status 429 if `key` has failed too often
   */
  reserve(key: string): Promise<Attempt>;
  /**
   * Counts a past failure.
   *
   * @throws OAuthError with status 429 if there were too many before, temporarily_unavailable as `Attempt.fail`
   */
  consume(key: string): Promise<void>;
}

/** An attempt in progress, until one of its functions is called. */
export interface Attempt {
  /** @throws OAuthError temporarily_unavailable if the shared count cannot be updated */
  fail(): Promise<void>;
  /** The attempt has not failed, and no longer counts. */
  refund(): void;
}

export interface FailureLimitOptions {
  readonly failures: number;
  /** Seconds for which failures count. */
  readonly window: number;
  /** The plural of what is counted, if not failures. */
  readonly counted?: string;
  /** The count of all processes, and its name. Default: each process counts for itself. */
  readonly shared?: { readonly name: string; readonly store: SharedFailures } | undefined;
}

export function createFailureLimit(options: FailureLimitOptions | false): FailureLimit {
  const done = () => Promise.resolve();
  if (options === false)
    return { reserve: () => Promise.resolve({ fail: done, refund: () => undefined }), consume: done };
  const { failures, window, shared } = options;
  const local = new RateLimiterMemory({ points: failures, duration: window });
  const countForAll = shared?.store.counterOf({ name: shared.name, window });
  const inFlight = createCounter();
  const keyedMutex = createKeyedMutex();

  const count = async (key: string): Promise<void> => {
    // first in this process, and at once: concurrent guesses must count before the database answers
    const { consumedPoints: failedHere } = await local.penalty(key);
    // shared from the second failure on; one is likely a typo
    if (countForAll === undefined || failedHere === 1) return;
    const all = await countForAll(key, failedHere === 2 ? 2 : 1);
    // each failure here reads the shared count, so no attempt has to read it
    if (all.failures <= failedHere || all.wait <= 0) return;
    await keyedMutex(key, async () => {
      // only ever raised: this process may have counted failures meanwhile
      const missing = all.failures - ((await local.get(key))?.consumedPoints ?? 0);
      if (missing > 0) await local.penalty(key, missing);
    });
  };

  const reserve = async (key: string): Promise<Attempt> => {
    const place = inFlight.add(key);
    const counted = await local.get(key);
    const failed = counted === null || counted.msBeforeNext <= 0 ? 0 : counted.consumedPoints;
    if (failed + place > failures) {
      inFlight.remove(key);
      // the limit allows another attempt at once if one in progress does not fail
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
  // if the clock was set back since, the remaining time would exceed the window
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
 * Begins an attempt that counts in several limits; if one of them refuses the attempt, it counts in none.
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
 * Counts an attempt that fails with `code`, and refuses it beyond the limit. For values that nobody can guess: a valid
 * one is always accepted, or anybody could lock out neighbours at the same address.
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

/** The sender of a request, as limits see it. */
export interface Caller {
  readonly ip?: string | undefined;
}

/** A key of bounded size from the caller's address (an IPv6 network counts as one) and the target of the attempt. */
export function failureKey({ ip = '' }: Caller, target: string): string {
  // anybody with one IPv6 address has many: a household has a 56-bit prefix (RFC 6177 §2)
  return hash('sha256', `${networkOf(ip, [4, 7])}\n${target}`, 'base64url');
}

/** A key of the wider network around the caller's: a company's network contains many small ones (RFC 6177 §2). */
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

/** Counts failures for all processes together. */
export interface SharedFailures {
  /** The counter of one limit, by its unique name; its window are seconds from the first failure on. */
  counterOf(limit: { readonly name: string; readonly window: number }): CountFailures;
}

/**
 * Adds failures to those of a key; resolves to their number, and to the seconds for which they still count.
 *
 * @throws OAuthError temporarily_unavailable if they could not be added
 */
type CountFailures = (
  key: string,
  failures: number,
) => Promise<{ readonly failures: number; readonly wait: number }>;
