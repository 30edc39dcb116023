import { type Connection, type Model, Schema } from 'mongoose';

import type { ClientMetadata } from '../clients/client.js';
import { OAuthError } from '../errors.js';
import { collectionOf, modelOf, SCHEMA_OPTIONS } from './collection.js';
import { registrationSchema, type StoredRegistration } from './registration.js';
import type { Storage } from './storage.js';

/** A client secret as it is stored. */
export interface StoredSecret {
  readonly hash: string;
  /** `sha256` for the random secrets made here, `bcrypt` for those that a person chose or brought along. */
  readonly algorithm: 'sha256' | 'bcrypt';
  /** The secret itself, encrypted under the host's `clientSecretKey`: for client_secret_jwt alone. */
  readonly sealed?: string;
  readonly createdAt: Date;
  /** Set where the secret was rotated: the old one works until then. */
  readonly expiresAt?: Date;
}

/** A registered client, as stored. */
export interface StoredClient extends ClientMetadata {
  readonly _id: string;
  /** The newest first; a second one while it is being rotated. */
  readonly secrets: readonly StoredSecret[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Set where it registered itself (RFC 7591): nobody of this site has looked at it. */
  readonly registration?: StoredRegistration;
  /** Set where it registered itself and was not used yet: the TTL index removes it then. */
  readonly expiresAt?: Date;
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

/** A part of the list of all clients. */
export interface ClientListQuery {
  readonly limit: number;
  readonly selfRegistered?: boolean;
  /** The last client of the part before. */
  readonly after?: { readonly createdAt: Date; readonly id: string };
}

/** The collection of clients; each method is one command to MongoDB. */
export interface Clients {
  readonly model: Model<StoredClient>;
  find(id: string): Promise<StoredClient | null>;
  /** Throws the driver's duplicate key error where the id is taken. */
  insert(client: StoredClient): Promise<void>;
  /** What is there but undefined is taken away. */
  update(id: string, changes: Partial<ClientMetadata>, now: Date): Promise<StoredClient | null>;
  /** Replaces the secrets where the newest one is still `currentHash` (undefined: there is none); false where it is not. */
  replaceSecrets(
    id: string,
    currentHash: string | undefined,
    secrets: readonly StoredSecret[],
  ): Promise<boolean>;
  delete(id: string): Promise<boolean>;
  /** Seconds: the longest life of access tokens that a client has of its own, 0 where none has. */
  longestAccessTokenTtl(): Promise<number>;
  /** The newest first, at most `limit`. */
  listOfOwner(ownerId: string, limit: number): Promise<StoredClient[]>;
  /**
   * Called before a grant is stored: a client that registered itself is in use now and stays. No command at all where
   * that is known already.
   *
   * @throws OAuthError unauthorized_client where it was removed a moment ago
   */
  keep(client: StoredClient): Promise<void>;
  /** How many clients have registered themselves, counted no further than `limit`. */
  countRegistered(limit: number): Promise<number>;
  /**
   * Replaces what a client has registered of itself, all at once (what is undefined is taken away); false where its
   * registration access token or its secret is no longer the one in `current`, or the host vouches for it meanwhile.
   */
  replaceRegistered(current: StoredClient, replacement: Readonly<Record<string, unknown>>): Promise<boolean>;
  /** Deletes a client by its registration access token; false where it is not that one's. */
  deleteRegistered(id: string, accessTokenHash: string): Promise<boolean>;
  /** All clients, or those that registered themselves, the newest first; those after a place in that order where it is given. */
  listNewest(query: ClientListQuery): Promise<StoredClient[]>;
  /** All clients by their ids, at most `limit`, those after an id where it is given. */
  list(limit: number, after?: string): Promise<StoredClient[]>;
  findAll(ids: readonly string[]): Promise<StoredClient[]>;
}

export function createClients(connection: Connection, storage: Storage): Clients {
  const model = modelOf(connection, 'OAuthClient', 'oauth_clients', clientSchema);
  const collection = collectionOf(connection, model.collection.name);

  return {
    model,
    find: (id) => storage.run(() => collection.readOne<StoredClient>({ _id: id })),
    async insert(client) {
      await storage.run(() => collection().insertOne(client as never));
    },
    update: (id, changes, now) => {
      const removed = Object.entries(changes).flatMap(([name, value]) =>
        value === undefined ? [[name, 1]] : [],
      );
      const update = {
        $set: { ...changes, updatedAt: now },
        ...(removed.length > 0 && { $unset: Object.fromEntries(removed) as Record<string, 1> }),
      };
      return storage.run(() =>
        model.findOneAndUpdate({ _id: id }, update, { returnDocument: 'after' }).lean<StoredClient>().exec(),
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
    list: (limit, after) =>
      storage.run(() =>
        model
          .find(after === undefined ? {} : { _id: { $gt: after } })
          .sort({ _id: 1 })
          .limit(limit)
          .lean<StoredClient[]>()
          .exec(),
      ),
    findAll: (ids) =>
      storage.run(() =>
        collection()
          .find<StoredClient>({ _id: { $in: ids } as never })
          .toArray(),
      ),
    listNewest: ({ limit, selfRegistered = false, after }) => {
      // the range beside the alternatives: by it the index is entered at that place, and not read from its beginning
      const later = after && {
        createdAt: { $lte: after.createdAt },
        $or: [{ createdAt: { $lt: after.createdAt } }, { _id: { $lt: after.id } }],
      };
      const filter = {
        ...(selfRegistered && { 'registration.accessTokenHash': { $exists: true } }),
        ...later,
      };
      return storage.run(() =>
        model.find(filter).sort({ createdAt: -1, _id: -1 }).limit(limit).lean<StoredClient[]>().exec(),
      );
    },
    listOfOwner: (ownerId, limit) =>
      storage.run(() =>
        model.find({ ownerId }).sort({ createdAt: -1 }).limit(limit).lean<StoredClient[]>().exec(),
      ),
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
    async keep({ _id, expiresAt }) {
      if (expiresAt === undefined) return;
      const result = await storage.run(() =>
        collection().updateOne({ _id: _id as never }, { $unset: { expiresAt: 1 } }),
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
    async replaceRegistered({ _id, registration, secrets }, replacement) {
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
            _id: _id as never,
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
