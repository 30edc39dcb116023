import type { MigratedTokenKind, MigratedTokenStore } from '../../core/grants/tokens/migrated-tokens.js';
import { Collection } from '../connection/collection.js';
import type { Database } from '../connection/database.js';
import { defineCollection, requiredType } from '../connection/model.js';

/**
 * What `migrate` has taken over, one document for each thing. The document stays when the thing is gone: what was
 * revoked or deleted here must not come back with a second run.
 */
export interface MigratedThing {
  /** For a token its hash, by which it is found; for anything else a hash of what it was before. */
  readonly _id: string;
  readonly kind: MigratedTokenKind | 'client' | 'consent';
  /** For a token: the grant that has it now. */
  readonly grantId?: string;
  /** Set once it is here: after an interrupted run the next one goes on with the others. */
  readonly takenAt?: Date;
}

export const MIGRATED = defineCollection<MigratedThing>({
  model: 'AuthorizationServerMigrated',
  name: 'oauth_migrated',
  fields: () => ({
    _id: requiredType(String),
    kind: requiredType(String),
    grantId: String,
    takenAt: Date,
  }),
});

/** Knows what was taken over before, and notes what is now. */
export interface MigrationStore extends MigratedTokenStore {
  /** The things that were noted before, with whether they were finished. */
  findAll(ids: readonly string[]): Promise<readonly MigratedThing[]>;
  /** Notes things, unless they are noted. */
  note(things: readonly MigratedThing[]): Promise<void>;
  /** Notes that a thing is here now. */
  finish(id: string, now: Date): Promise<void>;
}

export function createMigrationStore(database: Database): MigrationStore {
  const things = new Collection(database, MIGRATED);
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
