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
 * The options of every operation: outside any transaction of the site around a request, and with JavaScript values,
 * even if the connection has other options for the site's operations.
 */
export const NO_SESSION: OperationOptions = { session: null as never, promoteValues: true, raw: false };
interface OperationOptions {
  readonly session?: mongo.ClientSession;
  readonly promoteValues?: boolean;
  readonly raw?: boolean;
}
/** The same guarantees for operations that bypass the schema, which sets them for the others. */
const READ_OPTIONS = { ...NO_SESSION, readPreference: READ_PREFERENCE, readConcern: READ_CONCERN } as const;
const WRITE_OPTIONS = { ...NO_SESSION, writeConcern: WRITE_CONCERN } as const;
/**
 * Unordered, so that existing documents do not prevent the insert of others. Undefined members are left out, not stored
 * as null.
 */
const INSERT_OPTIONS = { ...WRITE_OPTIONS, ordered: false, ignoreUndefined: true } as const;

export type Filter = Readonly<Record<string, unknown>>;
type Update = Readonly<Record<string, unknown>>;
type Projection = Readonly<Record<string, 0 | 1>>;

/** Sorts, limits and projects a query. */
export interface FindOptions {
  readonly sort?: Readonly<Record<string, 1 | -1>>;
  readonly limit?: number;
  readonly projection?: Projection | undefined;
}

/** Documents that one command reads or changes, if there may be any number. */
const BATCH = 200;
/** The key of reads of whole documents. */
const WHOLE = {};

/**
 * The plain documents of a collection, through its model. Each operation is one command to MongoDB, except that
 * concurrent reads by id and inserts share one (batch.ts).
 *
 * The operations of every request use the model's native collection instead of Mongoose, whose casts and queries this
 * package's values do not need. `mongoose.set('debug')` reports them as well. CPU time saved: a read 66 of 396 µs, an
 * insert 90 of 350 µs, an update 200 of 480 µs (measured in November 2026).
 */
