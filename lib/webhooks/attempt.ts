import { after } from '../crypto/add-seconds.js';
import { messageOf } from '../errors.js';
import { post } from '../outbound/post.js';
import type { WebhookSettings } from '../settings/webhook-options.js';
import type { WebhookMessage } from './outbox.js';
import { signatureHeaders } from './signature.js';

/** Seconds until the next attempt, by how many have failed; the last one goes on. */
const PAUSES = [5, 30, 300, 1800, 7200, 18_000, 36_000] as const;
/** By this part of it a pause is longer at most, so that what failed at once does not come back at once. */
const SPREAD = 0.2;
/** Seconds that a receiver can ask for, at most. */
const LONGEST_WAIT = 36_000;
const GONE = 410;

/** What came of an attempt. */
export interface Outcome {
  /** Why it was not taken; none: it was. */
  readonly problem?: string;
  /** The receiver wants nothing more. */
  readonly isGone?: boolean;
  /** It would be the same the next time. */
  readonly isFinal?: boolean;
  /** Seconds that it asks to wait. */
  readonly wait?: number;
  /** It was not sent, and is due then: there was something before it. */
  readonly later?: Date;
}

/** Sends a message once. Resolves in any case. */
export async function attempt(
  { url, secrets, timeout, allowPrivateAddresses }: WebhookSettings,
  message: WebhookMessage,
  now: Date,
): Promise<Outcome> {
  try {
    const { status, headers } = await post(
      url,
      { headers: signatureHeaders(message, secrets, now), body: message.payload },
      { timeout, allowPrivateAddresses },
    );
    if (status >= 200 && status < 300) return {};
    const wait = Number(headers['retry-after']);
    return {
      problem: `answered with status ${status}`,
      isGone: status === GONE,
      ...(Number.isInteger(wait) && wait > 0 && { wait: Math.min(wait, LONGEST_WAIT) }),
    };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

/** When a message is sent again that has failed so often. */
export function nextAttemptAt(attempts: number, wait = 0, now: Date): Date {
  const pause = PAUSES[Math.min(attempts, PAUSES.length) - 1] ?? PAUSES[0];
  return after(now, Math.max(pause, wait) * (1 + Math.random() * SPREAD));
}
