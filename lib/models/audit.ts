import { type Connection, type Model,Schema, Types } from 'mongoose';

import { collectionOf, modelOf, SCHEMA_OPTIONS } from './collection.js';
import { isDuplicateKey, type Storage } from './storage.js';

/** An entry of the audit: an event as it was, without what people typed. */
export interface AuditEntry {
  /** The event's name, or `audit.dropped` where entries are missing (`count` of them) because the database was down. */
  readonly type: string;
  readonly time: Date;
  readonly requestId?: string;
  readonly ip?: string;
  readonly clientId?: string;
  readonly userId?: string;
  readonly grantId?: string;
  readonly scopes?: readonly string[];
  readonly grantType?: string;
  readonly tokenType?: string;
  readonly error?: string;
  readonly reason?: string;
  readonly count?: number;
  readonly endpoint?: string;
}

/** An entry ready to be stored; its id is made here, so that a batch sent twice is stored once. */
export interface StoredAuditEntry extends AuditEntry {
  readonly _id: Types.ObjectId;
  readonly expiresAt: Date;
}

/** Which entries to find; all that are named must fit. */
export interface AuditQuery {
  readonly userId?: string;
  readonly clientId?: string;
  /** No older ones than this. */
  readonly since?: Date;
  /** At most so many, 1000 at most. Default: 100. */
  readonly limit?: number;
}

const auditSchema = () =>
  new Schema<StoredAuditEntry>(
    {
      _id: { type: Schema.Types.ObjectId, required: true },
      type: { type: String, required: true },
      time: { type: Date, required: true },
      requestId: String,
      ip: String,
      clientId: String,
      userId: String,
      grantId: String,
      scopes: { type: [String], default: undefined },
      grantType: String,
      tokenType: String,
      error: String,
      reason: String,
      count: Number,
      endpoint: String,
      expiresAt: { type: Date, required: true },
    },
    SCHEMA_OPTIONS,
  )
    // the time to live is in each entry, so that the option can change without a new index
    .index({ expiresAt: 1 }, { expireAfterSeconds: 0 })
    // by id as well, as it is asked for: without it the order would be made anew of all that fits
    .index({ time: -1, _id: -1 })
    .index({ userId: 1, time: -1, _id: -1 }, { partialFilterExpression: { userId: { $exists: true } } })
    .index({ clientId: 1, time: -1, _id: -1 }, { partialFilterExpression: { clientId: { $exists: true } } });

/** The append-only collection of the audit: nothing here changes or deletes an entry. Each method is one command. */
export interface AuditLog {
  readonly model: Model<StoredAuditEntry>;
  append(entries: readonly StoredAuditEntry[]): Promise<void>;
  /** The newest first. */
  find(query: AuditQuery): Promise<AuditEntry[]>;
}

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;

export function createAuditLog(connection: Connection, storage: Storage): AuditLog {
  const model = modelOf(connection, 'OAuthAudit', 'oauth_audit', auditSchema);
  const collection = collectionOf(connection, model.collection.name);

  return {
    model,
    async append(entries) {
      await storage
        .run(() => collection().insertMany(entries as never, { ordered: false }))
        .catch((error: unknown) => {
          // sent before, and stored although the answer was lost; unordered, so the others are stored as well
          if (!isDuplicateKey(error)) throw error;
        });
    },
    find({ userId, clientId, since, limit = DEFAULT_LIMIT }) {
      const filter = {
        ...(userId !== undefined && { userId }),
        ...(clientId !== undefined && { clientId }),
        ...(since && { time: { $gte: since } }),
      };
      const options = {
        projection: { _id: 0, expiresAt: 0 },
        sort: { time: -1 as const, _id: -1 as const },
        limit: Math.min(limit, MAX_LIMIT),
      };
      return storage.run(() => collection().find<AuditEntry>(filter, options).toArray());
    },
  };
}

export function createEntryId(): Types.ObjectId {
  return new Types.ObjectId();
}
