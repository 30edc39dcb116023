import type { LimitedInsert } from '../../shared/limits/insert-within-limit.js';
import type { SubjectIdentifier } from '../../shared/protocol/subject-identifier.js';

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
  readonly id: string;
  /** The client that made it. */
  readonly clientId: string;
  readonly audience: string;
  readonly delivery: StreamDelivery;
  /** The URIs that the receiver has requested; undefined: all. */
  readonly eventsRequested?: readonly string[];
  readonly description?: string;
  readonly status: StreamStatus;
  readonly reason?: string;
  readonly createdAt: Date;
  /** When its receiver last asked for a verification. */
  readonly verifiedAt?: Date;
}

/** What its receiver, or the site, can change. */
export type StreamChanges = Partial<
  Pick<SignalStream, 'delivery' | 'eventsRequested' | 'description' | 'status' | 'reason'>
>;

export interface SignalStreamStore {
  insert(stream: SignalStream): Promise<void>;
  find(id: string): Promise<SignalStream | null>;
  listOf(clientId: string): Promise<SignalStream[]>;
  /** All of these clients. */
  listAll(clientIds: readonly string[]): Promise<SignalStream[]>;
  /** Members that are undefined are removed. Null if there is none. */
  update(id: string, changes: StreamChanges): Promise<SignalStream | null>;
  /** False if it was verified after this moment. */
  verify(id: string, now: Date, notAfter: Date): Promise<boolean>;
  /** With its subjects. */
  remove(id: string): Promise<void>;
}

/** A subject that the receiver has added to a stream, or removed from it. */
export interface StreamSubject {
  readonly streamId: string;
  readonly subject: SubjectIdentifier;
  readonly isRemoved: boolean;
}

export interface StreamSubjectStore {
  /** @throws what `tooMany` returns if the stream has as many as there may be */
  keep(subject: StreamSubject, limit: Pick<LimitedInsert<unknown>, 'max' | 'tooMany'>): Promise<void>;
  /** Makes it as if it had never been named. */
  forget(of: Omit<StreamSubject, 'isRemoved'>): Promise<void>;
  /** What is known of exactly this subject. */
  find(of: Omit<StreamSubject, 'isRemoved'>): Promise<StreamSubject | null>;
  /** The complex ones, which can match without being the same. */
  findComplex(streamId: string): Promise<StreamSubject[]>;
}
