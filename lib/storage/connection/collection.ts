import type { Model, mongo } from 'mongoose';

import type { ExtendSchema } from '../../settings/options/schema-options.js';
import { lazy } from '../../shared/lazy.js';
import { type Database, isDuplicateKey } from './database.js';
import {
  type CollectionDefinition,
  customFieldsOf,
  modelOf,
  READ_CONCERN,
  READ_PREFERENCE,
  WRITE_CONCERN,
} from './model.js';
import { batch, canBypassMongoose, findByIds, insertEach } from './native-operations.js';
import { duplicateField } from './schema-problem.js';

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

type Filter = Readonly<Record<string, unknown>>;
type Update = Readonly<Record<string, unknown>>;
type Projection = Readonly<Record<string, 0 | 1>>;

/** A part of what a collection has. */
export interface FindOptions {
  readonly sort?: Readonly<Record<string, 1 | -1>>;
  readonly limit?: number;
  readonly projection?: Projection | undefined;
}

/** The key of reads of whole documents. */
const WHOLE = {};

export function openCollection<T>(
  database: Database,
  collection: CollectionDefinition<T>,
  extend?: ExtendSchema,
): Collection<T> {
  return new Collection(database, collection, extend);
}

/**
 * The plain documents of a collection, through its model. Each operation is one command to MongoDB, except that reads
 * by id and inserts of the same moment share one (`batch` in native-operations.ts).
 */
