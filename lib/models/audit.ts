import type { Types } from 'mongoose';

import type { AuditEntry, AuditLog } from '../observability/audit-log.js';
import type { Database } from './database.js';
import { documentsOf, SCHEMA_OPTIONS } from './documents.js';
import type { Collection } from './model-of.js';

/** An entry of the audit, as stored. */
export interface StoredAuditEntry extends AuditEntry {
  readonly _id: Types.ObjectId;
  readonly expiresAt: Date;
}

export const AUDIT: Collection<StoredAuditEntry> = {
  model: 'AuthorizationServerAudit',
  name: 'oauth_audit',
  schema: ({ Schema }) =>
    new Schema<StoredAuditEntry>(
      {
        _id: { type: Schema.Types.ObjectId, required: true },
        type: { type: String, required: true },
        time: { type: Date, required: true },
        requestId: String,
        ip: String,
        clientId: String,
        userId: String,
        actorId: String,
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
      .index(
        { clientId: 1, time: -1, _id: -1 },
        { partialFilterExpression: { clientId: { $exists: true } } },
      ),
};

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;

export function createAuditLog(database: Database): AuditLog {
  const entries = documentsOf(database, AUDIT);
  const { ObjectId } = database.connection.base.Types;

  return {
    createId: () => new ObjectId().toHexString(),
    // of those that were stored before, although the answer was lost, the others are stored as well
    append: (batch) =>
      entries.insertAll(batch.map(({ id, ...entry }) => ({ _id: new ObjectId(id), ...entry }))),
    find({ userId, clientId, since, limit = DEFAULT_LIMIT }) {
      const filter = {
        ...(userId !== undefined && { userId }),
        ...(clientId !== undefined && { clientId }),
        ...(since && { time: { $gte: since } }),
      };
      return entries.find(filter, {
        projection: { _id: 0, expiresAt: 0 },
        sort: { time: -1, _id: -1 },
        limit: Math.min(limit, MAX_LIMIT),
      });
    },
  };
}
