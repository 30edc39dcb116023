import type { Model, mongo } from 'mongoose';

import { lazy } from '../../shared/lazy.js';
import { batch } from './batch.js';
import { type Database, duplicateField, isDuplicateKey } from './database.js';
import {
  type CollectionDefinition,
  customFieldsOf,
  modelOf,
  READ_CONCERN,
  READ_PREFERENCE,
  WRITE_CONCERN,
} from './model.js';

/**
 * For every operation: nothing here is part of a transaction that the site has open around a request, and answers are
 * values of JavaScript, whatever the connection says for the site's own operations.
 */
export const NO_SESSION: OperationOptions = { session: null as never, promoteValues: true, raw: false };
interface OperationOptions {
  readonly session?: mongo.ClientSession;
  readonly promoteValues?: boolean;
  readonly raw?: boolean;
}
/** Also for operations that bypass the schema, which has the other options. */
const READ_OPTIONS = { ...NO_SESSION, readPreference: READ_PREFERENCE, readConcern: READ_CONCERN } as const;
const WRITE_OPTIONS = { ...NO_SESSION, writeConcern: WRITE_CONCERN } as const;
/**
 * Unordered, so that documents that exist already do not keep the others from being inserted. What is undefined is left
 * out, not stored as null.
 */
const INSERT_OPTIONS = { ...WRITE_OPTIONS, ordered: false, ignoreUndefined: true } as const;

export type Filter = Readonly<Record<string, unknown>>;
type Update = Readonly<Record<string, unknown>>;
type Projection = Readonly<Record<string, 0 | 1>>;

/** A part of what a collection has. */
export interface FindOptions {
  readonly sort?: Readonly<Record<string, 1 | -1>>;
  readonly limit?: number;
  readonly projection?: Projection | undefined;
}

/** Documents that are read or changed by one command, if there may be any number. */
const BATCH = 200;
/** The key of reads of whole documents. */
const WHOLE = {};

/**
 * The plain documents of a collection, through its model. Each operation is one command to MongoDB, except that reads
 * by id and inserts of the same moment share one (batch.ts).
 *
 * The operations that come with every request use the model's own collection instead of Mongoose, whose casts and
 * queries our values do not need. `mongoose.set('debug')` sees them as well. CPU time that they save: a read 66 of
 * 396 µs, an insert 90 of 350 µs, an update 200 of 480 µs (measured in November 2026).
 */
