import { randomBytes } from 'node:crypto';

import { type Db, type Document, MongoClient, ObjectId } from 'mongodb';

import type { Client } from './client.js';

/** Documents of one grant, by collection. */
export type Template = ReadonlyMap<string, readonly Document[]>;

const BATCH = 1000;
/** Batches on their way at a time: copies are made while others are stored. */
const AT_A_TIME = 3;

export interface FillOptions {
  readonly count: number;
  /** Default 1000. */
  readonly batch?: number;
  /** Told after each batch. */
  readonly stored: (grants: number) => void;
}

/** How often `fillWithGrants` reports progress. */
export function countBatches(grants: number): number {
  return Math.ceil(grants / BATCH);
}

/**
 * Stores that many grants as the contender would: one is made by a whole flow, and what that has left in the database
 * is copied, each time with new ids and hashes. The person's documents, such as the consent, are copied too.
 */
export async function fillWithGrants(
  databaseUri: string,
  client: Pick<Client, 'authorize' | 'redeem' | 'site'>,
  { count, batch = BATCH, stored }: FillOptions,
): Promise<void> {
  const mongo = await new MongoClient(databaseUri).connect();
  try {
    const database = mongo.db();
    const before = await readAll(database);
    await client.redeem(await client.authorize());
    const fresh = difference(await readAll(database), before);
    if (fresh.size === 0)
      throw new Error('a whole flow has left nothing in the database: there is nothing to copy');
    const { userId } = client.site;
    const template = merge(
      select(before, (document) => document.userId === userId),
      fresh,
    );
    const copy = createCopier(
      collectValues(select(before, (document) => document.userId !== userId)),
      userId,
    );
    let [begun, done] = [0, 0];
    const worker = async () => {
      while (begun < count) {
        const size = Math.min(batch, count - begun);
        begun += size;
        const clones = Array.from({ length: size }, () => copy(template));
        for (const name of template.keys())
          await database.collection(name).insertMany(
            clones.flatMap((clone) => clone.get(name) ?? []),
            { ordered: false },
          );
        stored((done += size));
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  } finally {
    await mongo.close();
  }
}

async function readAll(database: Db): Promise<Map<string, Document[]>> {
  const collections = await database.collections();
  return new Map(
    await Promise.all(
      collections.map(
        async (collection) => [collection.collectionName, await collection.find().toArray()] as const,
      ),
    ),
  );
}

function select(documents: Template, isSelected: (document: Document) => boolean): Template {
  const selected = [...documents].map(([name, each]) => [name, each.filter(isSelected)] as const);
  return new Map(selected.filter(([, each]) => each.length > 0));
}

function merge(one: Template, other: Template): Template {
  return new Map(
    [...new Set([...one.keys(), ...other.keys()])].map((name) => [
      name,
      [...(one.get(name) ?? []), ...(other.get(name) ?? [])],
    ]),
  );
}

/** What was added between two readings. */
function difference(after: Template, before: Template): Template {
  const old = new Set(
    [...before].flatMap(([name, documents]) => documents.map(({ _id }) => `${name} ${String(_id)}`)),
  );
  return new Map(
    [...after].flatMap(([name, documents]) => {
      const fresh = documents.filter(({ _id }) => !old.has(`${name} ${String(_id)}`));
      return fresh.length > 0 ? [[name, fresh] as const] : [];
    }),
  );
}

/** Ids of clients and people, scopes, addresses: these are not changed. */
function collectValues(documents: ReadonlyMap<string, readonly Document[]>): ReadonlySet<string> {
  const values = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value === 'string' || value instanceof ObjectId) values.add(String(value));
    else if (Array.isArray(value)) value.forEach(visit);
    else if (isPlain(value)) Object.values(value).forEach(visit);
  };
  for (const each of documents.values()) each.forEach(visit);
  return values;
}

/** Shorter texts are words: `S256`, `authorization_code`. */
const SHORTEST_SECRET = 20;

export function createCopier(
  known: ReadonlySet<string>,
  userId: string,
): (template: Template) => Map<string, Document[]> {
  return (template) => {
    // within one grant equal values stay equal, because documents refer to each other by ids
    const replaced = new Map<string, unknown>();
    const once = (value: string, make: () => unknown): unknown => {
      if (!replaced.has(value)) replaced.set(value, make());
      return replaced.get(value);
    };
    const copy = (value: unknown): unknown => {
      if (value === userId) return once(value, () => `user-${randomText(16)}`);
      if (typeof value === 'string')
        return value.length < SHORTEST_SECRET || known.has(value) || value.includes('://')
          ? value
          : once(value, () => randomText(value.length));
      if (value instanceof ObjectId)
        return known.has(value.toHexString()) ? value : once(value.toHexString(), () => new ObjectId());
      if (Array.isArray(value)) return value.map(copy);
      return isPlain(value)
        ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, copy(each)]))
        : value;
    };
    return new Map(
      [...template].map(([name, documents]) => [
        name,
        documents.map((document) => copy(document) as Document),
      ]),
    );
  };
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function randomText(length: number): string {
  return randomBytes(Math.ceil((length * 3) / 4))
    .toString('base64url')
    .slice(0, length);
}
