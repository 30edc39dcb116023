import type {
  SignalStream,
  SignalStreamStore,
  StreamSubject,
  StreamSubjectStore,
} from '../../core/delivery/signal-streams.js';
import { hashSecret } from '../../shared/crypto/secrets.js';
import { insertWithinLimit } from '../../shared/limits/insert-within-limit.js';
import { subjectKey } from '../../shared/protocol/subject-identifier.js';
import { Collection } from '../connection/collection.js';
import type { Database } from '../connection/database.js';
import { defineCollection, optionalList, requiredType } from '../connection/model.js';
import { setOrUnset } from '../connection/query-helpers.js';

/** A stream of security events to a receiver, as stored. */
export interface StoredSignalStream extends Omit<SignalStream, 'id'> {
  readonly _id: string;
}

/** A subject that a receiver has added to a stream or removed from it, as stored. */
export interface StoredStreamSubject {
  /** A hash of the stream and the subject, so that its size is bounded. */
  readonly _id: string;
  readonly streamId: string;
  /** As JSON: the names of its members are the receiver's. */
  readonly subject: string;
  readonly isRemoved: boolean;
  readonly isComplex?: boolean;
}

export const SIGNAL_STREAMS = defineCollection<StoredSignalStream>({
  model: 'AuthorizationServerSignalStream',
  name: 'oauth_signal_streams',
  fields: () => ({
    clientId: requiredType(String),
    audience: requiredType(String),
    delivery: { _id: false, method: requiredType(String), endpointUrl: String, authorizationHeader: String },
    eventsRequested: optionalList(String),
    description: String,
    status: requiredType(String),
    reason: String,
    createdAt: requiredType(Date),
    verifiedAt: Date,
  }),
  indexes: [[{ clientId: 1, createdAt: 1 }]],
});

export const STREAM_SUBJECTS = defineCollection<StoredStreamSubject>({
  model: 'AuthorizationServerStreamSubject',
  name: 'oauth_stream_subjects',
  people: {
    paths: { subject: { person: 'subject', atEnd: 'delete', text: 'json' } },
    exported: 'streamId isRemoved',
  },
  fields: () => ({
    streamId: requiredType(String),
    subject: requiredType(String),
    isRemoved: requiredType(Boolean),
    isComplex: Boolean,
  }),
  indexes: [[{ streamId: 1, isComplex: 1 }]],
});

/** Of a transmitter; each client has a few. */
const MAX_STREAMS = 1000;

export function createSignalStreamStore(database: Database): SignalStreamStore {
  const streams = new Collection(database, SIGNAL_STREAMS);
  const subjects = new Collection(database, STREAM_SUBJECTS);
  return {
    async insert({ id, ...stream }) {
      await streams.insert({ _id: id, ...stream });
    },
    async find(id) {
      const found = await streams.findOne({ _id: id });
      return found && toStream(found);
    },
    listOf: async (clientId) =>
      (await streams.find({ clientId }, { sort: { createdAt: 1 }, limit: MAX_STREAMS })).map(toStream),
    listAll: async (clientIds) =>
      (await streams.find({ clientId: { $in: clientIds } }, { limit: MAX_STREAMS })).map(toStream),
    async update(id, changes) {
      const found = await streams.findOneAndUpdate({ _id: id }, setOrUnset(changes));
      return found && toStream(found);
    },
    verify: (id, now, notAfter) =>
      streams.updateOne(
        { _id: id, $or: [{ verifiedAt: { $exists: false } }, { verifiedAt: { $lte: notAfter } }] },
        { $set: { verifiedAt: now } },
      ),
    async remove(id) {
      await streams.deleteOne({ _id: id });
      await subjects.deleteMany({ streamId: id });
    },
  };
}

export function createStreamSubjectStore(database: Database): StreamSubjectStore {
  const subjects = new Collection(database, STREAM_SUBJECTS);
  return {
    async keep({ streamId, subject, isRemoved }, limit) {
      const _id = idOf({ streamId, subject });
      if (await subjects.updateOne({ _id }, { $set: { isRemoved } })) return;
      const isComplex = subject.format === 'complex';
      await insertWithinLimit({
        ...limit,
        count: (max) => subjects.count({ streamId }, max),
        insert: () =>
          subjects.insert({
            _id,
            streamId,
            subject: JSON.stringify(subject),
            isRemoved,
            isComplex: isComplex || undefined,
          }),
        remove: () => subjects.deleteOne({ _id }),
      });
    },
    async forget(of) {
      await subjects.deleteOne({ _id: idOf(of) });
    },
    async find(of) {
      const found = await subjects.findOne({ _id: idOf(of) });
      return found && toSubject(found);
    },
    findComplex: async (streamId) => (await subjects.find({ streamId, isComplex: true })).map(toSubject),
  };
}

function idOf({ streamId, subject }: Omit<StreamSubject, 'isRemoved'>): string {
  return hashSecret(JSON.stringify([streamId, subjectKey(subject)]));
}

function toStream({ _id, ...stream }: StoredSignalStream): SignalStream {
  return { id: _id, ...stream };
}

function toSubject({ streamId, subject, isRemoved }: StoredStreamSubject): StreamSubject {
  return { streamId, subject: JSON.parse(subject) as StreamSubject['subject'], isRemoved };
}
