import { hash } from 'node:crypto';

import { ipKeyGenerator, MemoryStore, type Options } from 'express-rate-limit';

import { OAuthError } from '../errors.js';

/**
 * Counts failures, and refuses those who had too many: a busy client that never fails is never slowed down.
 *
 * @see RFC 6749 §2.3.1, §4.3.2: endpoints that take passwords MUST be protected against brute force
 */
export interface FailureLimit {
  /** @throws OAuthError with status 429 where `key` has failed too often */
  check(key: string): Promise<void>;
  count(key: string): Promise<void>;
}

export interface FailureLimitOptions {
  readonly failures: number;
  /** Seconds in which they count. */
  readonly window: number;
  /** What is counted, where it is not failures. */
  readonly counted?: string;
}

export function createFailureLimit(options: FailureLimitOptions | false): FailureLimit {
  if (options === false) return { check: () => Promise.resolve(), count: () => Promise.resolve() };
  const store = new MemoryStore();
  store.init({ windowMs: options.window * 1000 } as Options);
  return {
    async check(key) {
      const counted = await store.get(key);
      if (counted === undefined || counted.totalHits < options.failures) return;
      const wait = Math.max(1, Math.ceil(((counted.resetTime?.getTime() ?? Date.now()) - Date.now()) / 1000));
      throw new OAuthError(
        'temporarily_unavailable',
        `too many ${options.counted ?? 'failed attempts'}, try again in ${wait} seconds`,
        {
          status: 429,
          headers: { 'Retry-After': String(wait) },
          detail: `rate limit of ${options.failures} ${options.counted ?? 'failures'} in ${options.window} s`,
        },
      );
    },
    async count(key) {
      await store.increment(key);
    },
  };
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
  return hash('sha256', `${ipKeyGenerator(ip)}\n${target}`, 'base64url');
}
