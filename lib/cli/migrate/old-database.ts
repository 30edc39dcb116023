import mongoose, { type Connection } from 'mongoose';

import type { Mapping } from './mapping.js';
import type { OldDatabase } from './source.js';
import { type Stored, textOf, valueAt } from './values.js';

const BATCH = 500;

/** Reads the collections of another server by their own names, without schemas, models or writes. */
export async function openOldDatabase(connection: Connection, mapping: Mapping): Promise<OldDatabase> {
  const { db } = connection;
  if (db === undefined) throw new Error('the connection has no database');
  const names = new Set((await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name));
  const collectionOf = (place: string) => {
    const { collection } = mapping[place] ?? {};
    return collection === undefined || !names.has(collection)
      ? undefined
      : db.collection<{ _id: never }>(collection);
  };
  const pathsOf = (place: string, field: string) => mapping[place]?.fields[field] ?? [];

  return {
    has: (place) => collectionOf(place) !== undefined,
    isShared: (place, other) => mapping[place]?.collection === mapping[other]?.collection,
    read: (place, document, field) => {
      for (const path of pathsOf(place, field)) {
        const value = valueAt(document, path);
        if (value !== undefined) return value;
      }
      return undefined;
    },
    async *documents(place) {
      const collection = collectionOf(place);
      if (collection !== undefined) yield* collection.find({}, { batchSize: BATCH }) as AsyncIterable<Stored>;
    },
    async find(place, field, values) {
      const collection = collectionOf(place);
      const desired = values.flatMap(everyForm);
      if (collection === undefined || desired.length === 0) return [];
      const filters = pathsOf(place, field).map((path) => ({ [path]: { $in: desired } }));
      return filters.length === 0 ? [] : collection.find({ $or: filters }).toArray();
    },
  };
}

/** A value that one document has as text may be an ObjectId or a number in another. */
function everyForm(value: unknown): unknown[] {
  const text = textOf(value);
  if (text === undefined) return [];
  return [
    text,
    ...(/^[0-9a-f]{24}$/i.test(text) ? [new mongoose.mongo.ObjectId(text)] : []),
    ...(/^\d{1,15}$/.test(text) ? [Number(text)] : []),
  ];
}
