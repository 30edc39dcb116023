import { hashSecret } from '../../shared/crypto/secrets.js';
import { insertWithinLimit, type LimitedInsert } from '../../shared/limits/insert-within-limit.js';
import { canonicalJson } from '../../shared/protocol/json.js';
import type { SubjectIdentifier } from '../../shared/protocol/subject-identifier.js';
import { Collection } from '../connection/collection.js';
import type { Database } from '../connection/database.js';
import { defineCollection, optionalList, requiredType } from '../connection/model.js';
import { setOrUnset } from '../connection/query-helpers.js';

/** Shared Signals Framework §8.1.2.1 */
export type StreamStatus = 'enabled' | 'paused' | 'disabled';

/** How a receiver gets its events (RFC 8935, RFC 8936). */
export type StreamDelivery =
  | {
      readonly method: 'push';
      readonly endpointUrl: string;
      /** Sealed. */
      readonly authorizationHeader?: string;
    }
  | { readonly method: 'poll' };

/** The events that one receiver gets. (Shared Signals Framework §8.1.1) */
export interface SignalStream {
  readonly _id: string;
  /** The client that created the stream. */
  readonly clientId: string;
  readonly audience: string;
  readonly delivery: StreamDelivery;
  /** The URIs of the requested events; undefined: all. */
  readonly eventsRequested?: readonly string[];
  readonly description?: string;
  readonly status: StreamStatus;
  readonly reason?: string;
  readonly createdAt: Date;
  /** When the receiver last requested a verification. */
  readonly verifiedAt?: Date;
}

/** The members that the receiver, or the site, can change. */
export type StreamChanges = Partial<
  Pick<SignalStream, 'delivery' | 'eventsRequested' | 'description' | 'status' | 'reason'>
>;

export interface NamedSubject {
  readonly streamId: string;
  readonly subject: SubjectIdentifier;
}

/** A subject that the receiver has added to a stream, or removed from it. */
export interface StreamSubject extends NamedSubject {
  readonly isRemoved: boolean;
}

/** The stored form of a subject. */
export interface StoredStreamSubject extends Omit<StreamSubject, 'subject'> {
  /** A hash of the stream and the subject, which bounds its size. */
  readonly _id: string;
  /** JSON, because the receiver names its members. */
  readonly subject: string;
  readonly isComplex?: boolean;
}

export const SIGNAL_STREAMS = defineCollection<SignalStream>({
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

/** Maximum number of streams that a list reads; each client has a few. */
const MAX_STREAMS = 1000;

export function createSignalStreamStore(database: Database) {
  const streams = new Collection(database, SIGNAL_STREAMS);
  const subjects = new Collection(database, STREAM_SUBJECTS);
  return {
    insert: (stream: SignalStream) => streams.insert(stream),
    find: (id: string) => streams.findOne({ _id: id }),
    listOf: (clientId: string) => streams.find({ clientId }, { sort: { createdAt: 1 }, limit: MAX_STREAMS }),
    /** The streams of all of these clients. */
    listAll: (clientIds: readonly string[]) =>
      streams.find({ clientId: { $in: clientIds } }, { limit: MAX_STREAMS }),
    /** Removes members that are undefined. Null if there is no such stream. */
    update: (id: string, changes: StreamChanges) =>
      streams.findOneAndUpdate({ _id: id }, setOrUnset(changes)),
    /** Records a verification; false if there was one after `notAfter`. */
    verify: (id: string, now: Date, notAfter: Date) =>
      streams.updateOne(
        { _id: id, $or: [{ verifiedAt: { $exists: false } }, { verifiedAt: { $lte: notAfter } }] },
        { $set: { verifiedAt: now } },
      ),
    /** Removes a stream with its subjects. */
    async remove(id: string): Promise<void> {
      await streams.deleteOne({ _id: id });
      await subjects.deleteMany({ streamId: id });
    },
  };
}

export function createStreamSubjectStore(database: Database) {
  const subjects = new Collection(database, STREAM_SUBJECTS);
  return {
    /** @throws the error that `tooMany` returns if the stream has the maximum number of subjects */
    async keep(
      { streamId, subject, isRemoved }: StreamSubject,
      limit: Pick<LimitedInsert<unknown>, 'max' | 'tooMany'>,
    ): Promise<void> {
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
    /** Deletes a subject, as if it had never been added or removed. */
    async forget(of: NamedSubject): Promise<void> {
      await subjects.deleteOne({ _id: idOf(of) });
    },
    /** The stored state of exactly this subject. */
    find: (of: NamedSubject) => subjects.findOne({ _id: idOf(of) }),
    /** The complex subjects, which can match without being equal. */
    async findComplex(streamId: string) {
      const stored = await subjects.find({ streamId, isComplex: true });
      return stored.map(({ subject, isRemoved }) => ({
        subject: JSON.parse(subject) as SubjectIdentifier,
        isRemoved,
      }));
    },
  };
}

function idOf({ streamId, subject }: NamedSubject): string {
  return hashSecret(JSON.stringify([streamId, canonicalJson(subject)]));
}
