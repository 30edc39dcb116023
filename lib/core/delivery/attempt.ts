import { addSeconds } from '../../shared/date.js';
import { messageOf } from '../../shared/errors.js';
import { post } from '../../shared/outbound/post.js';
import type { Receiver } from './new-messages.js';
import type { WebhookMessage } from './outbox.js';
import { signatureHeaders } from './signature.js';

/** Seconds until the next attempt, by how many have failed; the last one repeats. */
const PAUSES = [5, 30, 300, 1800, 7200, 18_000, 36_000] as const;
/** A pause is longer by up to this part of it, so that messages that failed together do not come back together. */
const SPREAD = 0.2;
/** The most seconds that a receiver can ask to wait. */
const LONGEST_WAIT = 36_000;
const GONE = 410;

/** The result of an attempt. */
export interface DeliveryOutcome {
  /** Why the message was not taken; undefined: it was. */
  readonly problem?: string;
  /** The receiver wants nothing more. */
  readonly isGone?: boolean;
  /** The next attempt would fail, too. */
  readonly isFinal?: boolean;
  /** Seconds that the receiver asks to wait. */
  readonly wait?: number;
  /** It was not sent, because something came before it; it is due then. */
  readonly later?: Date;
}

/** Sends a message once. Resolves in any case. */
export async function attempt(
  { url, secrets, timeout, allowPrivateAddresses }: Receiver,
  message: WebhookMessage,
  now: Date,
): Promise<DeliveryOutcome> {
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

/** When to send a message again that has failed this often. */
export function nextAttemptAt(attempts: number, wait = 0, now: Date): Date {
  const pause = PAUSES[Math.min(attempts, PAUSES.length) - 1] ?? PAUSES[0];
  return addSeconds(now, Math.max(pause, wait) * (1 + Math.random() * SPREAD));
}
