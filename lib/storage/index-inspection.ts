import { CLIENTS } from './clients/client-collection.js';
import { COLLECTIONS } from './collections.js';
import { type Database, poolOf } from './connection/database.js';

/** An index in MongoDB's description. */
export interface DatabaseIndex {
  readonly key: Readonly<Record<string, unknown>>;
  readonly unique?: boolean;
  readonly expireAfterSeconds?: number;
}

/** A required index, and its problem. */
export interface IndexProblem {
  readonly collection: string;
  readonly key: Readonly<Record<string, unknown>>;
  readonly kind: 'unique' | 'ttl' | 'plain';
  readonly problem: 'missing' | 'not unique' | 'wrong expireAfterSeconds';
}

/** A collection with its required indexes. */
export interface CheckedCollection {
  readonly name: string;
  readonly indexes: readonly DatabaseIndex[];
}

/** Inspects the database for its operators, without any change. */
export type Inspection = ReturnType<typeof createInspection>;

/** Required features of the database, each with a command that changes nothing: no document has this id. */
const NOBODY = { _id: 'what doctor asks for' };
const FEATURES: readonly (readonly [name: string, command: Record<string, unknown>])[] = [
  [
    '$unionWith',
    {
      aggregate: COLLECTIONS.Grant.name,
      pipeline: [{ $match: NOBODY }, { $unionWith: COLLECTIONS.Grant.name }, { $limit: 1 }],
      cursor: {},
    },
  ],
  [
    'updates by a pipeline',
    { update: COLLECTIONS.Grant.name, updates: [{ q: NOBODY, u: [{ $set: { expiresAt: '$expiresAt' } }] }] },
  ],
];
const WATCHED = [CLIENTS.name, COLLECTIONS.SigningKey.name, COLLECTIONS.Grant.name];
/** The collection is missing, or the server does not take writes. */
const NO_ANSWER: readonly unknown[] = [26, 10_107, 13_435, 13_436];
const UNAUTHORIZED = 13;

async function isRefused(command: Promise<unknown>, ignored: readonly unknown[]): Promise<boolean> {
  try {
    const { writeErrors = [] } = (await command) as { writeErrors?: unknown[] };
    return writeErrors.length > 0;
  } catch (error) {
    const { name, code } = error as { name?: unknown; code?: unknown };
    if (name !== 'MongoServerError') throw error;
    return !ignored.includes(code);
  }
}

export function createInspection({ connection, execute, hello }: Database) {
  const database = () => {
    if (connection.db === undefined) throw new Error('the connection is not open');
    return connection.db;
  };

  return {
    /** All possible collections. */
    collections: Object.values(COLLECTIONS).map(({ name, schema }): CheckedCollection => ({
      name,
      indexes: schema(connection.base)
        .indexes()
        .map(([key, options]) => ({ key, ...options }) as DatabaseIndex),
    })),
    collectionNames: () =>
      execute(async () =>
        (await database().listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name),
      ),
    hasDocuments: (name: string) =>
      execute(
        async () => (await connection.collection(name).findOne({}, { projection: { _id: 1 } })) !== null,
      ),
    async findIndexProblems({ name, indexes }: CheckedCollection) {
      const existing = (await execute(() =>
        connection
          .collection(name)
          .listIndexes()
          .toArray()
          .catch((error: { readonly codeName?: unknown; readonly code?: unknown }) => {
            // the collection is missing
            if (error.codeName === 'NamespaceNotFound' || error.code === 26) return [];
            throw error;
          }),
      )) as DatabaseIndex[];
      return indexes.flatMap(({ key, unique, expireAfterSeconds }): IndexProblem[] => {
        const kind = unique === true ? 'unique' : expireAfterSeconds === undefined ? 'plain' : 'ttl';
        const problemOf = (problem: IndexProblem['problem']) => [
          { collection: name, key, kind, problem } as const,
        ];
        // the order of the fields is part of an index
        const same = existing.find((other) => JSON.stringify(other.key) === JSON.stringify(key));
        if (same === undefined) return problemOf('missing');
        if (unique === true && same.unique !== true) return problemOf('not unique');
        return same.expireAfterSeconds === expireAfterSeconds ? [] : problemOf('wrong expireAfterSeconds');
      });
    },
    /** Milliseconds by which the database's clock is ahead of this machine's; null if unknown. */
    clockDifference: async () => (await hello()).clockDifference,
    /** Whether the database is a single server: neither a member of a replica set nor a router of a cluster. */
    async isStandalone() {
      const { setName, msg } = await hello();
      return setName === undefined && msg !== 'isdbgrid';
    },
    /** Maximum number of connections in the pool. */
    poolSize: poolOf(connection).size,
    /** The features that the server lacks, by name; empty if the user may not try them. */
    async missingFeatures() {
      const isMissing = await execute(() =>
        Promise.all(
          FEATURES.map(([, command]) => isRefused(database().command(command), [UNAUTHORIZED, ...NO_ANSWER])),
        ),
      );
      return FEATURES.filter((_feature, index) => isMissing[index]).map(([name]) => name);
    },
    /** The collections whose change streams this database user may not open, although it is a replica set. */
    async refusedStreams() {
      if ((await hello()).setName === undefined) return [];
      const pipeline = [{ $changeStream: {} }];
      const open = (aggregate: string) =>
        database().command({ aggregate, pipeline, cursor: { batchSize: 0 } });
      const isEachRefused = await execute(() =>
        Promise.all(WATCHED.map((name) => isRefused(open(name), NO_ANSWER))),
      );
      return WATCHED.filter((_name, index) => isEachRefused[index]);
    },
    /** The number of arbiters in the replica set. */
    countArbiters: async () => (await hello()).arbiters.length,
    /** Whether TTL indexes are enforced; null if unknown. */
    async isTtlMonitorOn() {
      const { ttlMonitorEnabled } = (await execute(() =>
        connection
          .getClient()
          .db('admin')
          .command({ getParameter: 1, ttlMonitorEnabled: 1 })
          .catch(() => ({})),
      )) as { ttlMonitorEnabled?: unknown };
      return typeof ttlMonitorEnabled === 'boolean' ? ttlMonitorEnabled : null;
    },
    /** How many documents of a collection should have been removed before `time`, at most `limit`; 0 if none expire. */
    async countExpired({ name, indexes }: CheckedCollection, time: Date, limit: number) {
      const [field] = Object.keys(
        indexes.find(({ expireAfterSeconds }) => expireAfterSeconds !== undefined)?.key ?? {},
      );
      if (field === undefined) return 0;
      return execute(() => connection.collection(name).countDocuments({ [field]: { $lt: time } }, { limit }));
    },
  };
}
