import type { Emit } from '../../../core/observability/events.js';
import { newMessageOf } from '../../../delivery/new-messages.js';
import type { OutboxPart, WebhookMessage } from '../../../delivery/outbox.js';
import type { Server } from '../../../server/server.js';
import { hashSecret } from '../../../shared/crypto/secrets.js';
import { canonicalJson } from '../../../shared/protocol/json.js';
import type { SubjectIdentifier } from '../../../shared/protocol/subject-identifier.js';
import type { SignalStream } from '../../../storage/other/signal-streams.js';
import { SIGNAL_ALGORITHM } from '../options.js';

/** The endpoint of all pushes in the outbox; no receiver of webhooks can have this name. */
export const PUSHES = 'shared signals';

/** What waits for a stream, as it is stored: it is signed when it is sent, with the key of that moment. */
export interface StreamEvent {
  readonly streamId: string;
  readonly iat: number;
  readonly txn: string;
  readonly sub_id: SubjectIdentifier;
  readonly events: Readonly<Record<string, object>>;
}

/** Where what waits for a stream is kept. */
export function endpointOf({ _id, delivery }: SignalStream): string {
  return delivery.method === 'push' ? PUSHES : `${PUSHES} ${_id}`;
}

/** All that waits for a stream. */
export function outboxPartOf(stream: SignalStream): OutboxPart {
  return { endpoint: endpointOf(stream), aboutPrefix: `${stream._id} ` };
}

/** What is said about a subject, and the stream for which it is. */
export interface StreamSignal {
  readonly stream: SignalStream;
  readonly type: string;
  readonly subject: SubjectIdentifier;
  readonly event: object;
  /** What several signals of one cause have in common (RFC 8417 §2.2). */
  readonly txn: string;
}

/**
 * Puts signals into the outbox, where those about one subject are sent in order (§8.1.2.1). The events that tell it wake
 * whoever sends them, and whoever polls.
 */
export async function storeSignals(
  { models: { outbox } }: Server,
  signals: readonly StreamSignal[],
  { emit, userId }: { readonly emit: Emit; readonly userId?: string | undefined },
): Promise<void> {
  if (signals.length === 0) return;
  const now = new Date();
  const iat = Math.floor(now.getTime() / 1000);
  const messages = signals.map(({ stream, type, subject, event, txn }) => {
    const streamId = stream._id;
    const payload: StreamEvent = { streamId, iat, txn, sub_id: subject, events: { [type]: event } };
    const about = `${streamId} ${hashSecret(canonicalJson(subject))}`;
    return newMessageOf({ name: endpointOf(stream) }, { type, about, payload: JSON.stringify(payload) }, now);
  });
  await outbox.add(messages);
  for (const { stream, type } of signals)
    emit('signal.issued', { clientId: stream.clientId, reason: type, userId });
}

/**
 * The security event token of a message: without `sub` and `exp`, so that nothing takes it for another JWT.
 *
 * @see Shared Signals Framework §4.1, RFC 8417 §2
 */
export function signEvent(
  { _id: id, payload }: WebhookMessage,
  { audience }: SignalStream,
  { signingKeys, settings: { issuer } }: Server,
): Promise<string> {
  const { streamId: _streamId, ...claims } = JSON.parse(payload) as StreamEvent;
  return signingKeys.sign(
    'secevent+jwt',
    { iss: issuer, aud: audience, jti: id, ...claims },
    { preferred: SIGNAL_ALGORITHM },
  );
}
