import type { Model, mongo } from 'mongoose';

import { once } from '../once.js';
import type { ExtendSchema } from '../settings/schema-options.js';
import { type Database, isDuplicateKey } from './database.js';
import { gather } from './gather.js';
import { gatherReads } from './gathered-reads.js';
import { type Collection, customFieldsOf, modelOf } from './model-of.js';
import { duplicateField } from './schema-problem.js';
import {
  type FindByIds,
  findByIdsOf,
  type FindOne,
  findOneOf,
  type InsertEach,
  insertEachOf,
  plainInsertsOf,
  plainReadsOf,
  type UpdateOne,
  updateOneOf,
} from './unhooked.js';

/**
 * Reads from the primary and writes to the majority, whatever the host's connection string says for its own data: a
 * used code and a revoked token must be known to everyone, even after a failover.
 */
export const READ_PREFERENCE = 'primary';
const READ_CONCERN = { level: 'local' } as const;
const WRITE_CONCERN = { w: 'majority' } as const;

/** For every schema here. Empty objects are kept: `{}` does not mean the same as nothing. */
export const SCHEMA_OPTIONS = {
  versionKey: false,
  minimize: false,
  read: READ_PREFERENCE,
  readConcern: READ_CONCERN,
  writeConcern: WRITE_CONCERN,
} as const;

/** For every operation: nothing here is part of a transaction that the host has open around a request. */
const ALONE: { readonly session?: mongo.ClientSession } = { session: null as never };
/** Also for operations that bypass the schema, which has the other options. */
const READING = { ...ALONE, readPreference: READ_PREFERENCE, readConcern: READ_CONCERN } as const;
const WRITING = { ...ALONE, writeConcern: WRITE_CONCERN } as const;
/** Unordered, so that documents that exist already do not keep the others from being inserted. */
const INSERTING = { ...WRITING, ordered: false } as const;

/** A part of what a collection has. */
export interface Part {
  readonly sort?: Readonly<Record<string, 1 | -1>>;
  readonly limit?: number;
  readonly projection?: Readonly<Record<string, 0 | 1>>;
}

/** The driver obeys the signal in all operations; its types have it only for reads. */
function alone(signal: AbortSignal): typeof ALONE & { readonly signal: AbortSignal } {
  return { ...ALONE, signal };
}

type Filter = Readonly<Record<string, unknown>>;
type Update = Readonly<Record<string, unknown>>;

/**
 * The plain documents of a collection, through its model. Each operation is one command to MongoDB, except that reads
 * by id and inserts of the same moment share one (see gather.ts).
 */
export interface Documents<T> {
  readonly model: Model<T>;
  /** The names of the host's own fields. */
  readonly customFields: readonly string[];
  /** If only the `_id` is given, others who ask at the same moment get the same object: do not change it. */
  findOne(filter: Filter, projection?: Part['projection']): Promise<T | null>;
  find(filter: Filter, part?: Part): Promise<T[]>;
  /**
   * Inserts a document of ours, whose values need no casting (see unhooked.ts): `save` makes a document of Mongoose
   * first, which costs 125 to 160 µs of CPU more (npm run bench -- --commands). False if its id or another key is
   * taken.
   */
  insert(document: T): Promise<boolean>;
  /** The same for several, some of which may exist already. */
  insertAll(documents: readonly T[]): Promise<void>;
  /**
   * Inserts a document in which the host may have a say, with `save`, so that defaults, casts, validators and hooks
   * apply.
   */
  save(document: T): Promise<T | null>;
  /** False if no document fits. */
  updateOne(filter: Filter, update: Update): Promise<boolean>;
  upsert(filter: Filter, update: Update): Promise<void>;
  /** The document as it is afterwards. */
  findOneAndUpdate(filter: Filter, update: Update | readonly Update[]): Promise<T | null>;
  /** The same; makes the document if there is none. */
  findOneAndUpsert(filter: Filter, update: Update): Promise<T | null>;
  /** Resolves to how many were changed. */
  updateMany(filter: Filter, update: Update | readonly Update[]): Promise<number>;
  /** False if no document fits. */
  deleteOne(filter: Filter): Promise<boolean>;
  /** Resolves to how many were deleted. */
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
  // the collection of a feature that is off is not made
  const made = once((): Made<T> => {
    const model = modelOf(connection, collection, extend);
    return {
      model,
      customFields: customFieldsOf(model),
      hasPlainReads: plainReadsOf(model),
      findOne: findOneOf(model),
      findByIds: findByIdsOf(model),
      hasPlainInserts: plainInsertsOf(model),
      insertEach: insertEachOf(model),
      updateOne: updateOneOf(model),
    };
  });
  const access: Access<T> = {
    made,
    run: (operation) => run((signal) => operation(made(), signal)),
    ours: (filter) => {
      checkFilter(filter, collection.name);
      return trusted(connection, filter);
    },
  };
  return {
    get model() {
      return made().model;
    },
    get customFields() {
      return made().customFields;
    },
    ...reading(access),
    ...inserting(access),
    ...changing(access),
  };
}

interface Made<T> {
  readonly model: Model<T>;
  readonly customFields: readonly string[];
  readonly hasPlainReads: () => boolean;
  readonly findOne: FindOne<T>;
  readonly findByIds: FindByIds<T>;
  readonly hasPlainInserts: () => boolean;
  readonly insertEach: InsertEach<T>;
  readonly updateOne: UpdateOne;
}

interface Access<T> {
  readonly made: () => Made<T>;
  /** Runs one operation of the model. */
  readonly run: <R>(operation: (made: Made<T>, signal: AbortSignal) => PromiseLike<R>) => Promise<R>;
  readonly ours: (filter: Filter) => object;
}

