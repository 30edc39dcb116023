import { Schema, type Connection, type Model } from 'mongoose';
import type { Storage } from './storage.js';

/** A client secret as it is stored. */
export interface StoredSecret {
  readonly hash: string;
  /** `sha256` for the random secrets made here, `bcrypt` for those that a person chose or brought along. */
  readonly algorithm: 'sha256' | 'bcrypt';
  readonly createdAt: Date;
  /** Set where the secret was rotated: the old one works until then. */
  readonly expiresAt?: Date;
}

/** RFC 6749 §2.1: whether the client can keep its credentials confidential. */
export type ClientType = 'confidential' | 'public';

/** What a client is registered with. */
export interface ClientMetadata {
  readonly name: string;
  readonly type: ClientType;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly string[];
  readonly grantTypes: readonly string[];
  /** A first-party client that the host vouches for: the consent page is skipped. */
  readonly trusted: boolean;
  /** A resource server that may ask about tokens (RFC 7662 §2.1). Default: false; confidential clients only. */
  readonly introspection?: boolean;
  /** The host has checked who is behind it, and the consent page says so. Default: false. */
  readonly verified?: boolean;
  /** An https: URL. The consent page shows it where the client is verified, or where it is at the redirect URI's host. (RFC 7591 §2, §5) */
  readonly logoUri?: string;
  /** The user who registered it on the applications page. */
  readonly ownerId?: string;
}

/** A registered client, as stored. */
export interface StoredClient extends ClientMetadata {
  readonly _id: string;
  /** The newest first; a second one while it is being rotated. */
  readonly secrets: readonly StoredSecret[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const clientSchema = new Schema<StoredClient>(
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
    logoUri: String,
    ownerId: String,
    secrets: [{ _id: false, hash: String, algorithm: { type: String, enum: ['sha256', 'bcrypt'] }, createdAt: Date, expiresAt: Date }],
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  },
  { versionKey: false },
);
clientSchema.index({ ownerId: 1 }, { partialFilterExpression: { ownerId: { $exists: true } } });

/** The collection of clients; each method is one command to MongoDB. */
export interface Clients {
  readonly model: Model<StoredClient>;
  find(id: string): Promise<StoredClient | null>;
  /** Throws the driver's duplicate key error where the id is taken. */
  insert(client: StoredClient): Promise<void>;
  update(id: string, changes: Partial<ClientMetadata>, now: Date): Promise<StoredClient | null>;
  /** Replaces the secrets where the newest one is still `currentHash` (undefined: there is none); false where it is not. */
  replaceSecrets(id: string, currentHash: string | undefined, secrets: readonly StoredSecret[]): Promise<boolean>;
  delete(id: string): Promise<boolean>;
  /** The newest first, at most `limit`. */
  listOfOwner(ownerId: string, limit: number): Promise<StoredClient[]>;
}

export function createClients(connection: Connection, storage: Storage): Clients {
  const model = (connection.models.OAuthClient as Model<StoredClient> | undefined) ?? connection.model<StoredClient>('OAuthClient', clientSchema, 'oauth_clients');
  const collection = model.collection;

  return {
    model,
    find: (id) => storage.run(() => collection.findOne<StoredClient>({ _id: id as never })),
    async insert(client) {
      await storage.run(() => collection.insertOne(client as never));
    },
    update: (id, changes, now) =>
      storage.run(() => model.findOneAndUpdate({ _id: id }, { $set: { ...changes, updatedAt: now } }, { returnDocument: 'after' }).lean<StoredClient>().exec()),
    async replaceSecrets(id, currentHash, secrets) {
      const filter = { _id: id, 'secrets.0.hash': currentHash ?? { $exists: false } };
      const result = await storage.run(() => model.updateOne(filter, { $set: { secrets } }).exec());
      return result.matchedCount === 1;
    },
    async delete(id) {
      const result = await storage.run(() => model.deleteOne({ _id: id }).exec());
      return result.deletedCount === 1;
    },
    listOfOwner: (ownerId, limit) => storage.run(() => model.find({ ownerId }).sort({ createdAt: -1 }).limit(limit).lean<StoredClient[]>().exec()),
  };
}
