import type { PeopleStore, StoredRecord } from '../core/people/people-store.js';
import type { ExtendSchema, SchemasOptions } from '../settings/options/schema-options.js';
import { COLLECTIONS } from './collections.js';
import { Collection, NO_SESSION } from './connection/collection.js';
import type { Database } from './connection/database.js';
import type { CollectionDefinition, PersonPath } from './connection/model.js';
import { BATCH, batches, setOrUnset } from './connection/query-helpers.js';

type Stored = Readonly<Record<string, unknown>> & { readonly _id: unknown };

/** Finds a person in every collection, also in those of features that are off now. */
export function createPeopleStore(
  database: Database,
  { client: Client, grant: Grant, consent: Consent }: SchemasOptions,
): PeopleStore {
  const extensions: Readonly<Record<string, ExtendSchema | undefined>> = { Client, Grant, Consent };
  const { User: USERS, ...others } = COLLECTIONS;
  const places = Object.entries(others).flatMap(([key, collection]) => {
    const definition = collection as unknown as CollectionDefinition<Stored>;
    const { name, people } = definition;
    if (people === undefined) return [];
    const documents = new Collection(database, definition, extensions[key]);
    const place = { name, documents, projection: projectionOf(people) };
    return Object.entries(people.paths).map((entry) => ({ ...place, entry }));
  });
  const { name: users, people: ofUsers } = USERS;

  return {
    async find(userId) {
      const records: Record<string, Map<string, StoredRecord>> = {};
      for (const { name, documents, entry, projection } of places) {
        const ofCollection = (records[name] ??= new Map());
        const [path, { person, atEnd, text }] = entry;
        const add = (_id: unknown, members: StoredRecord['members']) => {
          const id = String(_id);
          const before = ofCollection.get(id);
          const isErased = atEnd !== 'operation' || before?.isErased === true;
          ofCollection.set(id, { id, members: { ...before?.members, ...members }, isErased });
        };
        if (text !== undefined) {
          for await (const ids of findTexts(documents, entry, userId)) ids.forEach((id) => add(id, {}));
          continue;
        }
        const stored = await documents.find({ [path]: userId }, { projection });
        // whoever is invited to something learns no more of it
        stored.forEach(({ _id, ...members }) => add(_id, person === 'invited' ? {} : members));
      }
      const found = Object.fromEntries(
        Object.entries(records).map(([name, ofCollection]) => [name, [...ofCollection.values()]]),
      );
      // by the model of `createUsers`, so that plugins of the site see it; another process may be the one that has it
      const projection = { ...(ofUsers && projectionOf(ofUsers)), _id: 0 };
      const { connection } = database;
      const User = connection.models[USERS.model];
      const user = await database.execute(() =>
        User === undefined
          ? connection.collection(users).findOne({ _id: userId } as object, { projection })
          : User.findOne({ _id: userId }, projection, NO_SESSION).lean<Record<string, unknown>>().exec(),
      );
      return user === null ? found : { ...found, [users]: [{ id: userId, members: user, isErased: false }] };
    },
    async erase(userId, pseudonym, onErased) {
      for (const { name, documents, entry } of places) {
        const [path, { atEnd, text, isList, with: beside = [] }] = entry;
        if (atEnd === 'operation') continue;
        const replaced = setOrUnset({
          [isList === true ? `${path}.$` : path]: pseudonym,
          ...Object.fromEntries(beside.map((other) => [other, undefined])),
        });
        const found =
          text === undefined ? findValues(documents, path, userId) : findTexts(documents, entry, userId);
        for await (const ids of found) {
          if (atEnd === 'delete') await documents.deleteMany({ _id: { $in: ids } });
          else await documents.updateMany({ _id: { $in: ids }, [path]: userId }, replaced);
          onErased(name, ids.map(String));
        }
      }
    },
  };
}

function projectionOf({ exported }: NonNullable<CollectionDefinition<never>['people']>) {
  return Object.fromEntries(
    ['_id', ...exported.split(' ').filter(Boolean)].map((path) => [path, 1] as const),
  );
}

/** The ids of the documents that have a person at a path: each batch is changed before the next is read. */
async function* findValues(documents: Collection<Stored>, path: string, userId: string) {
  for (;;) {
    const found = await documents.find({ [path]: userId }, { projection: { _id: 1 }, limit: BATCH });
    if (found.length === 0) return;
    yield found.map(({ _id }) => _id);
  }
}

/** No index finds an id within a text, so the collection is read, a batch after the other. */
async function* findTexts(
  documents: Collection<Stored>,
  [path, { text, where = () => true }]: readonly [string, PersonPath],
  userId: string,
) {
  const isIn = (value: string) => {
    if (text === 'form')
      return [...new URLSearchParams(value)].some((entry) => hasValue(Object.fromEntries([entry]), userId));
    try {
      return hasValue(JSON.parse(value), userId);
    } catch {
      // no JSON, such as a text that another release has stored
      return value.includes(userId);
    }
  };
  for await (const { batch } of batches(documents)) {
    const ids = batch
      .filter((document) => where(document) && isIn(String(document[path])))
      .map(({ _id }) => _id);
    if (ids.length > 0) yield ids;
  }
}

/** Members whose values are terms of a protocol, which the id of a user may equal. */
const TERMS = new Set(
  'type reason format kind kid iss clientId client_id grantType scopes scope endpoint response_type response_mode prompt code_challenge_method'.split(
    ' ',
  ),
);

function hasValue(value: unknown, userId: string): boolean {
  if (typeof value !== 'object' || value === null) return value === userId;
  return Object.entries(value).some(([name, member]) => !TERMS.has(name) && hasValue(member, userId));
}
