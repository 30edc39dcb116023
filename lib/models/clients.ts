import type { Client } from '../clients/client.js';
import { CLIENT_FIELDS } from '../clients/client-fields.js';
import type { ClientStore } from '../clients/client-store.js';
import { OAuthError } from '../errors.js';
import type { Database } from './database.js';
import { type Collection, type Documents, documentsOf, SCHEMA_OPTIONS } from './documents.js';
import { registrationSchema } from './registration.js';

/** A registered client, as stored. */
export type StoredClient = Omit<Client, 'clientId'> & { readonly _id: string };

/** What a client that changes itself must not have: it would take along what the host says of it. */
const NOT_VOUCHED_FOR = Object.fromEntries(
  CLIENT_FIELDS.filter(({ isVouching }) => isVouching).map(({ name }) => [name, { $ne: true }]),
);

/** What a document says of a client: the only place that knows both. */
function toClient({ _id, ...rest }: StoredClient): Client {
  return { clientId: _id, ...rest };
}

function toClientOrNull(stored: StoredClient | null): Client | null {
  return stored === null ? null : toClient(stored);
}

export const CLIENTS: Collection<StoredClient> = {
  model: 'OAuthClient',
  name: 'oauth_clients',
  schema: ({ Schema }) =>
    new Schema<StoredClient>(
      {
        _id: { type: String, required: true },
        ...Object.fromEntries(CLIENT_FIELDS.map(({ name, stored }) => [name, { ...stored }])),
        secrets: [
          {
            _id: false,
            hash: String,
            algorithm: { type: String, enum: ['sha256', 'bcrypt'] },
            sealed: String,
            createdAt: Date,
            expiresAt: Date,
          },
        ],
        createdAt: { type: Date, required: true },
        updatedAt: { type: Date, required: true },
        registration: registrationSchema(Schema),
        expiresAt: Date,
      },
      SCHEMA_OPTIONS,
    )
      .index({ ownerId: 1 }, { partialFilterExpression: { ownerId: { $exists: true } } })
      .index(
        { 'registration.accessTokenHash': 1 },
        { partialFilterExpression: { 'registration.accessTokenHash': { $exists: true } } },
      )
      .index({ createdAt: -1, _id: -1 })
      .index({ accessTokenTtl: -1 }, { partialFilterExpression: { accessTokenTtl: { $exists: true } } })
      .index({ expiresAt: 1 }, { expireAfterSeconds: 0 }),
};

/** The clients of this site; each operation is one command. */
export function createClientStore(database: Database): ClientStore {
  const clients = documentsOf(database, CLIENTS);

  return {
    find: async (id) => toClientOrNull(await clients.findOne({ _id: id })),
    insert: async ({ clientId, ...rest }) => (await clients.save({ _id: clientId, ...rest })) !== null,
    async update(id, changes, now) {
      const updated = await clients.findOneAndUpdate({ _id: id }, setOrUnset({ ...changes, updatedAt: now }));
      return toClientOrNull(updated);
    },
    replaceSecrets: (id, currentHash, secrets) =>
      clients.updateOne(
        { _id: id, 'secrets.0.hash': currentHash ?? { $exists: false } },
        { $set: { secrets } },
      ),
    delete: (id) => clients.deleteOne({ _id: id }),
    ...listsOf(clients),
    async longestAccessTokenTtl() {
      const [longest] = await clients.find(
        { accessTokenTtl: { $gt: 0 } },
        { projection: { accessTokenTtl: 1 }, sort: { accessTokenTtl: -1 }, limit: 1 },
      );
      return longest?.accessTokenTtl ?? 0;
    },
    async keep({ clientId, expiresAt }) {
      if (expiresAt === undefined) return;
      const isThere = await clients.updateOne({ _id: clientId }, { $unset: { expiresAt: 1 } });
      if (!isThere)
        throw new OAuthError(
          'unauthorized_client',
          'the client was not used in time and is removed; it has to register again',
        );
    },
    countRegistered: (limit) => clients.count({ 'registration.accessTokenHash': { $exists: true } }, limit),
    replaceRegistered: ({ clientId, registration, secrets }, replacement) =>
      clients.updateOne(
        {
          _id: clientId,
          'registration.accessTokenHash': registration?.accessTokenHash ?? '',
          'secrets.0.hash': secrets[0]?.hash ?? { $exists: false },
          ...NOT_VOUCHED_FOR,
        },
        setOrUnset(replacement),
      ),
    deleteRegistered: (id, accessTokenHash) =>
      clients.deleteOne({ _id: id, 'registration.accessTokenHash': accessTokenHash }),
  };
}

/** What is there but undefined is taken away. */
function setOrUnset(fields: Readonly<Record<string, unknown>>): Record<string, object> {
  const entries = Object.entries(fields);
  const removed = entries.filter(([, value]) => value === undefined).map(([name]) => [name, 1]);
  return {
    $set: Object.fromEntries(entries.filter(([, value]) => value !== undefined)),
    ...(removed.length > 0 && { $unset: Object.fromEntries(removed) as object }),
  };
}

function listsOf(
  clients: Documents<StoredClient>,
): Pick<ClientStore, 'list' | 'findAll' | 'listNewest' | 'listOfOwner'> {
  return {
    list: async (limit, after) =>
      (
        await clients.find(after === undefined ? {} : { _id: { $gt: after } }, { sort: { _id: 1 }, limit })
      ).map(toClient),
    findAll: async (ids) => (await clients.find({ _id: { $in: ids } })).map(toClient),
    async listNewest({ limit, selfRegistered = false, after }) {
      // the range beside the alternatives: by it the index is entered at that place, and not read from its beginning
      const later = after && {
        createdAt: { $lte: after.createdAt },
        $or: [{ createdAt: { $lt: after.createdAt } }, { _id: { $lt: after.id } }],
      };
      const filter = {
        ...(selfRegistered && { 'registration.accessTokenHash': { $exists: true } }),
        ...later,
      };
      return (await clients.find(filter, { sort: { createdAt: -1, _id: -1 }, limit })).map(toClient);
    },
    listOfOwner: async (ownerId, limit) =>
      (await clients.find({ ownerId }, { sort: { createdAt: -1 }, limit })).map(toClient),
  };
}
