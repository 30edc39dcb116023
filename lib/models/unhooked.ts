import type { Model, mongo } from 'mongoose';

/*
 * The two operations that Mongoose makes dear. Where nothing of the host is hooked in to them, they go by the model's own
 * collection, which `mongoose.set('debug')` sees as well: values of ours need no casting.
 */

export type Insert<T> = (documents: readonly T[], options: object) => Promise<unknown>;
export type UpdateOne = (
  filter: object,
  update: object,
  options: object,
) => PromiseLike<Pick<mongo.UpdateResult, 'matchedCount'>>;

/**
 * How documents of ours are inserted: by the model's `insertMany`, so that hooks and plugins of the host have their say.
 * The driver makes a bulk of whatever that is given, which takes 90 of 350 µs of CPU (npm run bench -- --commands:
 * "insert a grant").
 */
export function insertOf<T>(model: Model<T>): Insert<T> {
  const insertMany: Insert<T> = (documents, options) =>
    model.insertMany(documents as never, { ...options, lean: true });
  if (isHooked(model, 'insertMany')) return insertMany;
  return (documents, options) => {
    const [only, ...more] = documents;
    return only === undefined || more.length > 0
      ? insertMany(documents, options)
      : model.collection.insertOne(only as never, options);
  };
}

/**
 * How documents are updated: by the model's `updateOne`, for the same reason. That makes a Mongoose document of each part
 * of a document in the update, which takes 200 of 480 µs of CPU (npm run bench -- --commands: "rotate a refresh token").
 */
export function updateOneOf<T>(model: Model<T>): UpdateOne {
  if (isHooked(model, 'updateOne'))
    return (filter, update, options) => model.updateOne(filter, update, options).exec();
  return (filter, update, options) =>
    // as Mongoose does: what is undefined is left out, not stored as null
    model.collection.updateOne(filter, update, { ...options, ignoreUndefined: true });
}

/** Mongoose has no public name for it, so what cannot be told counts as hooked. */
function isHooked<T>(model: Model<T>, operation: 'insertMany' | 'updateOne'): boolean {
  const { hooks } =
    (model.schema as { s?: { hooks?: { hasHooks?: (operation: string) => boolean } } }).s ?? {};
  const isPlain = hooks?.hasHooks?.(operation) === false;
  return !isPlain || model[operation] !== model.base.Model[operation];
}