export class Collection<T> {
  /** Made at its first use: the collection of a feature that is off is not made. */
  readonly #open = lazy(() => {
    const model = modelOf(this.database.connection, this.definition);
    return { model, canBypass: canBypassMongoose(model), customFields: customFieldsOf(model) };
  });
  /** By the projection, whose identity counts. */
  readonly #readers = new WeakMap<object, (id: string) => Promise<T | null>>();
  readonly #insertBatched = batch((documents: readonly T[]) =>
    this.database.execute((signal) => insertEach(this.model, documents, { ...INSERT_OPTIONS, signal })),
  );

  constructor(
    private readonly database: Database,
    private readonly definition: CollectionDefinition<T>,
  ) {}

  get name(): string {
    return this.definition.name;
  }

  get model(): Model<T> {
    return this.#open().model;
  }

  /** The names of the site's own fields. */
  get customFields(): readonly string[] {
    return this.#open().customFields;
  }

  /** If only the `_id` is given, others who ask at the same moment get the same object: do not change it. */
  async findOne(filter: Filter, projection?: Projection): Promise<T | null> {
    const { model, canBypass } = this.#open();
    const isNative = canBypass('findOne');
    const { _id: id } = filter;
    if (isNative && typeof id === 'string' && Object.keys(filter).length === 1) {
      const key = projection ?? WHOLE;
      const reader =
        this.#readers.get(key) ??
        batch((ids: readonly string[]) =>
          this.database.execute((signal) => findByIds(model, ids, { ...READ_OPTIONS, projection, signal })),
        );
      this.#readers.set(key, reader);
      return reader(id);
    }
    const trusted = this.#trusted(filter);
    return this.database.execute((signal) =>
      isNative
        ? (model.collection.findOne(trusted, { ...READ_OPTIONS, projection, signal }) as Promise<T | null>)
        : model.findOne(trusted, projection, { ...READ_OPTIONS, signal, lean: true }).exec(),
    );
  }

  async find(filter: Filter, { projection, ...part }: FindOptions = {}): Promise<T[]> {
    const trusted = this.#trusted(filter);
    return this.database.execute((signal) =>
      this.model.find(trusted, projection, { ...NO_SESSION, signal, lean: true, ...part }).exec(),
    );
  }

  /**
   * The ids of the documents that fit, in batches, each with the time of a command of its own. The documents of a batch
   * may be changed before the next one is read.
   */
  async *findIds(filter: Filter): AsyncGenerator<unknown[]> {
    const isOfAll = Object.keys(filter).length === 0;
    // a whole collection is read by the index of its ids
    const options = { ...NO_SESSION, batchSize: BATCH, lean: true, ...(isOfAll && { sort: { _id: 1 } }) };
    const cursor = this.model.find(this.#trusted(filter), { _id: 1 }, options as object).cursor();
    try {
      for (let batch: unknown[] = [BATCH]; batch.length > 0;) {
        batch = await this.database.execute(async () => {
          const ids: unknown[] = [];
          for (let found; ids.length < BATCH && (found = await cursor.next());) ids.push(found._id);
          return ids;
        });
        if (batch.length > 0) yield batch;
      }
    } finally {
      // nobody waits for a database that does not answer
      void cursor.close().catch(() => undefined);
    }
  }

  /** Counts no further than `limit`. */
  count(filter: Filter, limit: number): Promise<number> {
    return this.#execute(filter, (trusted, options) =>
      this.model.countDocuments(trusted, { ...options, limit }).exec(),
    );
  }

  aggregate<R>(pipeline: readonly object[]): Promise<R[]> {
    return this.database.execute((signal) =>
      this.model
        .aggregate<R>(pipeline as never)
        .option({ ...READ_OPTIONS, signal })
        .exec(),
    );
  }

  /**
   * Inserts a document of ours, whose values need no casting: `save` makes a document of
   * Mongoose first, which costs 125 to 160 µs of CPU more (measured in November 2026). False if its id or another key
   * is taken.
   */
  async insert(document: T): Promise<boolean> {
    return this.#open().canBypass('insertMany') ? this.#insertBatched(document) : this.insertAll([document]);
  }

  /**
   * The same for several, some of which may exist already; false if one does. Through the model, so that hooks and
   * plugins of the site run. If the site has fields in it, each is made a document of Mongoose first: a plugin that finds
   * by a field whose default is missing would find nothing of ours. It is validated here, too: an unordered `insertMany`
   * of Mongoose would leave out what is not valid, without a word.
   */
  async insertAll(given: readonly T[]): Promise<boolean> {
    const withDefaults = async (document: T) => {
      const created = new this.model(document);
      await created.validate();
      return created.toObject(AS_STORED) as T;
    };
    const documents = this.customFields.length === 0 ? given : await Promise.all(given.map(withDefaults));
    try {
      await this.database.execute((signal) =>
        this.model.insertMany(documents as never, { ...INSERT_OPTIONS, signal, lean: true } as never),
      );
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  /** What the site's fields are in a new document: to a pipeline Mongoose adds no defaults of the schema. */
  #customDefaults(): readonly Update[] {
    if (this.customFields.length === 0) return [];
    const made = new this.model().toObject(AS_STORED) as Readonly<Record<string, unknown>>;
    const fields = Object.entries(made).filter(([name]) => this.customFields.includes(name));
    return fields.map(([name, value]) => ({
      $set: { [name]: { $ifNull: [`$${name}`, { $literal: value }] } },
    }));
  }

  /**
   * Inserts a document in which the site may have a say, with `save`, so that defaults, casts, validators and hooks
   * apply. Null if its id or another key of ours is taken.
   */
  save(document: T): Promise<T | null> {
    return this.database.execute(async () => {
      const created = new this.model(document);
      try {
        await created.save(NO_SESSION);
        return created.toObject(AS_STORED) as T;
      } catch (error) {
        // Mongoose passes no `raw: false` on: with `raw: true` of the connection the refusal is not decoded
        const { errorResponse } = error as { readonly errorResponse?: unknown };
        const { BSON } = this.database.connection.base.mongo;
        if (Buffer.isBuffer(errorResponse)) {
          const refusal = BSON.deserialize(errorResponse) as Record<string, unknown>;
          Object.assign(error as Error, {
            code: refusal.code,
            keyPattern: refusal.keyPattern,
            message: refusal.errmsg,
          });
        }
        const field = duplicateField(error);
        // some servers do not say which key it is
        const isOwn =
          field === undefined ? this.customFields.length === 0 : !this.customFields.includes(field);
        if (isDuplicateKey(error) && isOwn) return null;
        throw error;
      }
    });
  }

  /** False if no document fits. */
  async updateOne(filter: Filter, update: Update): Promise<boolean> {
    const trusted = this.#trusted(filter);
    const { model, canBypass } = this.#open();
    const { matchedCount } = await this.database.execute((signal) => {
      const options = { ...WRITE_OPTIONS, signal };
      return canBypass('updateOne')
        ? // as Mongoose does: what is undefined is left out, not stored as null
          model.collection.updateOne(trusted, update, { ...options, ignoreUndefined: true })
        : model.updateOne(trusted, update, options).exec();
    });
    return matchedCount === 1;
  }

  async upsert(filter: Filter, update: Update): Promise<void> {
    await this.#execute(filter, (trusted, options) =>
      this.model.updateOne(trusted, update, { ...options, upsert: true }).exec(),
    );
  }

  /** The document as it is afterwards; with `upsert` one is made if there is none. */
  findOneAndUpdate(filter: Filter, update: Update | readonly Update[], { upsert = false } = {}) {
    const isPipeline = Array.isArray(update);
    const complete =
      upsert && isPipeline ? [...(update as readonly Update[]), ...this.#customDefaults()] : update;
    return this.#execute(
      filter,
      (trusted, options) =>
        this.model
          .findOneAndUpdate(trusted, complete, {
            ...options,
            lean: true,
            returnDocument: 'after',
            runValidators: this.customFields.length > 0 || undefined,
            upsert,
            updatePipeline: isPipeline,
          })
          .exec() as Promise<T | null>,
    );
  }

  /** Resolves to how many were changed. */
  async updateMany(filter: Filter, update: Update | readonly Update[]): Promise<number> {
    const { modifiedCount } = await this.#execute(filter, (trusted, options) =>
      this.model
        .updateMany(trusted, update as Update, { ...options, updatePipeline: Array.isArray(update) })
        .exec(),
    );
    return modifiedCount;
  }

  /** False if no document fits. */
  async deleteOne(filter: Filter): Promise<boolean> {
    const { deletedCount } = await this.#execute(filter, (trusted, options) =>
      this.model.deleteOne(trusted, options).exec(),
    );
    return deletedCount === 1;
  }

  /** Resolves to how many were deleted. */
  async deleteMany(filter: Filter): Promise<number> {
    const { deletedCount } = await this.#execute(filter, (trusted, options) =>
      this.model.deleteMany(trusted, options).exec(),
    );
    return deletedCount;
  }

  /** The driver obeys the signal in all operations; its types have it only for reads. */
  async #execute<R>(
    filter: Filter,
    command: (
      trusted: object,
      options: OperationOptions & { readonly signal: AbortSignal },
    ) => PromiseLike<R>,
  ): Promise<R> {
    const trusted = this.#trusted(filter);
    return this.database.execute((signal) => command(trusted, { ...NO_SESSION, signal }));
  }

  /**
   * A connection with `ignoreUndefined` would drop an undefined condition, and find everybody's documents. A site that
   * turns `sanitizeFilter` on means what comes from requests; the operators here are ours.
   */
  #trusted(filter: Filter): object {
    for (const [name, value] of Object.entries(filter)) {
      if (value === undefined) throw new TypeError(`a filter of ${this.name} has no value for ${name}`);
      if (typeof value !== 'object' || value === null || value instanceof Date) continue;
      this.database.connection.base.trusted(value);
      if (Array.isArray(value))
        value.forEach((item) => typeof item === 'object' && this.#trusted(item as Filter));
    }
    return filter;
  }
}

