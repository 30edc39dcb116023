import type { MigratedTokenKind, MigratedTokenStore } from '../grants/migrated-tokens.js';
import type { Database } from './database.js';
import { documentsOf, SCHEMA_OPTIONS } from './documents.js';
import type { Collection } from './model-of.js';

/**
 * What `migrate` has taken over, one document for each thing. It stays when the thing is gone: what was revoked or
 * deleted here must not come back with a second run.
 */
export interface MigratedThing {
  /** Of a token its hash, by which it is found; of anything else a hash of what it was there. */
  readonly _id: string;
  readonly kind: MigratedTokenKind | 'client' | 'consent';
  /** Of a token: the grant that has it now. */
  readonly grantId?: string;
  /** Set once it is here: a run that was interrupted goes on with those that are not. */
  readonly takenAt?: Date;
}

export const MIGRATED: Collection<MigratedThing> = {
  model: 'AuthorizationServerMigrated',
  name: 'oauth_migrated',
  schema: ({ Schema }) =>
    new Schema<MigratedThing>(
      {
        _id: { type: String, required: true },
        kind: { type: String, required: true },
        grantId: String,
        takenAt: Date,
      },
      SCHEMA_OPTIONS,
    ),
};

/** What was taken over before, and is now. */
export interface MigrationStore extends MigratedTokenStore {
  /** Those of the things that are there, with whether they were finished. */
  findAll(ids: readonly string[]): Promise<readonly MigratedThing[]>;
  /** Notes things, unless they are noted. */
  note(things: readonly MigratedThing[]): Promise<void>;
  /** Notes that a thing is here now. */
  finish(id: string, now: Date): Promise<void>;
}

export function createMigrationStore(database: Database): MigrationStore {
  const things = documentsOf(database, MIGRATED);
  return {
    async findGrantId(kind, hash) {
      const found = await things.findOne({ _id: hash, kind }, { grantId: 1 });
      return found?.grantId ?? null;
    },
    findAll: (ids) => things.find({ _id: { $in: ids } }),
    note: async (given) => {
      if (given.length > 0) await things.insertAll(given);
    },
    finish: async (id, now) => void (await things.updateOne({ _id: id }, { $set: { takenAt: now } })),
  };
}