export class Collection<T> {
  /** Made at its first use: the collection of a disabled feature is never made. */
  readonly #open = lazy(() => {
    const model = modelOf(this.database.connection, this.definition);
    return { model, canBypass: canBypassMongoose(model), customFields: customFieldsOf(model) };
  });
  /** By the projection, compared by identity. */
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

  /** The names of the site's fields. */
  get customFields(): readonly string[] {
    return this.#open().customFields;
  }

  /** For a filter of `_id` alone, concurrent callers get the same object: do not change it. */
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
   * The ids of matching documents, in batches, each within the time of one command. The documents of a batch may be
   * changed before the next batch is read.
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
          for (let next; ids.length < BATCH && (next = await cursor.next());) ids.push(next._id);
          return ids;
        });
        if (batch.length > 0) yield batch;
      }
    } finally {
      // not awaited: the database may not respond
      void cursor.close().catch(() => undefined);
    }
  }

  /** Counts up to `limit`. */
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
   * Inserts a document of this package, whose values need no casting: `save` would make a Mongoose document first,
   * which costs 125 to 160 µs of CPU more (measured in November 2026). False if the id or another unique key is taken.
   */
  async insert(document: T): Promise<boolean> {
    return this.#open().canBypass('insertMany') ? this.#insertBatched(document) : this.insertAll([document]);
  }

  /**
   * Inserts several documents, some of which may exist already; false if one does. Through the model, so that hooks and
   * plugins of the site run. If the site has added fields, each document is made by Mongoose first: a plugin that
   * queries a field would not find documents without its default. They are also validated here: an unordered
   * `insertMany` of Mongoose would silently drop invalid ones.
   */
  async insertAll(items: readonly T[]): Promise<boolean> {
    const withDefaults = async (document: T) => {
      const created = new this.model(document);
      await created.validate();
      return created.toObject(AS_STORED) as T;
    };
    const documents = this.customFields.length === 0 ? items : await Promise.all(items.map(withDefaults));
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

  /** The defaults of the site's fields for a new document: Mongoose adds no defaults of the schema to a pipeline. */
  #customDefaults(): readonly Update[] {
    if (this.customFields.length === 0) return [];
    const made = new this.model().toObject(AS_STORED) as Readonly<Record<string, unknown>>;
    const fields = Object.entries(made).filter(([name]) => this.customFields.includes(name));
    return fields.map(([name, value]) => ({
      $set: { [name]: { $ifNull: [`$${name}`, { $literal: value }] } },
    }));
  }

  /**
   * Inserts a document with possible fields of the site by `save`, so that defaults, casts, validators and hooks apply.
   * Null if the id or another unique key of this package is taken.
   */
  save(document: T): Promise<T | null> {
    return this.database.execute(async () => {
      const created = new this.model(document);
      try {
        await created.save(NO_SESSION);
        return created.toObject(AS_STORED) as T;
      } catch (error) {
        // Mongoose does not pass on `raw: false`: with `raw: true` of the connection the refusal is not decoded
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
        // some servers do not name the key
        const isOwn =
          field === undefined ? this.customFields.length === 0 : !this.customFields.includes(field);
        if (isDuplicateKey(error) && isOwn) return null;
        throw error;
      }
    });
  }

  /** False if no document matches. */
  async updateOne(filter: Filter, update: Update): Promise<boolean> {
    const trusted = this.#trusted(filter);
    const { model, canBypass } = this.#open();
    const { matchedCount } = await this.database.execute((signal) => {
      const options = { ...WRITE_OPTIONS, signal };
      return canBypass('updateOne')
        ? // as Mongoose does: undefined members are left out, not stored as null
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

  /** Returns the changed document; with `upsert` a missing one is inserted. */
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

  /** Resolves to the number of changed documents. */
  async updateMany(filter: Filter, update: Update | readonly Update[]): Promise<number> {
    const { modifiedCount } = await this.#execute(filter, (trusted, options) =>
      this.model
        .updateMany(trusted, update as Update, { ...options, updatePipeline: Array.isArray(update) })
        .exec(),
    );
    return modifiedCount;
  }

  /** False if no document matches. */
  async deleteOne(filter: Filter): Promise<boolean> {
    const { deletedCount } = await this.#execute(filter, (trusted, options) =>
      this.model.deleteOne(trusted, options).exec(),
    );
    return deletedCount === 1;
  }

  /** Resolves to the number of deleted documents. */
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
   * A connection with `ignoreUndefined` would drop an undefined condition, and match everybody's documents. A site's
   * `sanitizeFilter` is for input from requests; the operators here are this package's.
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

/** The stored form, whatever the site's options for the display of documents. */
const AS_STORED = { getters: false, virtuals: false, flattenMaps: true, transform: false } as const;

const OPERATIONS = ['findOne', 'insertMany', 'updateOne'] as const;
type Operation = (typeof OPERATIONS)[number];

/** Whether an operation may bypass Mongoose now: not if the site has hooks or fields for it. */
function canBypassMongoose<T>(model: Model<T>): (operation: Operation) => boolean {
  // Mongoose has no public API for the hooks of a schema: without information an operation counts as hooked
  const { hooks } = (model.schema as { s?: { hooks?: Hooks } }).s ?? {};
  // every schema has a hook of Mongoose for `document.updateOne()`, which is not used here
  const ofQueries = hooks?.filter?.(
    ({ document, query }) => query === true || (query === undefined && document === undefined),
  );
  // only the schema knows how a field of the site is read or cast (`select`, for example), and its default
  const hasCustomFields = customFieldsOf(model).length > 0;
  const unhooked = OPERATIONS.filter((operation) => {
    const relevant = operation === 'insertMany' ? hooks : ofQueries;
    return !hasCustomFields && relevant?.hasHooks?.(operation) === false;
  });
  const { Model: original } = model.base;
  // a schema is fixed once there is a model, but the model's functions can be replaced at any time
  return (operation) => unhooked.includes(operation) && model[operation] === original[operation];
}

/** The used part of the hooks of a schema. */
interface Hooks {
  readonly hasHooks?: (operation: string) => boolean;
  /** By the hook's target; if neither is set, it is for queries. */
  readonly filter?: (predicate: (hook: { document?: boolean; query?: boolean }) => boolean) => Hooks;
}

/** The documents with these ids, in their order; null for a missing one. */
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
  const documents = await collection.find({ _id: { $in: distinct } } as object, options).toArray();
  const byId = new Map(documents.map((document) => [String(document._id), document as T]));
  return ids.map((id) => byId.get(id) ?? null);
}

/**
 * Inserts independent documents; false for each whose id or other unique key is taken. The driver makes a bulk write of
 * every `insertMany`, so a single document uses `insertOne`.
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

/** The indexes of documents whose keys are taken, if there was no other error. */
function takenIn(error: unknown): ReadonlySet<number> | undefined {
  const { writeErrors, result } = error as Partial<mongo.MongoBulkWriteError>;
  // no write errors if the command as a whole was refused
  if (!Array.isArray(writeErrors) || writeErrors.length === 0) return undefined;
  const all = writeErrors as readonly mongo.WriteError[];
  const isAll = all.every(isDuplicateKey) && result?.getWriteConcernError() === undefined;
  return isAll ? new Set(all.map(({ index }) => index)) : undefined;
}
