import { randomUUID } from 'node:crypto';

import type { SignalStream } from '../../../core/delivery/signal-streams.js';
import type { Emit } from '../../../core/observability/events.js';
import { createFindSubject } from '../../../core/openid/subjects.js';
import type { Server } from '../../../server/server.js';
import {
  isSubject,
  matchesIdentifier,
  type SubjectIdentifier,
} from '../../../shared/protocol/subject-identifier.js';
import type { TransmitterSettings } from '../options.js';
import { eventsDelivered } from './stream-configuration.js';
import { streamMessage, type StreamSignal } from './stream-messages.js';

/** What has happened, and to whom. */
export interface PublishedSignal {
  /** The URI of the event type. */
  readonly type: string;
  /** A user of this site, whom each receiver knows in its own way. */
  readonly userId?: string | undefined;
  /** Or the same subject for all receivers. */
  readonly subject?: SubjectIdentifier | undefined;
  readonly event: object;
  /** Default: a new one. */
  readonly txn?: string | undefined;
}

export function createPublish(server: Server, transmitter: TransmitterSettings) {
  const { settings, models, events, clientSource } = server;
  const findSubject = createFindSubject(settings.openid, clientSource);
  const clientIds = transmitter.receivers.map(({ clientId }) => clientId);

  const subjectFor = async (clientId: string, userId: string): Promise<SubjectIdentifier | null> => {
    if (transmitter.subject === undefined) {
      const sub = await findSubject(clientId, userId);
      return sub === undefined ? null : { format: 'iss_sub', iss: settings.issuer, sub };
    }
    const subject = await transmitter.subject({ userId, clientId });
    if (subject === null || subject === undefined || isSubject(subject)) return subject ?? null;
    throw new TypeError(
      "sharedSignals.transmitter.subject must give a subject identifier, such as { format: 'email', email }, or null",
    );
  };

  /** Whether the receiver wants to hear of this subject (§7.1 default_subjects, §8.1.3.1). */
  const isSubscribed = async (streamId: string, subject: SubjectIdentifier): Promise<boolean> => {
    const isDefault = transmitter.defaultSubjects === 'ALL';
    const exact = await models.streamSubjects.find({ streamId, subject });
    if (exact !== null) return !exact.isRemoved;
    if (subject.format !== 'complex') return isDefault;
    const complex = await models.streamSubjects.findComplex(streamId);
    const named = complex.find((other) => matchesIdentifier(other.subject, subject));
    return named === undefined ? isDefault : !named.isRemoved;
  };

  /** Stores an event for each stream that wants it; resolves to how many there are. */
  return async ({ type, userId, subject: given, event, txn = randomUUID() }: PublishedSignal) => {
    const streams = await models.signalStreams.listAll(clientIds);
    const interested = streams.filter(
      (stream) => stream.status !== 'disabled' && eventsDelivered(stream).includes(type),
    );
    const subscribed = await Promise.all(
      interested.map(async (stream): Promise<SignalOfStream[]> => {
        const subject = given ?? (await subjectFor(stream.clientId, String(userId)));
        if (subject === null || !(await isSubscribed(stream.id, subject))) return [];
        return [[stream, { type, subject, event, txn }]];
      }),
    );
    const signals = subscribed.flat();
    await storeSignals(server, signals, { emit: events.emit, userId });
    return signals.length;
  };
}

/** A signal, and the stream for which it is. */
export type SignalOfStream = readonly [SignalStream, StreamSignal];

/** Puts signals into the outbox. The events that tell it wake whoever sends them, and whoever polls. */
export async function storeSignals(
  { models: { outbox } }: Server,
  signals: readonly SignalOfStream[],
  { emit, userId }: { readonly emit: Emit; readonly userId?: string | undefined },
): Promise<void> {
  if (signals.length === 0) return;
  const now = new Date();
  await outbox.add(signals.map(([stream, signal]) => streamMessage(stream, signal, now)));
  for (const [{ clientId }, { type }] of signals) emit('signal.issued', { clientId, reason: type, userId });
}