export class Collection<T> {
  readonly #database: Database;
  readonly name: string;
  /** Made at its first use: the collection of a feature that is off is not made. */
  readonly #open: () => OpenModel<T>;
  /** By the projection, whose identity counts. */
  readonly #readers = new WeakMap<object, (id: string) => Promise<T | null>>();
  readonly #insertBatched = batch((documents: readonly T[]) =>
    this.#database.execute((signal) => insertEach(this.model, documents, { ...INSERT_OPTIONS, signal })),
  );

  constructor(database: Database, collection: CollectionDefinition<T>, extend: ExtendSchema | undefined) {
    this.#database = database;
    this.name = collection.name;
    this.#open = lazy(() => {
      const model = modelOf(database.connection, collection, extend);
      return { model, canBypass: canBypassMongoose(model), customFields: customFieldsOf(model) };
    });
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
          this.#database.execute((signal) =>
            findByIds(model, ids, { ...READ_OPTIONS, ...(projection && { projection }), signal }),
          ),
        );
      this.#readers.set(key, reader);
      return reader(id);
    }
    const trusted = this.#trusted(filter);
    return this.#database.execute((signal) =>
      isNative
        ? (model.collection.findOne(trusted, {
            ...READ_OPTIONS,
            ...(projection && { projection }),
            signal,
          }) as Promise<T | null>)
        : model.findOne(trusted, projection, { ...READ_OPTIONS, signal, lean: true }).exec(),
    );
  }

  async find(filter: Filter, { projection, ...part }: FindOptions = {}): Promise<T[]> {
    const trusted = this.#trusted(filter);
    return this.#database.execute((signal) =>
      this.model.find(trusted, projection, { ...optionsWith(signal), lean: true, ...part }).exec(),
    );
  }

  /** Counts no further than `limit`. */
  async count(filter: Filter, limit: number): Promise<number> {
    const trusted = this.#trusted(filter);
    return this.#database.execute((signal) =>
      this.model.countDocuments(trusted, { ...optionsWith(signal), limit }).exec(),
    );
  }

  aggregate<R>(pipeline: readonly object[]): Promise<R[]> {
    return this.#database.execute((signal) =>
      this.model
        .aggregate<R>(pipeline as never)
        .option({ ...READ_OPTIONS, signal })
        .exec(),
    );
  }

  /**
   * Inserts a document of ours, whose values need no casting (see native-operations.ts): `save` makes a document of
   * Mongoose first, which costs 125 to 160 µs of CPU more (measured in November 2026). False if its id or another key
   * is taken.
   */
  async insert(document: T): Promise<boolean> {
    return this.#open().canBypass('insertMany')
      ? this.#insertBatched(document)
      : this.#insertMany([document]);
  }

  /** The same for several, some of which may exist already. */
  async insertAll(documents: readonly T[]): Promise<void> {
    await this.#insertMany(documents);
  }

  /**
   * Through the model, so that hooks and plugins of the site run. If the site has fields in it, each is made a document
   * of Mongoose first: a plugin that finds by a field whose default is missing would find nothing of ours.
   */
  async #insertMany(given: readonly T[]): Promise<boolean> {
    const documents = this.customFields.length === 0 ? given : await this.#withDefaults(given);
    try {
      await this.#database.execute((signal) =>
        this.model.insertMany(documents as never, { ...INSERT_OPTIONS, signal, lean: true } as never),
      );
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  /** Validated here: an unordered `insertMany` of Mongoose would leave out what is not valid, without a word. */
  #withDefaults(given: readonly T[]): Promise<T[]> {
    return Promise.all(
      given.map(async (document) => {
        const created = new this.model(document);
        await created.validate();
        return created.toObject(AS_STORED) as T;
      }),
    );
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
    return this.#database.execute(async () => {
      const created = new this.model(document);
      try {
        await created.save(NO_SESSION);
        return created.toObject(AS_STORED) as T;
      } catch (error) {
        // Mongoose passes no `raw: false` on: with `raw: true` of the connection the refusal is not decoded
        const { errorResponse } = error as { readonly errorResponse?: unknown };
        const { BSON } = this.#database.connection.base.mongo;
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
    const { matchedCount } = await this.#database.execute((signal) => {
      const options = { ...WRITE_OPTIONS, signal };
      return canBypass('updateOne')
        ? // as Mongoose does: what is undefined is left out, not stored as null
          model.collection.updateOne(trusted, update, { ...options, ignoreUndefined: true })
        : model.updateOne(trusted, update, options).exec();
    });
    return matchedCount === 1;
  }

  async upsert(filter: Filter, update: Update): Promise<void> {
    const trusted = this.#trusted(filter);
    await this.#database.execute((signal) =>
      this.model.updateOne(trusted, update, { ...optionsWith(signal), upsert: true }).exec(),
    );
  }

  /** The document as it is afterwards; with `upsert` one is made if there is none. */
  async findOneAndUpdate(
    filter: Filter,
    update: Update | readonly Update[],
    { upsert = false } = {},
  ): Promise<T | null> {
    const trusted = this.#trusted(filter);
    const complete =
      upsert && Array.isArray(update)
        ? [...(update as readonly Update[]), ...this.#customDefaults()]
        : update;
    return this.#database.execute((signal) => {
      const options = { ...optionsWith(signal), lean: true, returnDocument: 'after' } as const;
      const validation = this.customFields.length > 0 && { runValidators: true };
      return this.model
        .findOneAndUpdate(trusted, complete, { ...options, ...validation, upsert, ...pipelineOf(update) })
        .exec() as Promise<T | null>;
    });
  }

  /** Resolves to how many were changed. */
  async updateMany(filter: Filter, update: Update | readonly Update[]): Promise<number> {
    const trusted = this.#trusted(filter);
    const { modifiedCount } = await this.#database.execute((signal) =>
      this.model
        .updateMany(trusted, update as Update, { ...optionsWith(signal), ...pipelineOf(update) })
        .exec(),
    );
    return modifiedCount;
  }

  /** False if no document fits. */
  async deleteOne(filter: Filter): Promise<boolean> {
    const trusted = this.#trusted(filter);
    const { deletedCount } = await this.#database.execute((signal) =>
      this.model.deleteOne(trusted, optionsWith(signal)).exec(),
    );
    return deletedCount === 1;
  }

  /** Resolves to how many were deleted. */
  async deleteMany(filter: Filter): Promise<number> {
    const trusted = this.#trusted(filter);
    const { deletedCount } = await this.#database.execute((signal) =>
      this.model.deleteMany(trusted, optionsWith(signal)).exec(),
    );
    return deletedCount;
  }

  /**
   * A connection with `ignoreUndefined` would drop an undefined condition, and find everybody's documents. A site that
   * turns `sanitizeFilter` on means what comes from requests; the operators here are ours.
   */
  #trusted(filter: Filter): object {
    for (const [name, value] of Object.entries(filter)) {
      if (value === undefined) throw new TypeError(`a filter of ${this.name} has no value for ${name}`);
      if (typeof value !== 'object' || value === null || value instanceof Date) continue;
      this.#database.connection.base.trusted(value);
      if (Array.isArray(value))
        value.forEach((item) => typeof item === 'object' && this.#trusted(item as Filter));
    }
    return filter;
  }
}

interface OpenModel<T> {
  readonly model: Model<T>;
  readonly canBypass: ReturnType<typeof canBypassMongoose>;
  readonly customFields: readonly string[];
}

/** The driver obeys the signal in all operations; its types have it only for reads. */
function optionsWith(signal: AbortSignal): OperationOptions & { readonly signal: AbortSignal } {
  return { ...NO_SESSION, signal };
}

/** Mongoose must be told that a list is meant as a pipeline. */
function pipelineOf(update: Update | readonly Update[]): { readonly updatePipeline?: true } {
  return Array.isArray(update) ? { updatePipeline: true } : {};
}

/** As it is stored, whatever the site has set for how documents are shown. */
const AS_STORED = { getters: false, virtuals: false, flattenMaps: true, transform: false } as const;

/** One aggregation over a collection that runs a pipeline for each id, so that each uses an index. */
export function unionOf(
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
