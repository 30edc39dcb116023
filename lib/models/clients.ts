import { type Connection, type Model, Schema } from 'mongoose';

import type { Client } from '../clients/client.js';
import type { ClientStore } from '../clients/client-store.js';
import { OAuthError } from '../errors.js';
import { type CollectionOf, collectionOf, modelOf, SCHEMA_OPTIONS } from './collection.js';
import { registrationSchema } from './registration.js';
import { isDuplicateKey, type Storage } from './storage.js';

/** A registered client, as stored. */
export type StoredClient = Omit<Client, 'clientId'> & { readonly _id: string };

/** What a document says of a client: the only place that knows both. */
function toClient({ _id, ...rest }: StoredClient): Client {
  return { clientId: _id, ...rest };
}

function toClientOrNull(stored: StoredClient | null): Client | null {
  return stored === null ? null : toClient(stored);
}

const clientSchema = () =>
  new Schema<StoredClient>(
    {
      _id: { type: String, required: true },
      name: { type: String, required: true },
      type: { type: String, enum: ['confidential', 'public'], required: true },
      redirectUris: { type: [String], required: true },
      scopes: { type: [String], required: true },
      grantTypes: { type: [String], required: true },
      trusted: { type: Boolean, required: true },
      introspection: Boolean,
      verified: Boolean,
      // no list where none was given: an empty one would mean that it is no resource server
      resources: { type: [String], default: undefined },
      tokenEndpointAuthMethod: String,
      jwks: Schema.Types.Mixed,
      jwksUri: String,
      accessTokenTtl: Number,
      refreshTokenTtl: Number,
      logoUri: String,
      ownerId: String,
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
      registration: registrationSchema(),
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
    .index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

/** The collection of clients; each method is one command to MongoDB. */
export interface Clients extends ClientStore {
  readonly model: Model<StoredClient>;
}

export function createClients(connection: Connection, storage: Storage): Clients {
  const model = modelOf(connection, 'OAuthClient', 'oauth_clients', clientSchema);
  const collection = collectionOf(connection, model.collection.name);

  return {
    model,
    find: async (id) =>
      toClientOrNull(await storage.run(() => collection.readOne<StoredClient>({ _id: id }))),
    async insert({ clientId, ...rest }) {
      try {
        await storage.run(() => collection().insertOne({ _id: clientId, ...rest } as never));
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    update: async (id, changes, now) => {
      const removed = Object.entries(changes).flatMap(([name, value]) =>
        value === undefined ? [[name, 1]] : [],
      );
      const update = {
        $set: { ...changes, updatedAt: now },
        ...(removed.length > 0 && { $unset: Object.fromEntries(removed) as Record<string, 1> }),
      };
      return toClientOrNull(
        await storage.run(() =>
          model
            .findOneAndUpdate({ _id: id }, update, { returnDocument: 'after' })
            .lean<StoredClient>()
            .exec(),
        ),
      );
    },
    async replaceSecrets(id, currentHash, secrets) {
      const filter = { _id: id, 'secrets.0.hash': currentHash ?? { $exists: false } };
      const result = await storage.run(() => model.updateOne(filter, { $set: { secrets } }).exec());
      return result.matchedCount === 1;
    },
    async delete(id) {
      const result = await storage.run(() => model.deleteOne({ _id: id }).exec());
      return result.deletedCount === 1;
    },
    ...listsOf(model, collection, storage),
    async longestAccessTokenTtl() {
      const [longest] = await storage.run(() =>
        model
          .find({ accessTokenTtl: { $gt: 0 } }, { accessTokenTtl: 1 })
          .sort({ accessTokenTtl: -1 })
          .limit(1)
          .lean<StoredClient[]>()
          .exec(),
      );
      return longest?.accessTokenTtl ?? 0;
    },
    async keep({ clientId, expiresAt }) {
      if (expiresAt === undefined) return;
      const result = await storage.run(() =>
        collection().updateOne({ _id: clientId as never }, { $unset: { expiresAt: 1 } }),
      );
      if (result.matchedCount === 0)
        throw new OAuthError(
          'unauthorized_client',
          'the client was not used in time and is removed; it has to register again',
        );
    },
    countRegistered: (limit) =>
      storage.run(() =>
        collection().countDocuments({ 'registration.accessTokenHash': { $exists: true } }, { limit }),
      ),
    async replaceRegistered({ clientId, registration, secrets }, replacement) {
      const proof = {
        'registration.accessTokenHash': registration?.accessTokenHash ?? '',
        'secrets.0.hash': secrets[0]?.hash ?? { $exists: false },
      };
      const fields = Object.entries(replacement);
      const update = {
        $set: Object.fromEntries(fields.filter(([, value]) => value !== undefined)),
        $unset: Object.fromEntries(
          fields.filter(([, value]) => value === undefined).map(([field]) => [field, 1]),
        ),
      };
      const result = await storage.run(() =>
        collection().updateOne(
          {
            _id: clientId as never,
            ...proof,
            trusted: false,
            introspection: { $ne: true },
            verified: { $ne: true },
          },
          update as object,
        ),
      );
      return result.matchedCount === 1;
    },
    async deleteRegistered(id, accessTokenHash) {
      const result = await storage.run(() =>
        collection().deleteOne({ _id: id as never, 'registration.accessTokenHash': accessTokenHash }),
      );
      return result.deletedCount === 1;
    },
  };
}

function listsOf(
  model: Model<StoredClient>,
  collection: CollectionOf,
  storage: Storage,
): Pick<ClientStore, 'list' | 'findAll' | 'listNewest' | 'listOfOwner'> {
  return {
    list: async (limit, after) => {
      const found = await storage.run(() =>
        model
          .find(after === undefined ? {} : { _id: { $gt: after } })
          .sort({ _id: 1 })
          .limit(limit)
          .lean<StoredClient[]>()
          .exec(),
      );
      return found.map(toClient);
    },
    findAll: async (ids) => {
      const found = await storage.run(() =>
        collection()
          .find<StoredClient>({ _id: { $in: ids } as never })
          .toArray(),
      );
      return found.map(toClient);
    },
    listNewest: async ({ limit, selfRegistered = false, after }) => {
      // the range beside the alternatives: by it the index is entered at that place, and not read from its beginning
      const later = after && {
        createdAt: { $lte: after.createdAt },
        $or: [{ createdAt: { $lt: after.createdAt } }, { _id: { $lt: after.id } }],
      };
      const filter = {
        ...(selfRegistered && { 'registration.accessTokenHash': { $exists: true } }),
        ...later,
      };
      const found = await storage.run(() =>
        model.find(filter).sort({ createdAt: -1, _id: -1 }).limit(limit).lean<StoredClient[]>().exec(),
      );
      return found.map(toClient);
    },
    listOfOwner: async (ownerId, limit) => {
      const found = await storage.run(() =>
        model.find({ ownerId }).sort({ createdAt: -1 }).limit(limit).lean<StoredClient[]>().exec(),
      );
      return found.map(toClient);
    },
  };
}
