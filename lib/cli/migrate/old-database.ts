import mongoose, { type Connection } from 'mongoose';

import { CliError } from '../exit.js';
import { type Stored, textOf, valueAt } from './values.js';

/** The collection of a kind of thing, and for each field the possible paths of its value. */
export interface Place {
  /** Absent if the server has none, unless `--map` names one. */
  readonly collection?: string | undefined;
  readonly fields: Readonly<Record<string, readonly string[]>>;
}

/** The places of all things, by names that do not depend on collections. */
export type Mapping = Readonly<Record<string, Place>>;

/** A document of the other server, read by the fields of the mapping. */
export interface OldDocument {
  readonly id: unknown;
  readonly read: (field: string) => unknown;
  /** The values of all fields of its place. */
  readonly readAll: () => Readonly<Record<string, unknown>>;
  /** The value of a field of another place in the same collection. */
  readonly readAs: (place: string, field: string) => unknown;
}

/** The database of the other server; it is only read. */
export type OldDatabase = Awaited<ReturnType<typeof openOldDatabase>>;

const BATCH = 500;

/**
 * Changes the mapping by an argument of the command line: `clients=apps` for a collection, `clients.secret=secretHash`
 * for a field of its documents. An empty value removes it.
 *
 * @throws CliError with the possible names
 */
export function withMapped(mapping: Mapping, entry: string): Mapping {
  const [, name = '', field, value] = /^([^.=]+)(?:\.([^=]+))?=(.*)$/.exec(entry) ?? [];
  const place = Object.hasOwn(mapping, name) ? mapping[name] : undefined;
  if (value === undefined || place === undefined)
    throw new CliError(
      `--map ${entry}: write it as clients=apps or clients.secret=secretHash`,
      `There are ${Object.keys(mapping).join(', ')}.`,
    );
  const { collection, fields } = place;
  const target = value === '' ? undefined : value;
  if (field === undefined) return { ...mapping, [name]: { collection: target, fields } };
  if (!Object.hasOwn(fields, field))
    throw new CliError(
      `--map ${entry}: ${name} has nothing called ${field}`,
      `There are ${Object.keys(fields).join(', ')}.`,
    );
  return { ...mapping, [name]: { collection, fields: { ...fields, [field]: [target ?? []].flat() } } };
}

/** Reads the collections of another server by their names, without schemas, models or writes. */
export async function openOldDatabase(connection: Connection, mapping: Mapping) {
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
  const readable = (place: string, document: Stored): OldDocument => {
    const readAs = (where: string, field: string) =>
      pathsOf(where, field)
        .map((path) => valueAt(document, path))
        .find((value) => value !== undefined);
    const read = (field: string) => readAs(place, field);
    const fields = Object.keys(mapping[place]?.fields ?? {});
    const readAll = () => Object.fromEntries(fields.map((field) => [field, read(field)]));
    return { id: document._id, read, readAll, readAs };
  };

  return {
    /** Whether the place has an existing collection. */
    has: (place: string) => collectionOf(place) !== undefined,
    /** Whether two places share a collection. */
    isShared: (place: string, other: string) => mapping[place]?.collection === mapping[other]?.collection,
    /** The documents of a place; none if there is no such collection. */
    async *documents(place: string): AsyncIterable<OldDocument> {
      const all = collectionOf(place)?.find({}, { batchSize: BATCH });
      if (all !== undefined) for await (const document of all) yield readable(place, document);
    },
    /** The documents with one of these values in a field of the mapping. */
    async find(place: string, field: string, values: readonly unknown[]): Promise<readonly OldDocument[]> {
      const collection = collectionOf(place);
      // a value may be text in one document, and an ObjectId or a number in another
      const desired = values.flatMap((value) => {
        const text = textOf(value);
        const forms: unknown[] = text === undefined ? [] : [text];
        if (/^[0-9a-f]{24}$/i.test(text ?? '')) forms.push(new mongoose.mongo.ObjectId(text));
        if (/^\d{1,15}$/.test(text ?? '')) forms.push(Number(text));
        return forms;
      });
      const filters = pathsOf(place, field).map((path) => ({ [path]: { $in: desired } }));
      if (collection === undefined || desired.length === 0 || filters.length === 0) return [];
      const documents = await collection.find({ $or: filters }).toArray();
      return documents.map((document) => readable(place, document));
    },
  };
}
