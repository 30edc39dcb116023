import type { Collection as NativeCollection } from 'mongoose';

import type { PeopleStore } from '../core/people/people-registry.js';
import { COLLECTIONS } from './collections.js';
import { Collection, NO_SESSION } from './connection/collection.js';
import type { Database } from './connection/database.js';
import { type CollectionDefinition, type PersonPath, WRITE_CONCERN } from './connection/model.js';
import { setOrUnset } from './connection/query-helpers.js';

type Stored = Readonly<Record<string, unknown>> & { readonly _id: unknown };

/** A path with user ids in the documents of a collection. */
interface Place extends PersonPath {
  readonly documents: Collection<Stored>;
  readonly people: NonNullable<CollectionDefinition<Stored>['people']>;
  readonly path: string;
}

/** Finds a user in every collection, even in collections of disabled features. */
export function createPeopleStore(database: Database): PeopleStore {
  const { User: USERS, ...others } = COLLECTIONS;
  const places = Object.values(others).flatMap((collection): Place[] => {
    const definition = collection as unknown as CollectionDefinition<Stored>;
    const { people } = definition;
    if (people === undefined) return [];
    const documents = new Collection(database, definition);
    return Object.entries(people.paths).map(([path, how]) => ({ ...how, path, people, documents }));
  });
  const { connection } = database;
  /** The model of `createUsers`, so that the site's plugins apply; only another process may have the model. */
  const userModel = () => connection.models[USERS.model];
  const users = () => (userModel() ?? connection.collection(USERS.name)) as NativeCollection<{ _id: string }>;
  const deleteUser: PeopleStore['deleteUser'] = async (_id, dryRun) => {
    if (dryRun) return (await database.execute(() => users().countDocuments({ _id }, NO_SESSION))) > 0;
    const options = { ...NO_SESSION, writeConcern: WRITE_CONCERN };
    return (await database.execute(() => users().deleteOne({ _id }, options))).deletedCount > 0;
  };

  return {
    async export(userId) {
      const records: Record<string, Map<string, object>> = {};
      for (const place of places) {
        const { documents, path, people, person } = place;
        // for an invited user only their invitation is exported, without those of others
        const list = person === 'invited' ? path.replace(/\.\w+$/, '') : undefined;
        const { model, customFields } = documents;
        const custom = Object.entries(model.schema.paths).filter(
          ([name, { options }]) =>
            customFields.includes(name.replace(/\..*/, '')) && options.select !== false,
        );
        const exported = [...(people.exported?.split(' ') ?? []), ...custom.map(([name]) => name)];
        const projection = Object.fromEntries(
          ['_id', ...(list === undefined ? exported : [list])].map((name) => [name, 1] as const),
        );
        const ofCollection = (records[documents.name] ??= new Map<string, object>());
        const add = ({ _id, actorId, ip, ...members }: Stored) => {
          const id = String(_id);
          const invitations = list
            ?.split('.')
            .reduce((value: unknown, name) => (value as Stored)[name], members) as
            readonly Stored[] | undefined;
          const received = invitations?.filter((invitation) => invitation.userId === userId);
          ofCollection.set(id, {
            ...(people.id && { [people.id]: id }),
            ...ofCollection.get(id),
            ...(received === undefined
              ? members
              : { invitations: received.map(({ typed, as, expiresAt }) => ({ typed, as, expiresAt })) }),
            // the address in an entry of the audit is the actor's
            ...(ip !== undefined && (actorId === undefined || actorId === userId) && { ip }),
          });
        };
        for await (const ids of findAt({ ...place, where: undefined }, userId))
          (await documents.find({ _id: { $in: ids } }, { projection, sort: { _id: -1 } })).forEach(add);
      }
      const [filter, User] = [{ _id: userId }, userModel()];
      const user = await database.execute<object | null>(() =>
        User === undefined
          ? // a process without the schema, such as the command line, does not know which fields have `select: false`
            users().findOne(filter, { projection: { _id: 0, username: 1, name: 1, createdAt: 1 } })
          : User.findOne(filter, { _id: 0, usernameKey: 0, passwordHash: 0 }, NO_SESSION).lean().exec(),
      );
      return {
        ...Object.fromEntries(Object.entries(records).map(([name, all]) => [name, [...all.values()]])),
        ...(user !== null && { [USERS.name]: [user] }),
      } as Awaited<ReturnType<PeopleStore['export']>>;
    },
    async erase(userId, { pseudonym, dryRun, only, onErased }) {
      for (const place of places) {
        const { documents, path, text, atEnd, isList = false, with: beside = [] } = place;
        if (atEnd === 'operation' || (only ?? documents.name) !== documents.name) continue;
        const replaced = setOrUnset({
          [isList ? `${path}.$` : path]: pseudonym,
          ...Object.fromEntries(beside.map((other) => [other, undefined])),
        });
        for await (const ids of findAt(place, userId)) {
          const filter = { ...(text === undefined && { [path]: userId }), _id: { $in: ids } };
          // a list may have the id more than once
          while (
            !dryRun &&
            (atEnd === 'delete'
              ? await documents.deleteMany(filter)
              : await documents.updateMany(filter, replaced)) > 0 &&
            isList
          )
            continue;
          onErased(documents.name, ids.map(String));
        }
      }
    },
    deleteUser,
    hasUser: async (userId) => (userModel() === undefined ? undefined : deleteUser(userId, true)),
  };
}

/** The ids of the documents with a user at a path, in batches. */
async function* findAt({ documents, path, text, where = () => true }: Place, userId: string) {
  if (text === undefined) {
    yield* documents.findIds({ [path]: userId });
    return;
  }
  // no index finds an id within a text
  for await (const ids of documents.findIds({})) {
    const batch = await documents.find({ _id: { $in: ids } });
    const matching = batch.filter((document) => {
      const value = String(document[path]);
      const content =
        text === 'form'
          ? [...new URLSearchParams(value)].map(([name, member]) => ({ [name]: member }))
          : contentOf(value);
      // the text is no JSON, for example one that another release has stored
      return where(document) && (content === undefined ? value.includes(userId) : hasValue(content, userId));
    });
    if (matching.length > 0) yield matching.map(({ _id }) => _id);
  }
}

/** Members whose values are terms of a protocol, which may equal a user's id. */
const TERMS = new Set(
  'type reason format kind kid iss clientId client_id grantType scopes scope endpoint response_type response_mode prompt code_challenge_method'.split(
    ' ',
  ),
);

function hasValue(value: unknown, userId: string): boolean {
  if (typeof value === 'string') return value === userId || hasValue(contentOf(value), userId);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, member]) => !TERMS.has(name) && hasValue(member, userId));
}

/** The JSON in a text, or the claims of a JWT; undefined for any other text. */
function contentOf(text: string): unknown {
  const [, claims] = /^[\w-]+\.([\w-]+)\.[\w-]*$/.exec(text) ?? [];
  try {
    return JSON.parse(claims === undefined ? text : Buffer.from(claims, 'base64url').toString());
  } catch {
    return undefined;
  }
}