/** A connection with `ignoreUndefined` would drop an undefined condition, and find everybody's documents. */
function checkFilter(filter: Filter, collection: string): void {
  for (const name of Object.keys(filter))
    if (filter[name] === undefined) throw new TypeError(`a filter of ${collection} has no value for ${name}`);
}

/** A host that turns `sanitizeFilter` on means what comes from requests; the operators here are ours. */
function trusted(connection: Database['connection'], filter: Filter): object {
  for (const name of Object.keys(filter)) {
    const value = filter[name];
    if (typeof value !== 'object' || value === null || value instanceof Date) continue;
    connection.base.trusted(value);
    if (Array.isArray(value))
      value.forEach((item) => typeof item === 'object' && trusted(connection, item as Filter));
  }
  return filter;
}

type Reading<T> = Pick<Documents<T>, 'findOne' | 'find' | 'count' | 'aggregate'>;

function reading<T>({ made, run, ours }: Access<T>): Reading<T> {
  const findAlone = (filter: Filter, projection: Part['projection']) =>
    run(({ findOne }, signal) =>
      findOne(ours(filter), { ...READING, ...(projection && { projection }), signal }),
    );
  const findById = gatherReads<T>((ids, projection) =>
    run(({ findByIds }, signal) => findByIds(ids, { ...READING, ...(projection && { projection }), signal })),
  );
  return {
    async findOne(filter, projection) {
      const { _id: id } = filter;
      return typeof id === 'string' && Object.keys(filter).length === 1 && made().hasPlainReads()
        ? findById(id, projection)
        : findAlone(filter, projection);
    },
    find: (filter, { projection, ...part } = {}) =>
      run(
        ({ model }, signal) =>
          model.find(ours(filter), projection, { ...alone(signal), lean: true, ...part }).exec() as Promise<
            T[]
          >,
      ),
    count: (filter, limit) =>
      run(({ model }, signal) => model.countDocuments(ours(filter), { ...alone(signal), limit }).exec()),
    aggregate: <R>(pipeline: readonly object[]) =>
      run(({ model }, signal) =>
        model
          .aggregate<R>(pipeline as never)
          .option({ ...alone(signal), readPreference: READ_PREFERENCE, readConcern: READ_CONCERN } as never)
          .exec(),
      ),
  };
}

type Inserting<T> = Pick<Documents<T>, 'insert' | 'insertAll' | 'save'>;

function inserting<T>({ made, run }: Access<T>): Inserting<T> {
  // through the model, so that hooks and plugins of the host run
  const insertAll = (documents: readonly T[]) =>
    isNew(
      run(({ model }, signal) =>
        model.insertMany(documents as never, { ...INSERTING, signal, lean: true } as never),
      ),
    );
  const insertGathered = gather((documents: readonly T[]) =>
    run(({ insertEach }, signal) => insertEach(documents, { ...INSERTING, signal })),
  );
  return {
    insert: async (document) =>
      made().hasPlainInserts() ? (await insertGathered(document)).has(document) : insertAll([document]),
    insertAll: async (documents) => void (await insertAll(documents)),
    save: (document) =>
      run(async ({ model, customFields }) => {
        const created = new model(document);
        try {
          await created.save(ALONE);
          return created.toObject(PLAIN) as T;
        } catch (error) {
          const isOurs = !customFields.includes(duplicateField(error) ?? '');
          if (isDuplicateKey(error) && isOurs) return null;
          throw error;
        }
      }),
  };
}

type Changing<T> = Omit<Documents<T>, keyof Reading<T> | keyof Inserting<T> | 'model' | 'customFields'>;

function changing<T>({ run, ours }: Access<T>): Changing<T> {
  const findOneAndUpdate = (filter: Filter, update: Update | readonly Update[], options: object) =>
    run(
      ({ model, customFields }, signal) =>
        model
          .findOneAndUpdate(ours(filter), update as Update, {
            ...alone(signal),
            lean: true,
            returnDocument: 'after',
            ...(customFields.length > 0 && { runValidators: true }),
            ...options,
          })
          .exec() as Promise<T | null>,
    );

  return {
    async updateOne(filter, update) {
      const result = await run(({ updateOne }, signal) =>
        updateOne(ours(filter), update, { ...WRITING, signal }),
      );
      return result.matchedCount === 1;
    },
    async upsert(filter, update) {
      await run(({ model }, signal) =>
        model.updateOne(ours(filter), update, { ...alone(signal), upsert: true }).exec(),
      );
    },
    findOneAndUpdate: (filter, update) => findOneAndUpdate(filter, update, pipelineOf(update)),
    findOneAndUpsert: (filter, update) => findOneAndUpdate(filter, update, { upsert: true }),
    async updateMany(filter, update) {
      const result = await run(({ model }, signal) =>
        model.updateMany(ours(filter), update as Update, { ...alone(signal), ...pipelineOf(update) }).exec(),
      );
      return result.modifiedCount;
    },
    async deleteOne(filter) {
      const result = await run(({ model }, signal) => model.deleteOne(ours(filter), alone(signal)).exec());
      return result.deletedCount === 1;
    },
    async deleteMany(filter) {
      const result = await run(({ model }, signal) => model.deleteMany(ours(filter), alone(signal)).exec());
      return result.deletedCount;
    },
  };
}

/** Mongoose must be told that a list is meant as a pipeline. */
function pipelineOf(update: Update | readonly Update[]): { readonly updatePipeline?: true } {
  return Array.isArray(update) ? { updatePipeline: true } : {};
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

/** One aggregation over a collection that runs a pipeline for each id, so that each uses an index. */
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
