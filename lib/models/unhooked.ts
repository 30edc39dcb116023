import type { Model, mongo } from 'mongoose';

import { isDuplicateKey } from './database.js';
import { customFieldsOf } from './model-of.js';

/*
 * The operations that come with every request, and that Mongoose makes expensive. Unless the host hooks into them, they
 * use the model's own collection, which `mongoose.set('debug')` sees as well: our values need no casting.
 */

export interface ReadOptions {
  readonly projection?: Readonly<Record<string, 0 | 1>>;
  readonly signal: AbortSignal;
}
export type FindOne<T> = (filter: object, options: ReadOptions) => PromiseLike<T | null>;
export type FindByIds<T> = (ids: readonly string[], options: ReadOptions) => Promise<ReadonlyMap<string, T>>;
/** Resolves to those that are new; the ids of the others are taken. */
export type InsertEach<T> = (documents: readonly T[], options: object) => Promise<ReadonlySet<T>>;
export type UpdateOne = (
  filter: object,
  update: object,
  options: object,
) => PromiseLike<Pick<mongo.UpdateResult, 'matchedCount'>>;

/**
 * How a document is read: by the model's `findOne`, plain. Its query takes 66 of 396 µs of CPU (both ways in turn in
 * one process, 40 rounds), without which a token or a code would cost up to 1.1 times the CPU of other servers on
 * Mongoose. How a field of the host's own is read (`select`, for example) only its schema knows.
 */
export function findOneOf<T>(model: Model<T>): FindOne<T> {
  const isPlain = plainReadsOf(model);
  return (filter, options) => {
    if (isPlain()) return model.collection.findOne(filter, options) as unknown as Promise<T | null>;
    const { projection, ...others } = options;
    return model.findOne(filter, projection, { ...others, lean: true }).exec();
  };
}

/** How reads that come together are done by id, if `plainReadsOf` says that nothing is hooked in. */
export function findByIdsOf<T>(model: Model<T>): FindByIds<T> {
  const findOne = findOneOf(model);
  return async (ids, options) => {
    const [id, ...others] = ids;
    if (id !== undefined && others.length === 0) {
      const document = await findOne({ _id: id }, options);
      return new Map(document === null ? [] : [[id, document]]);
    }
    const found = await model.collection.find({ _id: { $in: ids } } as object, options).toArray();
    return new Map(found.map((document) => [String(document._id), document as T]));
  };
}

/** Whether the host has no part in reads: a hook of its own has to be called for each document. */
export function plainReadsOf<T>(model: Model<T>): () => boolean {
  return isPlainFor(model, 'findOne');
}

/**
 * How documents that come together but do not belong together are inserted, if `plainInsertsOf` says that nothing is
 * hooked in. The driver makes a bulk write of anything given to `insertMany`, which takes 90 of 350 µs of CPU (npm run
 * bench -- --commands: "insert a grant").
 */
export function insertEachOf<T>({ collection }: Model<T>): InsertEach<T> {
  return async (documents, options) => {
    const [only, ...others] = documents;
    const isAlone = only !== undefined && others.length === 0;
    try {
      if (isAlone) await collection.insertOne(only as never, options);
      else await collection.insertMany(documents as never, options);
      return new Set(documents);
    } catch (error) {
      const taken = isAlone && isDuplicateKey(error) ? new Set([0]) : takenIn(error);
      if (taken === undefined) throw error;
      return new Set(documents.filter((_document, index) => !taken.has(index)));
    }
  };
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

/** Whether the host has no part in inserts: its hook is given the documents that belong together. */
export function plainInsertsOf<T>(model: Model<T>): () => boolean {
  const isHooked = hooksOf(model, 'insertMany');
  return () => !isHooked();
}

/**
 * How documents are updated: by the model's `updateOne`, for the same reason. That makes a Mongoose document of each
 * part of a document in the update, which takes 200 of 480 µs of CPU (npm run bench -- --commands: "rotate a refresh
 * token").
 */
export function updateOneOf<T>(model: Model<T>): UpdateOne {
  const isPlain = isPlainFor(model, 'updateOne');
  return (filter, update, options) =>
    isPlain()
      ? // as Mongoose does: what is undefined is left out, not stored as null
        model.collection.updateOne(filter, update, { ...options, ignoreUndefined: true })
      : model.updateOne(filter, update, options).exec();
}

/** Whether the host has no part in an operation: no hook, and no field of its own, which only the schema knows. */
function isPlainFor<T>(model: Model<T>, operation: 'findOne' | 'updateOne'): () => boolean {
  const isHooked = hooksOf(model, operation);
  const isOurs = customFieldsOf(model).length === 0;
  return () => isOurs && !isHooked();
}

/**
 * Says whether the host has hooked into an operation: in its schema, which is fixed once there is a model, or by
 * replacing the model's function, at any time. Mongoose has no public API for the hooks of a schema, so if it cannot be
 * told, the operation counts as hooked.
 */
function hooksOf<T>(model: Model<T>, operation: 'findOne' | 'insertMany' | 'updateOne'): () => boolean {
  const { hooks } = (model.schema as { s?: { hooks?: Hooks } }).s ?? {};
  const ofOperation = operation === 'insertMany' ? hooks : hooks?.filter?.(isOfQueries);
  const isPlain = ofOperation?.hasHooks?.(operation) === false;
  const { Model: ofMongoose } = model.base;
  return () => !isPlain || model[operation] !== ofMongoose[operation];
}

/** The hooks of a schema, as far as they are read here. */
interface Hooks {
  readonly hasHooks?: (operation: string) => boolean;
  readonly filter?: (isWanted: (hook: HookContexts) => boolean) => Hooks;
}

/** What a hook is for; neither: for both. */
interface HookContexts {
  readonly document?: boolean;
  readonly query?: boolean;
}

/** Every schema has a hook of Mongoose's own for `document.updateOne()`, of which there is none here. */
function isOfQueries({ document, query }: HookContexts): boolean {
  return query === true || (query === undefined && document === undefined);
}
