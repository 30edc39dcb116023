import { randomUUID } from 'node:crypto';

import { createFindSubject } from '../../../core/openid/subjects.js';
import type { Server } from '../../../server/server.js';
import {
  isSubject,
  matchesIdentifier,
  type SubjectIdentifier,
} from '../../../shared/protocol/subject-identifier.js';
import type { SignalStream } from '../../../storage/other/signal-streams.js';
import { eventsDelivered, transmitterOf } from './stream-configuration.js';
import { storeSignals, type StreamSignal } from './stream-messages.js';

/** An event and its subject. */
export interface PublishedSignal {
  /** The URI of the event type. */
  readonly type: string;
  /** A user of this site; the subject identifier depends on the receiver. */
  readonly userId?: string | undefined;
  /** Or the same subject for all receivers. */
  readonly subject?: SubjectIdentifier | undefined;
  readonly event: object;
  /** Default: a new one. */
  readonly txn?: string | undefined;
}

/** Stores an event for each stream that delivers it; resolves to the number of these streams. */
export function createPublish(server: Server) {
  const { settings, models, events, clientSource } = server;
  const { receivers, subject: subjectOf, defaultSubjects } = transmitterOf(server);
  const findSubject = createFindSubject(settings.openid, clientSource);
  const clientIds = receivers.map(({ clientId }) => clientId);

  return async ({ type, userId, subject: commonSubject, event, txn = randomUUID() }: PublishedSignal) => {
    const publishTo = async (stream: SignalStream): Promise<StreamSignal[]> => {
      if (stream.status === 'disabled' || !eventsDelivered(stream).includes(type)) return [];
      // the receiver's identifier of the user
      const { _id: streamId, clientId } = stream;
      let subject = commonSubject;
      if (subject === undefined && subjectOf === undefined) {
        const sub = await findSubject(clientId, String(userId));
        if (sub !== undefined) subject = { format: 'iss_sub', iss: settings.issuer, sub };
      } else if (subject === undefined) {
        subject = (await subjectOf?.({ userId: String(userId), clientId })) ?? undefined;
        if (subject !== undefined && !isSubject(subject))
          throw new TypeError(
            "sharedSignals.transmitter.subject must give a subject identifier, such as { format: 'email', email }, or null",
          );
      }
      if (subject === undefined) return [];

      // whether the stream includes this subject (§7.1 default_subjects, §8.1.3.1)
      const exact = await models.streamSubjects.find({ streamId, subject });
      const complex =
        exact === null && subject.format === 'complex'
          ? await models.streamSubjects.findComplex(streamId)
          : [];
      const chosen = exact ?? complex.find((other) => matchesIdentifier(other.subject, subject));
      const isSubscribed = chosen ? !chosen.isRemoved : defaultSubjects === 'ALL';
      return isSubscribed ? [{ stream, type, subject, event, txn }] : [];
    };
    const streams = await models.signalStreams.listAll(clientIds);
    const signals = (await Promise.all(streams.map(publishTo))).flat();
    await storeSignals(server, signals, { emit: events.emit, userId });
    return signals.length;
  };
}
