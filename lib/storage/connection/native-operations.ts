import { setImmediate as ofNode } from 'node:timers';

import type { Model, mongo } from 'mongoose';

import { isDuplicateKey } from './database.js';
import { customFieldsOf } from './model.js';

/*
 * The operations that come with every request, by the model's own collection instead of by Mongoose, whose casts and
 * queries our values do not need. `mongoose.set('debug')` sees them as well. CPU time that they save: a read 66 of
 * 396 µs, an insert 90 of 350 µs, an update 200 of 480 µs (measured in November 2026).
 */

const OPERATIONS = ['findOne', 'insertMany', 'updateOne'] as const;
type Operation = (typeof OPERATIONS)[number];

/** Tells whether an operation may bypass Mongoose now: unless the site has a part in it. */
export function canBypassMongoose<T>(model: Model<T>): (operation: Operation) => boolean {
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
  readonly filter?: (predicate: (hook: HookContexts) => boolean) => Hooks;
}

/** What a hook is for; if neither is set, it is for queries. */
interface HookContexts {
  readonly document?: boolean;
  readonly query?: boolean;
}

/**
 * As it is when the package is loaded, and of Node's own module: a test that fakes the clock, later or in its
 * configuration, would never send what waits, and hang.
 */
const endOfContext = ofNode;
/** As many as the first answer of a cursor holds. */
const MAX_BATCH_SIZE = 100;

/**
 * Loads what is asked for in the same turn of the event loop by one command. A batch is sent once all input that has
 * arrived is handled (`setImmediate`), never waits for another answer, and is never cached: a later call reads anew.
 *
 * With 16 connections a guarded call takes 0.45 of the CPU time that it takes with commands of its own, client
 * credentials 0.51, an authorization request 0.65, a code 0.70, a refresh 0.78 (npm run bench -- --check, 9 rounds).
 *
 * @param load gives the values of several keys in the order of the keys; if it fails, each call of the batch fails
 */
export function batch<Key, Value>(
  load: (keys: readonly Key[]) => Promise<readonly Value[]>,
): (key: Key) => Promise<Value> {
  let waiting: { key: Key; resolve: (value: Value) => void; reject: (error: unknown) => void }[] = [];
  return (key) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0 || waiting.length === MAX_BATCH_SIZE) {
        const calls: typeof waiting = [];
        waiting = calls;
        endOfContext(() => {
          if (waiting === calls) waiting = [];
          load(calls.map(({ key: each }) => each)).then(
            (values) => calls.forEach((call, index) => call.resolve(values[index] as Value)),
            (error: unknown) => calls.forEach((call) => call.reject(error)),
          );
        });
      }
      waiting.push({ key, resolve, reject });
    });
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
