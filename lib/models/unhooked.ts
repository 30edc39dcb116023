import type { Model, mongo } from 'mongoose';

import { customFieldsOf } from './model-of.js';

/*
 * The operations that come with every request, and that Mongoose makes dear. Where nothing of the host is hooked in to
 * them, they go by the model's own collection, which `mongoose.set('debug')` sees as well: values of ours need no
 * casting.
 */

export type FindOne<T> = (
  filter: object,
  options: { readonly projection?: Readonly<Record<string, 0 | 1>>; readonly signal: AbortSignal },
) => PromiseLike<T | null>;
export type Insert<T> = (documents: readonly T[], options: object) => Promise<unknown>;
export type UpdateOne = (
  filter: object,
  update: object,
  options: object,
) => PromiseLike<Pick<mongo.UpdateResult, 'matchedCount'>>;

/**
 * How a document is read: by the model's `findOne`, plain. Its query takes 66 of 396 µs of CPU (both ways in turn in
 * one process, 40 rounds), without which a token or a code would cost up to 1.1 times the CPU of other servers on
 * Mongoose. What a field of the host's own is read by, `select` for one, its schema knows.
 */
export function findOneOf<T>(model: Model<T>): FindOne<T> {
  const isHooked = hooksOf(model, 'findOne');
  const isOurs = customFieldsOf(model).length === 0;
  return (filter, { projection, ...options }) =>
    isHooked() || !isOurs
      ? model.findOne(filter, projection, { ...options, lean: true }).exec()
      : (model.collection.findOne(filter, {
          ...options,
          ...(projection && { projection }),
        }) as unknown as Promise<T | null>);
}

/**
 * How documents of ours are inserted: by the model's `insertMany`, so that hooks and plugins of the host have their
 * say. The driver makes a bulk of whatever that is given, which takes 90 of 350 µs of CPU (npm run bench -- --commands:
 * "insert a grant").
 */
export function insertOf<T>(model: Model<T>): Insert<T> {
  const isHooked = hooksOf(model, 'insertMany');
  return (documents, options) => {
    const [only, ...more] = documents;
    return isHooked() || only === undefined || more.length > 0
      ? model.insertMany(documents as never, { ...options, lean: true })
      : model.collection.insertOne(only as never, options);
  };
}

/**
 * How documents are updated: by the model's `updateOne`, for the same reason. That makes a Mongoose document of each
 * part of a document in the update, which takes 200 of 480 µs of CPU (npm run bench -- --commands: "rotate a refresh
 * token").
 */
export function updateOneOf<T>(model: Model<T>): UpdateOne {
  const isHooked = hooksOf(model, 'updateOne');
  return (filter, update, options) =>
    isHooked()
      ? model.updateOne(filter, update, options).exec()
      : // as Mongoose does: what is undefined is left out, not stored as null
        model.collection.updateOne(filter, update, { ...options, ignoreUndefined: true });
}

/**
 * Says whether the host has hooked in to an operation: by its schema, which is settled once there is a model, or by
 * putting something in the place of the model's function, at any time. Mongoose has no public name for the hooks of a
 * schema, so what cannot be told counts as hooked.
 */
function hooksOf<T>(model: Model<T>, operation: 'findOne' | 'insertMany' | 'updateOne'): () => boolean {
  const { hooks } =
    (model.schema as { s?: { hooks?: { hasHooks?: (operation: string) => boolean } } }).s ?? {};
  const isPlain = hooks?.hasHooks?.(operation) === false;
  const { Model: ofMongoose } = model.base;
  return () => !isPlain || model[operation] !== ofMongoose[operation];
}
