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

/** An event on its way to a stream. Those about one subject are sent in order (§8.1.2.1). */
export function streamMessage(
  stream: SignalStream,
  { type, subject, event, txn }: StreamSignal,
  now: Date,
): WebhookMessage {
  const payload: StreamEvent = {
    streamId: stream._id,
    iat: Math.floor(now.getTime() / 1000),
    txn,
    sub_id: subject,
    events: { [type]: event },
  };
  return newMessageOf(
    { name: endpointOf(stream) },
    {
      type,
      about: `${stream._id} ${hashSecret(canonicalJson(subject))}`,
      payload: JSON.stringify(payload),
    },
    now,
  );
}

/** What is said about a subject. */
export interface StreamSignal {
  readonly type: string;
  readonly subject: SubjectIdentifier;
  readonly event: object;
  /** What several signals of one cause have in common (RFC 8417 §2.2). */
  readonly txn: string;
}

/** The stream itself is the subject of what is said about it (§8.1.4.1, §8.1.5). */
export function subjectOfStream({ _id }: SignalStream): SubjectIdentifier {
  return { format: 'opaque', id: _id };
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