/** As it is stored, whatever the site has set for how documents are shown. */
const AS_STORED = { getters: false, virtuals: false, flattenMaps: true, transform: false } as const;

const OPERATIONS = ['findOne', 'insertMany', 'updateOne'] as const;
type Operation = (typeof OPERATIONS)[number];

/** Tells whether an operation may bypass Mongoose now: unless the site has a part in it. */
function canBypassMongoose<T>(model: Model<T>): (operation: Operation) => boolean {
  // Mongoose has no public API for the hooks of a schema: an operation that it tells nothing about counts as hooked
  const { hooks } = (model.schema as { s?: { hooks?: Hooks } }).s ?? {};
  // every schema has a hook of Mongoose's own for `document.updateOne()`, of which there is none here
  const ofQueries = hooks?.filter?.(
    ({ document, query }) => query === true || (query === undefined && document === undefined),
  );
  // only its schema knows how a field of the site is read or cast (`select`, for example), and which default it has
  const hasCustomFields = customFieldsOf(model).length > 0;
  const unhooked = OPERATIONS.filter((operation) => {
    const relevant = operation === 'insertMany' ? hooks : ofQueries;
    return !hasCustomFields && relevant?.hasHooks?.(operation) === false;
  });
  const { Model: original } = model.base;
  // a schema is fixed once there is a model, but its functions can be replaced at any time
  return (operation) => unhooked.includes(operation) && model[operation] === original[operation];
}

