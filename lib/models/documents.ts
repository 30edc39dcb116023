import type { Model, mongo } from 'mongoose';

import type { ExtendSchema } from '../settings/schema-options.js';
import { type Database, isDuplicateKey } from './database.js';
import { insertOf } from './insert.js';
import { type Collection, customFieldsOf, modelOf } from './model-of.js';
import { duplicateField } from './schema-problem.js';

/**
 * Reads from the primary and writes to the majority, whatever the host's connection string says of its own data: a used
 * code and a revoked token must be known to everyone, also after a failover.
 */
export const READ_PREFERENCE = 'primary';
const READ_CONCERN = { level: 'local' } as const;
const WRITE_CONCERN = { w: 'majority' } as const;

/** For every schema here. What is empty stays: `{}` says something else than nothing does. */
export const SCHEMA_OPTIONS = {
  versionKey: false,
  minimize: false,
  read: READ_PREFERENCE,
  readConcern: READ_CONCERN,
  writeConcern: WRITE_CONCERN,
} as const;

/** For every operation: what is decided here is no part of a transaction that the host has open around a request. */
const ALONE: { readonly session?: mongo.ClientSession } = { session: null as never };
const LEAN = { ...ALONE, lean: true } as const;
/** Unordered, so that what is there already does not keep the others from being inserted. */
const INSERTING = { ...ALONE, ordered: false, writeConcern: WRITE_CONCERN } as const;

/** A part of what a collection has. */
export interface Part {
  readonly sort?: Readonly<Record<string, 1 | -1>>;
  readonly limit?: number;
  readonly projection?: Readonly<Record<string, 0 | 1>>;
}

type Filter = Readonly<Record<string, unknown>>;
type Update = Readonly<Record<string, unknown>>;

/** The documents of a collection, plain ones, by operations of its model; each is one command to MongoDB. */
export interface Documents<T> {
  readonly model: Model<T>;
  /** The names of the fields that are the host's own. */
  readonly customFields: readonly string[];
  findOne(filter: Filter, projection?: Part['projection']): Promise<T | null>;
  find(filter: Filter, part?: Part): Promise<T[]>;
  /**
   * Inserts a document of ours, whose values need no casting (see insert.ts): `save` makes a document of Mongoose first,
   * which costs 125 to 160 µs of CPU more (npm run bench -- --commands). False if its id or another key is taken.
   */
  insert(document: T): Promise<boolean>;
  /** The same of several, of which some may be there already. */
  insertAll(documents: readonly T[]): Promise<void>;
  /**
   * Inserts a document in which the host may have a say, by `save`: defaults, casts, validators and hooks do
   * their work.
   */
  save(document: T): Promise<T | null>;
  /** False where no document fits. */
  updateOne(filter: Filter, update: Update): Promise<boolean>;
  upsert(filter: Filter, update: Update): Promise<void>;
  /** The document as it is afterwards. */
  findOneAndUpdate(filter: Filter, update: Update | readonly Update[]): Promise<T | null>;
  /** The same, of a document that is made where there is none. */
  findOneAndUpsert(filter: Filter, update: Update): Promise<T | null>;
  /** Says how many were changed. */
  updateMany(filter: Filter, update: Update): Promise<number>;
  /** False where no document fits. */
  deleteOne(filter: Filter): Promise<boolean>;
  /** Says how many were deleted. */
  deleteMany(filter: Filter): Promise<number>;
  /** Counts no further than `limit`. */
  count(filter: Filter, limit: number): Promise<number>;
  aggregate<R>(pipeline: readonly object[]): Promise<R[]>;
}

