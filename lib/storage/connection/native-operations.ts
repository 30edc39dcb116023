import type { Model, mongo } from 'mongoose';

import { isDuplicateKey } from './database.js';
import { customFieldsOf } from './model.js';

/*
 * The operations that come with every request, by the model's own collection instead of by Mongoose, whose casts and
 * queries our values do not need. `mongoose.set('debug')` sees them as well. CPU time that they save: a read 66 of
 * 396 µs, an insert 90 of 350 µs, an update 200 of 480 µs (npm run bench -- --commands).
 */

type Operation = 'findOne' | 'insertMany' | 'updateOne';

/** Tells whether an operation may bypass Mongoose now: unless the host has a part in it. */
export function canBypassMongoose<T>(model: Model<T>): (operation: Operation) => boolean {
  // how a field of the host is read or cast (`select`, for example) only its schema knows
  const hasCustomFields = customFieldsOf(model).length > 0;
  const unhooked: Readonly<Record<Operation, boolean>> = {
    findOne: !hasCustomFields && isUnhooked(model, 'findOne'),
    // the schema has their defaults
    insertMany: !hasCustomFields && isUnhooked(model, 'insertMany'),
    updateOne: !hasCustomFields && isUnhooked(model, 'updateOne'),
  };
  const { Model: original } = model.base;
  // a schema is fixed once there is a model, but its functions can be replaced at any time
  return (operation) => unhooked[operation] && model[operation] === original[operation];
}

/** Mongoose has no public API for the hooks of a schema: an operation that it tells nothing about counts as hooked. */
function isUnhooked<T>({ schema }: Model<T>, operation: Operation): boolean {
  const { hooks } = (schema as { s?: { hooks?: Hooks } }).s ?? {};
  const relevant = operation === 'insertMany' ? hooks : hooks?.filter?.(isQueryHook);
  return relevant?.hasHooks?.(operation) === false;
}

/** The hooks of a schema, as far as they are read here. */
interface Hooks {
  readonly hasHooks?: (operation: string) => boolean;
  readonly filter?: (predicate: (hook: HookContexts) => boolean) => Hooks;
}

/** What a hook is for; if neither is set, it is for queries. */
interface HookContexts {
  readonly document?: boolean;
  readonly query?: boolean;
}

/** Every schema has a hook of Mongoose's own for `document.updateOne()`, of which there is none here. */
function isQueryHook({ document, query }: HookContexts): boolean {
  return query === true || (query === undefined && document === undefined);
}

/** The documents with these ids, in their order; null for an id that has none. */
export async function findByIds<T>(
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
export async function insertEach<T>(
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
