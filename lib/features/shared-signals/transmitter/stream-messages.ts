import type { Emit } from '../../../core/observability/events.js';
import { buildMessage } from '../../../delivery/new-messages.js';
import type { OutboxPart, WebhookMessage } from '../../../delivery/outbox.js';
import type { Server } from '../../../server/server.js';
import { hashSecret } from '../../../shared/crypto/secrets.js';
import { canonicalJson } from '../../../shared/protocol/json.js';
import type { SubjectIdentifier } from '../../../shared/protocol/subject-identifier.js';
import type { SignalStream } from '../../../storage/other/signal-streams.js';
import { SIGNAL_ALGORITHM } from '../options.js';

/** The endpoint of all pushes in the outbox; the name of a webhook receiver cannot have a space. */
export const PUSHES = 'shared signals';

/** The stored payload of an event, signed at delivery with the current key. */
export interface StreamEvent {
  readonly streamId: string;
  readonly iat: number;
  readonly txn: string;
  readonly sub_id: SubjectIdentifier;
  readonly events: Readonly<Record<string, object>>;
}

/** The outbox endpoint with the messages of a stream. */
export function endpointOf({ _id, delivery }: SignalStream): string {
  return delivery.method === 'push' ? PUSHES : `${PUSHES} ${_id}`;
}

/** The messages of a stream in the outbox. */
export function outboxPartOf(stream: SignalStream): OutboxPart {
  return { endpoint: endpointOf(stream), aboutPrefix: `${stream._id} ` };
}

/** An event about a subject, for one stream. */
export interface StreamSignal {
  readonly stream: SignalStream;
  readonly type: string;
  readonly subject: SubjectIdentifier;
  readonly event: object;
  /** The same for all signals of one cause (RFC 8417 §2.2). */
  readonly txn: string;
}

/**
 * Stores signals in the outbox, which delivers signals about one subject in order (§8.1.2.1). Their events wake the
 * sender and waiting polls.
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
    return buildMessage({ name: endpointOf(stream) }, { type, about, payload: JSON.stringify(payload) }, now);
  });
  await outbox.add(messages);
  for (const { stream, type } of signals)
    emit('signal.issued', { clientId: stream.clientId, reason: type, userId });
}

/**
 * Signs a message as a security event token, without `sub` and `exp`, so that it is no other kind of JWT.
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
