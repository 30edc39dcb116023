import type { Mongoose, Schema as MongooseSchema } from 'mongoose';

import type { Client, ClientRegistration } from '../../core/clients/client.js';
import type { ClientField } from '../../core/clients/client-field.js';
import { DETAIL_FIELDS } from '../../core/clients/client-fields.js';
import { CLIENT_FIELDS } from '../../core/clients/client-fields.js';
import { listedOf } from '../../core/clients/client-lists.js';
import type { ClientConsents, ClientStore } from '../../core/clients/client-store.js';
import { DEFAULT_USED_TTL } from '../../core/clients/client-store.js';
import type { ExtendSchema } from '../../settings/options/schema-options.js';
import { OAuthError } from '../../shared/errors.js';
import { type Collection, openCollection, SCHEMA_OPTIONS } from '../connection/collection.js';
import type { Database } from '../connection/database.js';
import { checkFormat, DOCUMENT_FORMAT } from '../connection/document-format.js';
import type { CollectionDefinition } from '../connection/model.js';
import { setOrUnset } from '../connection/query-helpers.js';
import { findSchemaProblem } from '../connection/schema-problem.js';
import { invitationFields } from '../invitation-fields.js';
import type { StoredClient } from './client-document.js';
import { createClientExpiry } from './client-expiry.js';
import { createClientLists } from './client-lists.js';
import { createRegisteredClients } from './registered-clients.js';

const details = Object.fromEntries(DETAIL_FIELDS.map(({ name, stored }) => [name, { ...stored }]));

/** The type is explicit: the one that TypeScript infers has names of the Mongoose that we are built with. */
export const registrationSchema = (Schema: Mongoose['Schema']): MongooseSchema<ClientRegistration> =>
  new Schema<ClientRegistration>(
    {
      accessTokenHash: { type: String, required: true },
      details: { type: new Schema(details, { _id: false }), required: true },
      softwareStatement: String,
      unusedSince: Date,
      adoptedAt: Date,
    },
    { _id: false },
  );

// made for each schema: it is Mongoose's to change
const secretFields = () => ({
  _id: false,
  hash: String,
  algorithm: { type: String, enum: ['sha256', 'bcrypt'] },
  sealed: String,
  createdAt: Date,
  ending: String,
  lastUsedOn: Date,
  isRawInBasic: Boolean,
  expiresAt: Date,
});

/** The collection of clients that are registered with these fields. */
export const clientCollection = (fields: readonly ClientField[]): CollectionDefinition<StoredClient> => ({
  model: 'AuthorizationServerClient',
  extendedBy: ['authorizationServer', 'schemas.client'],
  name: 'oauth_clients',
  people: {
    // core/people/ changes them by the rules of the registry
    paths: {
      ownerId: { person: 'owner', atEnd: 'operation' },
      coOwnerIds: { person: 'owner', atEnd: 'operation' },
      'invitations.userId': { person: 'invited', atEnd: 'operation', with: ['invitations.typed'] },
      'invitations.invitedBy': { person: 'actor', atEnd: 'operation' },
    },
    exported: 'name type redirectUris scopes createdAt updatedAt blocked',
  },
  schema: ({ Schema }) =>
    new Schema<StoredClient>(
      {
        _id: { type: String, required: true },
        documentFormat: Number,
        ...Object.fromEntries(fields.map(({ name, stored }) => [name, { ...stored }])),
        secrets: [secretFields()],
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
        document: { type: { _id: false, fetchedAt: Date, freshUntil: Date }, default: undefined },
        awaitsApprovalSince: Date,
        review: {
          type: { _id: false, digest: String, changed: { type: [String], default: undefined } },
          default: undefined,
        },
        ownerSince: Date,
        invitations: { type: [invitationFields()], default: undefined },
        listed: {
          type: { _id: false, lists: [String], keys: [String], skeleton: String },
          default: undefined,
        },
        blocked: { type: { _id: false, at: Date, reason: String }, default: undefined },
        expiresAt: Date,
      },
      SCHEMA_OPTIONS,
    )
      .index({ ownerId: 1 }, { partialFilterExpression: { ownerId: { $exists: true } } })
      .index({ coOwnerIds: 1 }, { partialFilterExpression: { coOwnerIds: { $exists: true } } })
      .index(
        { 'invitations.userId': 1 },
        { partialFilterExpression: { 'invitations.userId': { $exists: true } } },
      )
      .index(
        { 'invitations.invitedBy': 1 },
        { partialFilterExpression: { 'invitations.invitedBy': { $exists: true } } },
      )
      .index(
        { 'registration.accessTokenHash': 1 },
        { partialFilterExpression: { 'registration.accessTokenHash': { $exists: true } } },
      )
      .index(
        { 'registration.unusedSince': 1 },
        { partialFilterExpression: { 'registration.unusedSince': { $exists: true } } },
      )
      .index(
        { 'registration.unusedSince': -1, _id: -1 },
        { partialFilterExpression: { 'registration.unusedSince': { $exists: true } } },
      )
      .index({ createdAt: -1, _id: -1 })
      .index({ 'listed.lists': 1, createdAt: -1, _id: -1 })
      .index({ 'listed.keys': 1 })
      .index({ 'listed.skeleton': 1 }, { partialFilterExpression: { 'listed.skeleton': { $exists: true } } })
      .index({ accessTokenTtl: -1 }, { partialFilterExpression: { accessTokenTtl: { $exists: true } } })
      .index({ expiresAt: 1 }, { expireAfterSeconds: 0 }),
});