/** The hooks of a schema, as far as they are read here. */
interface Hooks {
  readonly hasHooks?: (operation: string) => boolean;
  /** By what a hook is for; if neither is set, it is for queries. */
  readonly filter?: (predicate: (hook: { document?: boolean; query?: boolean }) => boolean) => Hooks;
}

/** The documents with these ids, in their order; null for an id that has none. */
async function findByIds<T>(
  { collection }: Model<T>,
  ids: readonly string[],
  options: mongo.FindOptions & mongo.Abortable,
): Promise<(T | null)[]> {
  const distinct = [...new Set(ids)];
  const [first] = distinct;
  if (distinct.length === 1) {
    const document = (await collection.findOne({ _id: first } as object, options)) as T | null;
    return ids.map(() => document);
  }
  const found = await collection.find({ _id: { $in: distinct } } as object, options).toArray();
  const byId = new Map(found.map((document) => [String(document._id), document as T]));
  return ids.map((id) => byId.get(id) ?? null);
}

/**
 * Inserts documents that do not belong together; false for each whose id or other key is taken. The driver makes a bulk
 * write of anything given to `insertMany`, so a single one goes by `insertOne`.
 */
async function insertEach<T>(
  { collection }: Model<T>,
  documents: readonly T[],
  options: mongo.BulkWriteOptions & mongo.Abortable,
): Promise<boolean[]> {
  const [first] = documents;
  const isSingle = documents.length === 1;
  try {
    if (isSingle) await collection.insertOne(first as never, options);
    else await collection.insertMany(documents as never, options);
    return documents.map(() => true);
  } catch (error) {
    const taken = isSingle && isDuplicateKey(error) ? new Set([0]) : takenIn(error);
    if (taken === undefined) throw error;
    return documents.map((_document, index) => !taken.has(index));
  }
}

/** The indexes of the documents whose keys are taken, if nothing else was wrong. */
function takenIn(error: unknown): ReadonlySet<number> | undefined {
  const { writeErrors, result } = error as Partial<mongo.MongoBulkWriteError>;
  // none at all if the command as a whole was refused
  if (!Array.isArray(writeErrors) || writeErrors.length === 0) return undefined;
  const all = writeErrors as readonly mongo.WriteError[];
  const isAll = all.every(isDuplicateKey) && result?.getWriteConcernError() === undefined;
  return isAll ? new Set(all.map(({ index }) => index)) : undefined;
}
