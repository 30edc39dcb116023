import { randomBytes } from 'node:crypto';

import { addSeconds } from '../shared/date.js';
import type { WebhookMessage } from './outbox.js';

/** Milliseconds in which a receiver must answer: the least that Standard Webhooks recommends. */
export const DELIVERY_TIMEOUT = 15_000;
/** Seconds after which an undelivered message is given up: a weekend, and a day. */
export const GIVE_UP_AFTER = 259_200;
/** Seconds for which a message is stored after it was given up. */
export const RETENTION = 30 * 86_400;

/** The endpoint of notifications to users in the outbox; no receiver of webhooks can have this name. */
export const TO_PEOPLE = 'notifications to people';

let sequence = 0;

/** Makes a message of any kind. A message with an `id` is stored once, however often it is added. */
export function buildMessage(
  { name, giveUpAfter = GIVE_UP_AFTER }: { readonly name: string; readonly giveUpAfter?: number },
  { id, ...what }: Pick<WebhookMessage, 'type' | 'about' | 'payload'> & { readonly id?: string | undefined },
  now: Date,
): WebhookMessage {
  // a new id sorts after earlier ones: the millisecond, a number within this process, and random digits
  sequence = (sequence + 1) % 0x1000000;
  const place = `${timePrefix(now)}${sequence.toString(16).padStart(6, '0')}`;
  return {
    _id: id ?? `msg_${place}${randomBytes(7).toString('hex')}`,
    endpoint: name,
    ...what,
    createdAt: now,
    triedSince: now,
    attempts: 0,
    nextAt: now,
    // a message to a removed receiver expires by itself
    expiresAt: addSeconds(now, giveUpAfter + RETENTION),
  };
}

/** The beginning of an id, so that ids sort by time. */
export function timePrefix(time: Date): string {
  return time.getTime().toString(16).padStart(12, '0');
}