export const CLIENTS = clientCollection(CLIENT_FIELDS);

export interface ClientStoreOptions {
  /** Seconds that a client which registered itself is kept after its last grant or refresh. Default: 90 days. */
  readonly usedLife?: number | undefined;
  /** The same after its first grant, until it gets another one or refreshes it. Default: as `usedLife`. */
  readonly firstLife?: number | undefined;
  /** Where consents to an earlier client of the same id are forgotten. Default: nowhere. */
  readonly consents?: Pick<ClientConsents, 'forget'>;
}

/** The clients of this site; each operation is one command, except the first `prolong` of a client. */
export function createClientStore(
  database: Database,
  extend?: ExtendSchema,
  { usedLife = DEFAULT_USED_TTL, firstLife = usedLife, consents }: ClientStoreOptions = {},
): ClientStore {
  const clients = openCollection(database, CLIENTS, extend);
  const { customFields } = clients;
  const toClient = clientOf(customFields);

  const insert: ClientStore['insert'] = async ({ clientId, custom, ...rest }) =>
    toClient(
      await accepted(
        clients.save({
          ...custom,
          _id: clientId,
          documentFormat: DOCUMENT_FORMAT,
          ...rest,
          listed: listedOf({ clientId, ...rest }),
        }),
      ),
    );

  return {
    customFields,
    find: async (id) => toClient(await clients.findOne({ _id: id })),
    insert,
    async update(before, { custom, ...changes }, { now, takesOver }) {
      const { clientId, updatedAt } = before;
      const update = setOrUnset({
        ...custom,
        ...changes,
        updatedAt: now,
        listed: listedOf({ ...before, ...changes }),
        ...(takesOver && { expiresAt: undefined }),
        ...(takesOver &&
          before.registration && {
            'registration.unusedSince': undefined,
            'registration.adoptedAt': now,
          }),
      });
      return toClient(await accepted(clients.findOneAndUpdate({ _id: clientId, updatedAt }, update)));
    },
    ...secretsOf(clients),
    async noteDocument(id, { fetchedAt, freshUntil }) {
      await clients.updateOne(
        { _id: id, 'document.fetchedAt': { $lt: fetchedAt } },
        {
          $set: { document: { fetchedAt, freshUntil } },
        },
      );
    },
    delete: (id) => clients.deleteOne({ _id: id }),
    ...createClientLists(clients, toClient),
    async longestAccessTokenTtl() {
      const [longest] = await clients.find(
        { accessTokenTtl: { $gt: 0 } },
        { projection: { accessTokenTtl: 1 }, sort: { accessTokenTtl: -1 }, limit: 1 },
      );
      return longest?.accessTokenTtl ?? 0;
    },
    ...createClientExpiry(clients, { usedLife, firstLife, consents, insert }),
    ...createRegisteredClients(clients),
  };
}

/** Makes a client from its document: the only place that knows both. */
function clientOf(customFields: readonly string[]) {
  function toClient(stored: StoredClient): Client;
  function toClient(stored: StoredClient | null): Client | null;
  function toClient(stored: StoredClient | null): Client | null {
    if (stored === null) return null;
    const { _id, documentFormat = 1, listed: _listed, ...rest } = stored;
    checkFormat('client', { documentFormat });
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

/** Reports a refusal by the site's own schema like one of ours, with the field. */
async function accepted<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const problem = findSchemaProblem(error);
    if (problem === undefined) throw error;
    throw new OAuthError('invalid_client_metadata', `${problem.path}: ${problem.message}`, { cause: error });
  }
}

function secretsOf(
  clients: Collection<StoredClient>,
): Pick<ClientStore, 'replaceSecrets' | 'noteSecretUse' | 'endRawBasic'> {
  return {
    replaceSecrets: (id, currentHash, secrets) =>
      clients.updateOne(
        { _id: id, 'secrets.0.hash': currentHash ?? { $exists: false } },
        { $set: { secrets } },
      ),
    async noteSecretUse(id, hash, day) {
      const recordedBefore = { $not: { $gte: day } };
      await clients.updateOne(
        { _id: id, secrets: { $elemMatch: { hash, lastUsedOn: recordedBefore } } },
        { $set: { 'secrets.$.lastUsedOn': day } },
      );
    },
    async endRawBasic(id, hash) {
      await clients.updateOne(
        { _id: id, secrets: { $elemMatch: { hash, isRawInBasic: true } } },
        { $unset: { 'secrets.$.isRawInBasic': '' } },
      );
    },
  };
}
