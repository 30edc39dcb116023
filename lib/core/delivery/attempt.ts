import { createHmac } from 'node:crypto';

import { addSeconds } from '../../shared/date.js';
import { messageOf, OAuthError } from '../../shared/errors.js';
import { post } from '../../shared/outbound/safe-fetch.js';
import { DELIVERY_TIMEOUT, type Receiver } from './new-messages.js';
import type { WebhookMessage } from './outbox.js';

/** Seconds until the next attempt, by how many have failed; the last one repeats. */
const PAUSES = [5, 30, 300, 1800, 7200, 18_000, 36_000] as const;
/** A pause is longer by up to this part of it, so that messages that failed together do not come back together. */
const SPREAD = 0.2;
/** The most seconds that a receiver can ask to wait. */
const LONGEST_WAIT = 36_000;
const GONE = 410;
const SECRET_PREFIX = 'whsec_';

/** The result of an attempt. */
export interface DeliveryOutcome {
  /** Why the message was not taken; undefined: it was. */
  readonly problem?: string;
  /** The receiver wants nothing more. */
  readonly isGone?: boolean;
  /** The next attempt would fail, too. */
  readonly isFinal?: boolean | undefined;
  /** Seconds that the receiver asks to wait. */
  readonly wait?: number | undefined;
  /** It was not sent, because something came before it; it is due then. */
  readonly later?: Date;
}

/** Sends a message once, signed by each secret while they are changed. Resolves in any case. @see Standard Webhooks, 1.0 */
export async function attempt(
  { url, secrets, allowPrivateAddresses }: Receiver,
  { id, payload }: WebhookMessage,
  now: Date,
): Promise<DeliveryOutcome> {
  const timestamp = Math.floor(now.getTime() / 1000);
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${payload}`).digest('base64')}`;
  });
  const signed = {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
  try {
    const limits = { timeout: DELIVERY_TIMEOUT, allowPrivateAddresses };
    const { status, headers } = await post(url, { headers: signed, body: payload }, limits);
    if (status >= 200 && status < 300) return {};
    const wait = Number(headers['retry-after']);
    return {
      problem: `answered with status ${status}`,
      isGone: status === GONE,
      wait: Number.isInteger(wait) && wait > 0 ? Math.min(wait, LONGEST_WAIT) : undefined,
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

/** These may succeed the next time; all others below 500 are final. (Back-Channel Logout §2.5, RFC 8935 §2) */
const RECOVERABLE = [408, 425, 429];

/** The answer of a receiver that has not taken a token. */
export class NotTaken extends Error {
  constructor(readonly status: number) {
    super(`answered with status ${status}`);
  }
}

/** Sends a token once. Resolves in any case; an answer that would be the same the next time is final. */
export async function outcomeOfPost(send: () => Promise<void>): Promise<DeliveryOutcome> {
  try {
    await send();
    return {};
  } catch (error) {
    const problem = error instanceof OAuthError ? (error.detail ?? error.message) : messageOf(error);
    const isRecoverable =
      !(error instanceof NotTaken) || error.status >= 500 || RECOVERABLE.includes(error.status);
    return { problem, isFinal: !isRecoverable };
  }
}
