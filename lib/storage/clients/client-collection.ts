import type { Client } from '../../core/clients/client.js';
import type { ClientField } from '../../core/clients/client-field.js';
import { CLIENT_FIELDS, DETAIL_FIELDS } from '../../core/clients/client-fields.js';
import { listedOf } from '../../core/clients/client-lists.js';
import { type ClientConsents, type ClientStore, DEFAULT_USED_TTL } from '../../core/clients/client-store.js';
import type { ExtendSchema } from '../../settings/options/schema-options.js';
import { OAuthError } from '../../shared/errors.js';
import { Collection } from '../connection/collection.js';
import type { Database } from '../connection/database.js';
import { findSchemaProblem } from '../connection/database.js';
import { checkFormat, DOCUMENT_FORMAT } from '../connection/model.js';
import { defineCollection, optionalList, requiredType } from '../connection/model.js';
import { setOrUnset } from '../connection/query-helpers.js';
import { invitationFields } from '../invitation-fields.js';
import type { StoredClient } from './client-document.js';
import { createClientExpiry } from './client-expiry.js';
import { createClientLists } from './client-lists.js';
import { createRegisteredClients } from './registered-clients.js';

const details = Object.fromEntries(DETAIL_FIELDS.map(({ name, stored }) => [name, { ...stored }]));

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
export const clientCollection = (fields: readonly ClientField[]) =>
  defineCollection<StoredClient>({
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
      id: 'clientId',
    },
    fields: (_types, Schema) => ({
      _id: requiredType(String),
      documentFormat: Number,
      ...Object.fromEntries(fields.map(({ name, stored }) => [name, { ...stored }])),
      secrets: [secretFields()],
      createdAt: requiredType(Date),
      updatedAt: requiredType(Date),
      registration: new Schema(
        {
          accessTokenHash: requiredType(String),
          details: { type: new Schema(details, { _id: false }), required: true },
          softwareStatement: String,
          unusedSince: Date,
          adoptedAt: Date,
        },
        { _id: false },
      ),
      allowed: {
        type: new Schema({ scopes: optionalList(String), grantTypes: optionalList(String) }, { _id: false }),
      },
      document: { type: { _id: false, fetchedAt: Date, freshUntil: Date }, default: undefined },
      awaitsApprovalSince: Date,
      review: {
        type: { _id: false, digest: String, changed: optionalList(String) },
        default: undefined,
      },
      ownerSince: Date,
      invitations: optionalList(invitationFields()),
      listed: { type: { _id: false, lists: [String], keys: [String], skeleton: String }, default: undefined },
      blocked: { type: { _id: false, at: Date, reason: String }, default: undefined },
      expiresAt: Date,
    }),
    ttl: 'expiresAt',
    sparse: [
      { ownerId: 1 },
      { coOwnerIds: 1 },
      { 'invitations.userId': 1 },
      { 'invitations.invitedBy': 1 },
      { 'registration.accessTokenHash': 1 },
      { 'registration.unusedSince': 1 },
      { 'registration.unusedSince': -1, _id: -1 },
      { 'listed.skeleton': 1 },
      { accessTokenTtl: -1 },
    ],
    indexes: [
      [{ createdAt: -1, _id: -1 }],
      [{ 'listed.lists': 1, createdAt: -1, _id: -1 }],
      [{ 'listed.keys': 1 }],
    ],
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
  const clients = new Collection(database, CLIENTS, extend);
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

function secretsOf(clients: Collection<StoredClient>) {
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
  } satisfies Partial<ClientStore>;
}
