import type { RecordedCommand } from '../support/commands.js';
import { type Filter, readsOf } from './reads.js';

export type ShardKey = Readonly<Record<string, 1 | 'hashed'>>;

/** The shard key of each collection, from which the reference is made; null: it stays on one shard. */
export const SHARD_KEYS: Readonly<Record<string, ShardKey | null>> = {
  oauth_grants: { _id: 'hashed' },
  oauth_consents: { userId: 1, clientId: 1 },
  oauth_user_codes: { _id: 'hashed' },
  oauth_assertion_ids: { _id: 'hashed' },
  oauth_limits: { _id: 'hashed' },
  oauth_audit: { _id: 'hashed' },
  oauth_migrated: { _id: 'hashed' },
  oauth_pushed_requests: { _id: 'hashed' },
  oauth_refusals: { _id: 'hashed' },
  oauth_used_proofs: { _id: 'hashed' },
  oauth_received_events: null,
  oauth_signal_streams: null,
  oauth_stream_subjects: null,
  oauth_clients: null,
  oauth_client_logos: null,
  oauth_initial_access_tokens: null,
  oauth_signing_keys: null,
  oauth_issuers: null,
  oauth_users: null,
  oauth_webhooks: null,
  oauth_sign_ins: { userId: 1 },
};

/**
 * Whether the command goes to the one shard that has its documents: it has a value for the first field of the key, and,
 * if it inserts, for each field.
 */
export function isTargeted(command: RecordedCommand, shardKeys = SHARD_KEYS): boolean {
  const sought = readsOf(command).map(({ collection, filter }) => ({
    collection,
    filter,
    isWhole: isUpsert(command),
  }));
  const inserted =
    command.name === 'insert'
      ? (command.command.documents as Filter[]).map((filter) => ({
          collection: command.collection,
          filter,
          isWhole: true,
        }))
      : [];
  return [...sought, ...inserted].every(({ collection, filter, isWhole }) => {
    const key = shardKeys[collection];
    if (key === undefined) throw new Error(`${collection} is not among the shard keys`);
    return (
      key === null ||
      Object.keys(key)
        .slice(0, isWhole ? undefined : 1)
        .every((field) => namesValue(filter[field]))
    );
  });
}

export function isUpsert({ name, command }: RecordedCommand): boolean {
  return (
    name === 'update' && (command.updates as { upsert?: boolean }[]).some(({ upsert }) => upsert === true)
  );
}

/** Equality, or a list of values, each of which is on one shard. */
function namesValue(value: unknown): boolean {
  if (value === undefined || value === null) return false;
  return (
    value.constructor.name !== 'Object' ||
    !Object.keys(value).some((operator) => operator.startsWith('$') && !['$eq', '$in'].includes(operator))
  );
}

/** Whether MongoDB allows a unique index on a collection with this shard key: it begins with the key, unhashed. */
export function canBeUnique(fields: readonly string[], key: ShardKey | null): boolean {
  return (
    key === null ||
    Object.entries(key).every(([field, kind], position) => kind === 1 && fields[position] === field)
  );
}

/** Whether an id that is unique on its shard is unique on all shards. */
export function isIdUnique(key: ShardKey | null): boolean {
  return key === null || Object.keys(key).join() === '_id';
}
