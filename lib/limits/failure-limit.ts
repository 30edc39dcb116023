import { hash } from 'node:crypto';

import ipaddr from 'ipaddr.js';
import { RateLimiterMemory } from 'rate-limiter-flexible';

import { OAuthError } from '../errors.js';
import type { SharedFailures } from './shared-failures.js';

/**
 * Counts failures, and refuses those who had too many: a busy client that never fails is never slowed down.
 *
 * @see RFC 6749 §2.3.1, §4.3.2: endpoints that take passwords MUST be protected against brute force
 */
export interface FailureLimit {
  /** @throws OAuthError with status 429 where `key` has failed too often */
  check(key: string): Promise<void>;
  /** @throws OAuthError temporarily_unavailable where it cannot be told to the other processes */
  count(key: string): Promise<void>;
}

export interface FailureLimitOptions {
  readonly failures: number;
  /** Seconds in which they count. */
  readonly window: number;
  /** What is counted, where it is not failures. */
  readonly counted?: string;
  /** Where all processes count together, and under which name. Default: each process counts for itself. */
  readonly shared?: { readonly name: string; readonly store: SharedFailures };
}

export function createFailureLimit(options: FailureLimitOptions | false): FailureLimit {
  if (options === false) return { check: () => Promise.resolve(), count: () => Promise.resolve() };
  const { failures, window, counted: what = 'failures', shared } = options;
  const own = new RateLimiterMemory({ points: failures, duration: window });
  const countForAll = shared?.store.counterOf({ name: shared.name, window });
  return {
    async check(key) {
      const counted = await own.get(key);
      if (counted === null || counted.msBeforeNext <= 0 || counted.consumedPoints < failures) return;
      const wait = Math.ceil(counted.msBeforeNext / 1000);
      throw new OAuthError(
        'temporarily_unavailable',
        `too many ${options.counted ?? 'failed attempts'}, try again in ${wait} seconds`,
        {
          status: 429,
          headers: { 'Retry-After': String(wait) },
          detail: `rate limit of ${failures} ${what} in ${window} s`,
        },
      );
    },
    async count(key) {
      // here first, and at once: who guesses many times at the same moment is not to wait for the database
      const { consumedPoints: ours } = await own.penalty(key);
      if (countForAll === undefined || ours === 1) return;
      const all = await countForAll(key, untold(ours));
      // what is told to all is learnt by the next failure here, so nobody has to ask before an attempt
      if (all.failures > ours && all.wait > 0) await own.set(key, all.failures, all.wait);
    },
  };
}

/** A single failure is a slip, or one of a stranger's many names: nothing is stored for it until there is a second. */
function untold(failures: number): number {
  return failures === 2 ? 2 : 1;
}

/** Makes an attempt unless there were too many failures, and counts it where it fails with `code`. */
export async function countingFailures<T>(
  { limit, key, code }: { limit: FailureLimit; key: string; code: string },
  attempt: () => Promise<T>,
): Promise<T> {
  await limit.check(key);
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof OAuthError && error.error === code) await limit.count(key);
    throw error;
  }
}

/** Who is limited: a request, or its sender. */
export interface Caller {
  readonly ip?: string | undefined;
}

/** A key of bounded size from the caller's address (an IPv6 network counts as one) and what it tries to get into. */
export function failureKey({ ip = '' }: Caller, target: string): string {
  return hash('sha256', `${networkOf(ip)}\n${target}`, 'base64url');
}

/** Who has one address of IPv6 has many: the first 56 bits are what a household is given (RFC 6177 §2). */
function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  return address.kind() === 'ipv4' ? address.toString() : address.toByteArray().slice(0, 7).join('.');
}