export function documentsOf<T>(
  { connection, run }: Database,
  collection: Collection<T>,
  extend?: ExtendSchema,
): Documents<T> {
  const model = modelOf(connection, collection, extend);
  const customFields = customFieldsOf(model);
  /** A host that has `sanitizeFilter` on means what comes from requests; the operators here are ours. */
  const ours = (filter: Filter): object => {
    for (const value of Object.values(filter)) {
      if (typeof value !== 'object' || value === null || value instanceof Date) continue;
      connection.base.trusted(value);
      if (Array.isArray(value)) value.forEach((item) => typeof item === 'object' && ours(item as Filter));
    }
    return filter;
  };

  const insert = insertOf(model);
  const insertAll = (documents: readonly T[]) => isNew(run(() => insert(documents, INSERTING)));

  return {
    model,
    customFields,
    findOne: (filter, projection) =>
      run(() => model.findOne(ours(filter), projection, LEAN).exec() as Promise<T | null>),
    find: (filter, { projection, ...part } = {}) =>
      run(() => model.find(ours(filter), projection, { ...LEAN, ...part }).exec() as Promise<T[]>),
    insert: (document) => insertAll([document]),
    insertAll: async (documents) => void (await insertAll(documents)),
    async save(document) {
      const created = new model(document);
      try {
        await run((): Promise<unknown> => created.save(ALONE));
        return created.toObject(PLAIN) as T;
      } catch (error) {
        const isOurs = !customFields.includes(duplicateField(error) ?? '');
        if (isDuplicateKey(error) && isOurs) return null;
        throw error;
      }
    },
    async updateOne(filter, update) {
      const result = await run(() => model.updateOne(ours(filter), update, ALONE).exec());
      return result.matchedCount === 1;
    },
    async upsert(filter, update) {
      await run(() => model.updateOne(ours(filter), update, { ...ALONE, upsert: true }).exec());
    },
    findOneAndUpdate: (filter, update) =>
      run(
        () =>
          model
            .findOneAndUpdate(ours(filter), update as Update, {
              ...LEAN,
              returnDocument: 'after',
              ...(customFields.length > 0 && { runValidators: true }),
              ...(Array.isArray(update) && { updatePipeline: true }),
            })
            .exec() as Promise<T | null>,
      ),
    findOneAndUpsert: (filter, update) =>
      run(
        () =>
          model
            .findOneAndUpdate(ours(filter), update, { ...LEAN, upsert: true, returnDocument: 'after' })
            .exec() as Promise<T | null>,
      ),
    async updateMany(filter, update) {
      const result = await run(() => model.updateMany(ours(filter), update, ALONE).exec());
      return result.modifiedCount;
    },
    async deleteOne(filter) {
      const result = await run(() => model.deleteOne(ours(filter), ALONE).exec());
      return result.deletedCount === 1;
    },
    async deleteMany(filter) {
      const result = await run(() => model.deleteMany(ours(filter), ALONE).exec());
      return result.deletedCount;
    },
    count: (filter, limit) => run(() => model.countDocuments(ours(filter), { ...ALONE, limit }).exec()),
    aggregate: <R>(pipeline: readonly object[]) =>
      run(() =>
        model
          .aggregate<R>(pipeline as never)
          .option({ ...ALONE, readPreference: READ_PREFERENCE, readConcern: READ_CONCERN } as never)
          .exec(),
      ),
  };
}

/** As it is stored, whatever the host has set for how documents are shown. */
const PLAIN = { getters: false, virtuals: false, flattenMaps: true, transform: false } as const;

async function isNew(inserted: Promise<unknown>): Promise<boolean> {
  try {
    await inserted;
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

/**
 * Resolves when the indexes of a model are there. Mongoose by itself builds none where the host has switched that off,
 * and none on a connection that reads from secondaries.
 */
export async function buildIndexes(model: {
  init(): Promise<unknown>;
  createIndexes(): Promise<void>;
}): Promise<void> {
  await model.init();
  await model.createIndexes();
}

/** One aggregation over a collection that answers a pipeline of each of several ids, each of which uses an index. */
export function eachOf(
  collection: string,
  [first, ...others]: readonly string[],
  pipelineOf: (id: string) => readonly object[],
): object[] {
  if (first === undefined) throw new RangeError('an aggregation of no ids');
  return [
    ...pipelineOf(first),
    ...others.map((id) => ({ $unionWith: { coll: collection, pipeline: pipelineOf(id) } })),
  ];
}
