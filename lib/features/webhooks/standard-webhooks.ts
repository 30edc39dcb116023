import { createHmac } from 'node:crypto';

import type { AuditEntry } from '../../core/observability/audit-log.js';
import type { DeliveryOutcome } from '../../delivery/delivery-worker.js';
import { buildMessage, DELIVERY_TIMEOUT, timePrefix } from '../../delivery/new-messages.js';
import type { WebhookMessage } from '../../delivery/outbox.js';
import { hashSecret } from '../../shared/crypto/secrets.js';
import { messageOf } from '../../shared/errors.js';
import { post } from '../../shared/outbound/safe-fetch.js';
import type { WebhookSettings } from './options.js';

/** Maximum wait in seconds that a receiver can request. */
const LONGEST_WAIT = 36_000;
const GONE = 410;
const SECRET_PREFIX = 'whsec_';

/**
 * A webhook message for an event, with its type, its time and the data of the audit.
 *
 * @see Standard Webhooks, "Payload"
 */
export function newMessage(
  { name }: WebhookSettings,
  { id, type, time, ...data }: AuditEntry,
  now: Date,
): WebhookMessage {
  const payload = JSON.stringify({ type, timestamp: time.toISOString(), data });
  return buildMessage(
    { name },
    {
      type,
      ...(data.grantId !== undefined && { about: data.grantId }),
      payload,
      // time, position of the event within its change, and a hash: ids sort in the order of events
      ...(id !== undefined && { id: `msg_${timePrefix(time)}${id[8]}${hashSecret(`${name} ${id}`)}` }),
    },
    now,
  );
}

/**
 * Sends a message once, signed by each current secret. Never rejects. Node's HMAC signs: the package `standardwebhooks`
 * brings a SHA-256 in JavaScript.
 *
 * @see Standard Webhooks, 1.0
 */
export async function attempt(
  { url, secrets, allowPrivateAddresses }: WebhookSettings,
  { _id: id, payload }: WebhookMessage,
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
