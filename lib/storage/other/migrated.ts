import type { MigratedTokenKind } from '../../core/grants/tokens/migrated-tokens.js';
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
  fields: () => ({ kind: requiredType(String), grantId: String, takenAt: Date }),
});

/** Knows what was taken over before, and notes what is now. */
export function createMigrationStore(database: Database) {
  const things = new Collection(database, MIGRATED);
  return {
    async findGrantId(kind: MigratedTokenKind, hash: string) {
      const found = await things.findOne({ _id: hash, kind }, { grantId: 1 });
      return found?.grantId ?? null;
    },
    /** The things that were noted before, with whether they were finished. */
    findAll: (ids: readonly string[]) => things.find({ _id: { $in: ids } }),
    /** Notes things, unless they are noted. */
    note: async (given: readonly MigratedThing[]) => {
      if (given.length > 0) await things.insertAll(given);
    },
    /** Notes that a thing is here now. */
    finish: async (id: string, now: Date) =>
      void (await things.updateOne({ _id: id }, { $set: { takenAt: now } })),
  };
}
