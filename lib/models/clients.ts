import type { Client } from '../clients/client.js';
import type { ClientField } from '../clients/client-field.js';
import { CLIENT_FIELDS } from '../clients/client-fields.js';
import type { ClientStore } from '../clients/client-store.js';
import type { CustomClientFields } from '../clients/custom-client-fields.js';
import { OAuthError } from '../errors.js';
import type { ExtendSchema } from '../settings/schema-options.js';
import type { Database } from './database.js';
import { type Documents, documentsOf, SCHEMA_OPTIONS } from './documents.js';
import type { Collection } from './model-of.js';
import { registrationSchema } from './registration.js';
import { findSchemaProblem } from './schema-problem.js';

/** A registered client, as stored. */
export type StoredClient = Omit<Client, 'clientId' | 'custom'> &
  CustomClientFields & { readonly _id: string };

/** What a client that changes itself must not have: it would take along what the host says of it. */
const NOT_ADOPTED = {
  'registration.adoptedAt': { $exists: false },
  ...Object.fromEntries(
    CLIENT_FIELDS.filter(({ isVouching }) => isVouching).map(({ name }) => [name, { $ne: true }]),
  ),
};

/** The collection of clients that are registered with these fields. */
export const clientCollection = (fields: readonly ClientField[]): Collection<StoredClient> => ({
  model: 'AuthorizationServerClient',
  extendedBy: ['authorizationServer', 'schemas.client'],
  name: 'oauth_clients',
  schema: ({ Schema }) =>
    new Schema<StoredClient>(
      {
        _id: { type: String, required: true },
        ...Object.fromEntries(fields.map(({ name, stored }) => [name, { ...stored }])),
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
        allowed: {
          type: new Schema(
            {
              scopes: { type: [String], default: undefined },
              grantTypes: { type: [String], default: undefined },
            },
            { _id: false },
          ),
        },
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
});

export const CLIENTS = clientCollection(CLIENT_FIELDS);

/** The clients of this site; each operation is one command. */
export function createClientStore(database: Database, extend?: ExtendSchema): ClientStore {
  const clients = documentsOf(database, CLIENTS, extend);
  const { customFields } = clients;
  const toClient = clientOf(customFields);

  return {
    customFields,
    find: async (id) => toClient(await clients.findOne({ _id: id })),
    async insert({ clientId, custom, ...rest }) {
      return toClient(await accepted(clients.save({ ...custom, _id: clientId, ...rest })));
    },
    async update({ clientId, updatedAt }, { custom, ...changes }, { now, adopts }) {
      const update = setOrUnset({
        ...custom,
        ...changes,
        updatedAt: now,
        ...(adopts && { expiresAt: undefined, 'registration.adoptedAt': now }),
      });
      return toClient(await accepted(clients.findOneAndUpdate({ _id: clientId, updatedAt }, update)));
    },
    replaceSecrets: (id, currentHash, secrets) =>
      clients.updateOne(
        { _id: id, 'secrets.0.hash': currentHash ?? { $exists: false } },
        { $set: { secrets } },
      ),
    delete: (id) => clients.deleteOne({ _id: id }),
    ...listsOf(clients, toClient),
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
          ...NOT_ADOPTED,
        },
        setOrUnset(replacement),
      ),
    deleteRegistered: (id, accessTokenHash) =>
      clients.deleteOne({ _id: id, 'registration.accessTokenHash': accessTokenHash, ...NOT_ADOPTED }),
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

/** What a document says of a client: the only place that knows both. */
function clientOf(customFields: readonly string[]) {
  function toClient(stored: StoredClient): Client;
  function toClient(stored: StoredClient | null): Client | null;
  function toClient(stored: StoredClient | null): Client | null {
    if (stored === null) return null;
    const { _id, ...rest } = stored;
    if (customFields.length === 0) return { clientId: _id, ...rest };
    const isCustom = ([name]: [string, unknown]) => customFields.includes(name);
    const fields = Object.entries(rest);
    return {
      clientId: _id,
      ...(Object.fromEntries(fields.filter((field) => !isCustom(field))) as typeof rest),
      custom: Object.fromEntries(fields.filter(isCustom)),
    };
  }
  return toClient;
}

/** What the host's own schema refuses is told as what ours refuses is, with the field. */
async function accepted<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const problem = findSchemaProblem(error);
    if (problem === undefined) throw error;
    throw new OAuthError('invalid_client_metadata', `${problem.path}: ${problem.message}`, { cause: error });
  }
}

function listsOf(
  clients: Documents<StoredClient>,
  toClient: (stored: StoredClient) => Client,
): Pick<ClientStore, 'list' | 'findAll' | 'listNewest' | 'listOfOwner'> {
  return {
    list: async (limit, after) =>
      (
        await clients.find(after === undefined ? {} : { _id: { $gt: after } }, { sort: { _id: 1 }, limit })
      ).map((stored) => toClient(stored)),
    findAll: async (ids) => (await clients.find({ _id: { $in: ids } })).map((stored) => toClient(stored)),
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
      return (await clients.find(filter, { sort: { createdAt: -1, _id: -1 }, limit })).map((stored) =>
        toClient(stored),
      );
    },
    listOfOwner: async (ownerId, limit) =>
      (await clients.find({ ownerId }, { sort: { createdAt: -1 }, limit })).map((stored) => toClient(stored)),
  };
}
