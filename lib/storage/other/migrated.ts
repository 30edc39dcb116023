import type { MigratedTokenKind } from '../../core/grants/tokens/migrated-tokens.js';
import { Collection } from '../connection/collection.js';
import type { Database } from '../connection/database.js';
import { defineCollection, requiredType } from '../connection/model.js';

/**
 * A thing that `migrate` has taken over, one document each. The document outlives the thing: a second run must not
 * bring back what was revoked or deleted here.
 */
export interface MigratedThing {
  /** For a token its hash, by which requests find it; for other things a hash of their former identity. */
  readonly _id: string;
  readonly kind: MigratedTokenKind | 'client' | 'consent';
  /** For a token: the grant that has it now. */
  readonly grantId?: string;
  /** Set once the thing is stored here: after an interrupted run the next one continues with the others. */
  readonly takenAt?: Date;
}

export const MIGRATED = defineCollection<MigratedThing>({
  model: 'AuthorizationServerMigrated',
  name: 'oauth_migrated',
  fields: () => ({ kind: requiredType(String), grantId: String, takenAt: Date }),
});

/** Records which things were taken over. */
export function createMigrationStore(database: Database) {
  const things = new Collection(database, MIGRATED);
  return {
    async findGrantId(kind: MigratedTokenKind, hash: string) {
      const thing = await things.findOne({ _id: hash, kind }, { grantId: 1 });
      return thing?.grantId ?? null;
    },
    /** The recorded things, finished or not. */
    findAll: (ids: readonly string[]) => things.find({ _id: { $in: ids } }),
    /** Records things, unless they are recorded already. */
    note: async (documents: readonly MigratedThing[]) => {
      if (documents.length > 0) await things.insertAll(documents);
    },
    /** Records that a thing is stored here now. */
    finish: async (id: string, now: Date) =>
      void (await things.updateOne({ _id: id }, { $set: { takenAt: now } })),
  };
}
