import type { Types } from 'mongoose';

import type { AuditEntry, AuditLog, AuditQuery } from '../../core/observability/audit-log.js';
import { withoutUndefined } from '../../shared/without-undefined.js';
import { Collection } from '../connection/collection.js';
import type { Database } from '../connection/database.js';
import { defineCollection, optionalList, requiredType } from '../connection/model.js';

/** A stored entry of the audit. */
export interface StoredAuditEntry extends AuditEntry {
  readonly _id: Types.ObjectId;
  readonly expiresAt: Date;
}

export const AUDIT = defineCollection<StoredAuditEntry>({
  model: 'AuthorizationServerAudit',
  name: 'oauth_audit',
  people: {
    // the entries stay, with a pseudonym of the user
    paths: {
      userId: { person: 'subject', atEnd: 'replace', with: ['ip'] },
      actorId: { person: 'actor', atEnd: 'replace', with: ['ip'] },
      actors: { person: 'actor', atEnd: 'replace', with: ['ip'], isList: true },
    },
    exported:
      'type time ip clientId actorId grantId scopes grantType tokenType error reason count filter endpoint',
  },
  fields: ({ ObjectId }) => ({
    _id: requiredType(ObjectId),
    type: requiredType(String),
    time: requiredType(Date),
    requestId: String,
    ip: String,
    clientId: String,
    userId: String,
    actorId: String,
    actors: optionalList(String),
    grantId: String,
    scopes: optionalList(String),
    grantType: String,
    tokenType: String,
    error: String,
    reason: String,
    count: Number,
    filter: String,
    endpoint: String,
  }),
  // each entry has its expiry, so that the option can change without a new index
  ttl: 'expiresAt',
  sparse: [
    { actorId: 1 },
    { actors: 1 },
    { userId: 1, time: -1, _id: -1 },
    { clientId: 1, time: -1, _id: -1 },
  ],
  // with the id, as the queries sort: otherwise all matching entries would be sorted each time
  indexes: [[{ time: -1, _id: -1 }]],
});

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1000;
/** How many entries are read at once by `readAll`. */
const BATCH = 500;

export function createAuditLog(database: Database): AuditLog {
  const entries = new Collection(database, AUDIT);
  const { ObjectId } = database.connection.base.Types;

  return {
    createId: () => new ObjectId().toHexString(),
    // if some were stored before and the response was lost, the others are stored all the same
    append: (batch) =>
      entries.insertAll(batch.map(({ id, ...entry }) => ({ _id: new ObjectId(id), ...entry }))),
    find: ({ limit = DEFAULT_LIMIT, ...query }) =>
      entries.find(filterOf(query), {
        projection: { _id: 0, expiresAt: 0 },
        sort: { time: -1, _id: -1 },
        limit: Math.min(limit, MAX_LIMIT),
      }),
    async findLife(endpoint) {
      const [latest] = await entries.find(
        { endpoint: { $ne: endpoint } },
        { projection: { time: 1, expiresAt: 1 }, sort: { time: -1, _id: -1 }, limit: 1 },
      );
      return latest && latest.expiresAt.getTime() - latest.time.getTime();
    },
    async *readAll(query) {
      const { time: within, ...of } = filterOf(query);
      // each batch begins after the last: a long read holds nothing open, and misses no entry that is stored meanwhile
      for (let place: StoredAuditEntry | undefined; ;) {
        const next = place && {
          time: { ...within, $gte: place.time },
          $or: [{ time: { $gt: place.time } }, { _id: { $gt: place._id } }],
        };
        const batch = await entries.find(
          { ...of, ...(next ?? (within && { time: within })) },
          { projection: { expiresAt: 0 }, sort: { time: 1, _id: 1 }, limit: BATCH },
        );
        for (const { _id, ...entry } of batch) yield entry;
        if (batch.length < BATCH) return;
        place = batch.at(-1);
      }
    },
  };
}

function filterOf({ since, until, ...of }: AuditQuery) {
  const isWithin = since !== undefined || until !== undefined;
  return withoutUndefined({
    ...of,
    time: isWithin ? withoutUndefined({ $gte: since, $lt: until }) : undefined,
  });
}
