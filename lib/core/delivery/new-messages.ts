import { randomBytes } from 'node:crypto';

import { addSeconds } from '../../shared/date.js';
import type { AuditEntry } from '../observability/audit-log.js';
import type { WebhookMessage } from './outbox.js';

/** Who gets messages. Milliseconds for an answer, and seconds after which a message is given up. */
export interface Receiver {
  readonly name: string;
  readonly url: string;
  readonly secrets: readonly string[];
  readonly timeout: number;
  readonly giveUpAfter: number;
  readonly allowPrivateAddresses: boolean;
}

/** Seconds that a message is kept after it was given up. */
export const RETENTION = 30 * 86_400;

/** The endpoint of the notifications to people in the outbox; no receiver of webhooks can have this name. */
export const TO_PEOPLE = 'notifications to people';

let sequence = 0;

/**
 * A message to a receiver about something that happened: its type, when, and the facts of the audit.
 *
 * @see Standard Webhooks, "Payload"
 */
export function newMessage(
  receiver: Pick<Receiver, 'name' | 'giveUpAfter'>,
  { type, time, ...data }: AuditEntry,
  now: Date,
): WebhookMessage {
  const payload = JSON.stringify({ type, timestamp: time.toISOString(), data });
  return newMessageOf(
    receiver,
    { type, ...(data.grantId !== undefined && { about: data.grantId }), payload },
    now,
  );
}

/** A message of any kind. One with an `id` of its own is stored once, however often it is added. */
export function newMessageOf(
  { name, giveUpAfter }: Pick<Receiver, 'name' | 'giveUpAfter'>,
  { id, ...what }: Pick<WebhookMessage, 'type' | 'about' | 'payload'> & { readonly id?: string },
  now: Date,
): WebhookMessage {
  // a new id sorts after earlier ones: the millisecond, a number within this process, and random digits
  sequence = (sequence + 1) % 0x1000000;
  const place = [now.getTime().toString(16).padStart(12, '0'), sequence.toString(16).padStart(6, '0')].join(
    '',
  );
  return {
    id: id ?? `msg_${place}${randomBytes(7).toString('hex')}`,
    endpoint: name,
    ...what,
    createdAt: now,
    triedSince: now,
    attempts: 0,
    nextAt: now,
    // a message to a receiver that nobody serves any more expires by itself
    expiresAt: addSeconds(now, giveUpAfter + RETENTION),
  };
}
