import type { Client } from '../../core/clients/client.js';
import type { ClientField } from '../../core/clients/client-field.js';
import { CLIENT_FIELDS, DETAIL_FIELDS } from '../../core/clients/client-fields.js';
import { listedFields } from '../../core/clients/client-lists.js';
import {
  type ClientConsents,
  type ClientStore,
  DEFAULT_USED_TTL,
  type FindClientOptions,
} from '../../core/clients/client-store.js';
import { isHostApproved } from '../../core/clients/registry/update-client.js';
import { addSeconds } from '../../shared/date.js';
import { OAuthError } from '../../shared/errors.js';
import { Collection } from '../connection/collection.js';
import { type Database, findSchemaProblem } from '../connection/database.js';
import {
  checkFormat,
  defineCollection,
  DOCUMENT_FORMAT,
  optionalFields,
  optionalList,
  requiredType,
} from '../connection/model.js';
import { setOrUnset } from '../connection/query-helpers.js';
import { invitationFields } from '../invitation-fields.js';
import { createClientLists, type StoredClient } from './client-lists.js';

const details = Object.fromEntries(DETAIL_FIELDS.map(({ name, stored }) => [name, { ...stored }]));

/** The collection of clients with these fields. */
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
      documentFormat: Number,
      ...Object.fromEntries(fields.map(({ name, stored }) => [name, { ...stored }])),
      secrets: [
        {
          _id: false,
          hash: String,
          algorithm: { type: String, enum: ['sha256', 'bcrypt'] },
          sealed: String,
          createdAt: Date,
          ending: String,
          lastUsedOn: Date,
          isRawInBasic: Boolean,
          expiresAt: Date,
        },
      ],
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
      document: optionalFields({ fetchedAt: Date, freshUntil: Date }),
      awaitsApprovalSince: Date,
      review: optionalFields({ digest: String, changed: optionalList(String) }),
      ownerSince: Date,
      invitations: optionalList(invitationFields()),
      listed: optionalFields({ lists: [String], keys: [String], skeleton: String }),
      blocked: optionalFields({ at: Date, reason: String }),
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

/** Matches only clients that the site has neither adopted nor vouched for. */
const NOT_ADOPTED = {
  'registration.adoptedAt': { $exists: false },
  ...Object.fromEntries(
    CLIENT_FIELDS.filter(({ grantsTrust }) => grantsTrust).map(({ name }) => [name, { $ne: true }]),
  ),
};
/** The condition of changes by the client itself: neither approval by the site nor a block may be circumvented. */
const SELF_MANAGED = { ...NOT_ADOPTED, blocked: { $exists: false } };

/** Seconds: used clients are stored a week longer than needed, so that this date changes only once a week. */
const SLACK = 604_800;
/** Seconds: the first tokens come later than the first code, and end later. */
const FIRST_SLACK = 86_400;

export interface ClientLives {
  /** Seconds that a client which registered itself is stored after its last grant or refresh. Default: 90 days. */
  readonly usedLife?: number | undefined;
  /** Seconds after the client's first grant, until another grant or a refresh. Default: `usedLife`. */
  readonly firstLife?: number | undefined;
}

/**
 * The clients of this site; each operation is one command, except the first `prolong` of a client.
 *
 * @param consents the store from which consents to an earlier client of the same id are deleted
 */
export function createClientStore(
  database: Database,
  { usedLife = DEFAULT_USED_TTL, firstLife = usedLife }: ClientLives,
  consents: ClientConsents,
) {
  const clients = new Collection(database, CLIENTS);
  const { customFields } = clients;
  const isCustom = ([name]: [string, unknown]) => customFields.includes(name);
  const toClient = ({ _id, documentFormat = 1, listed: _listed, ...rest }: StoredClient): Client => {
    checkFormat('client', { documentFormat });
    if (customFields.length === 0) return { clientId: _id, ...rest };
    const fields = Object.entries(rest);
    return {
      clientId: _id,
      ...(Object.fromEntries(fields.filter((field) => !isCustom(field))) as typeof rest),
      custom: Object.fromEntries(fields.filter(isCustom)),
    };
  };
  /** Reports a refusal by the site's schema like one of this package, with the field. */
  const stored = async (work: Promise<StoredClient | null>): Promise<Client | null> => {
    try {
      const document = await work;
      return document && toClient(document);
    } catch (error) {
      const problem = findSchemaProblem(error);
      if (problem === undefined) throw error;
      throw new OAuthError('invalid_client_metadata', `${problem.path}: ${problem.message}`, {
        cause: error,
      });
    }
  };
  const insert: ClientStore['insert'] = async ({ clientId, custom, ...rest }) =>
    stored(
      clients.save({
        ...custom,
        _id: clientId,
        documentFormat: DOCUMENT_FORMAT,
        ...rest,
        listed: listedFields({ clientId, ...rest }),
      }),
    );

  return {
    customFields,
    ...createClientLists(clients, toClient),
    async find(id: string, _options?: FindClientOptions): Promise<Client | null> {
      const document = await clients.findOne({ _id: id });
      return document && toClient(document);
    },
    insert,
    async update(before, { custom, ...changes }, { now, takesOver }) {
      const { clientId, updatedAt, registration } = before;
      const update = setOrUnset({
        ...custom,
        ...changes,
        updatedAt: now,
        listed: listedFields({ ...before, ...changes }),
        ...(takesOver && { expiresAt: undefined }),
        ...(takesOver &&
          registration && { 'registration.unusedSince': undefined, 'registration.adoptedAt': now }),
      });
      return stored(clients.findOneAndUpdate({ _id: clientId, updatedAt }, update));
    },
    replaceSecrets: (id, currentHash, secrets) =>
      clients.updateOne(
        { _id: id, 'secrets.0.hash': currentHash ?? { $exists: false } },
        { $set: { secrets } },
      ),
    async noteSecretUse(id, hash, day) {
      await clients.updateOne(
        { _id: id, secrets: { $elemMatch: { hash, lastUsedOn: { $not: { $gte: day } } } } },
        { $set: { 'secrets.$.lastUsedOn': day } },
      );
    },
    async endRawBasic(id, hash) {
      await clients.updateOne(
        { _id: id, secrets: { $elemMatch: { hash, isRawInBasic: true } } },
        { $unset: { 'secrets.$.isRawInBasic': '' } },
      );
    },
    async noteDocument(id, { fetchedAt, freshUntil }) {
      await clients.updateOne(
        { _id: id, 'document.fetchedAt': { $lt: fetchedAt } },
        { $set: { document: { fetchedAt, freshUntil } } },
      );
    },
    delete: (id) => clients.deleteOne({ _id: id }),
    /** The longest `accessTokenTtl` of all clients in seconds; 0 if none is set. */
    async longestAccessTokenTtl() {
      const [longest] = await clients.find(
        { accessTokenTtl: { $gt: 0 } },
        { projection: { accessTokenTtl: 1 }, sort: { accessTokenTtl: -1 }, limit: 1 },
      );
      return longest?.accessTokenTtl ?? 0;
    },
    async prolong(client, now) {
      const { clientId, registration, document, accessTokenTtl = 0, refreshTokenTtl = 0 } = client;
      const isOthers = registration !== undefined || document !== undefined;
      if (!isOthers || registration?.adoptedAt || isHostApproved(withoutOptionValues(client), CLIENT_FIELDS))
        return false;
      // most clients that one user has tried once never come back: they are stored no longer than their tokens
      const isFirst = registration?.unusedSince !== undefined || document?.isUnstored === true;
      const life = Math.max(isFirst ? firstLife : usedLife, accessTokenTtl, refreshTokenTtl);
      if (!isFirst && client.expiresAt !== undefined && client.expiresAt >= addSeconds(now, life))
        return false;
      const expiresAt = addSeconds(now, life + (isFirst ? FIRST_SLACK : SLACK));
      if (document?.isUnstored === true) {
        // consents to an earlier client of this id must not count for the new one
        await consents.forget({ clientId });
        if (await insert({ ...withoutOptionValues(client), expiresAt })) return true;
      }
      // a process with an older copy of the client must not shorten its life
      const update = { $max: { expiresAt }, $unset: { 'registration.unusedSince': 1 } };
      if (await clients.updateOne({ _id: clientId, ...NOT_ADOPTED }, update)) return true;
      // adopted meanwhile
      if ((await clients.findOne({ _id: clientId }, { _id: 1 })) !== null) return true;
      throw new OAuthError(
        'unauthorized_client',
        'the client was not used in time and is removed; it has to register again',
      );
    },
    /** The number of clients that have registered themselves and have no grant yet, counted up to `limit`. */
    countUnused: (limit: number) => clients.count({ 'registration.unusedSince': { $exists: true } }, limit),
    /** Removes the oldest unused client if it has waited since `before`; false if there is none. */
    async removeOldestUnused(before: Date): Promise<boolean> {
      const [oldest] = await clients.find(
        { 'registration.unusedSince': { $lte: before } },
        { sort: { 'registration.unusedSince': 1 }, limit: 1 },
      );
      const unusedSince = oldest?.registration?.unusedSince;
      return (
        oldest !== undefined &&
        clients.deleteOne({ _id: oldest._id, 'registration.unusedSince': unusedSince })
      );
    },
    replaceRegistered: (current, replacement) =>
      clients.updateOne(
        {
          _id: current.clientId,
          'registration.accessTokenHash': current.registration?.accessTokenHash ?? '',
          'secrets.0.hash': current.secrets[0]?.hash ?? { $exists: false },
          ...SELF_MANAGED,
        },
        setOrUnset({ ...replacement, listed: listedFields({ ...current, ...replacement }) }),
      ),
    deleteRegistered: (id, accessTokenHash) =>
      clients.deleteOne({ _id: id, 'registration.accessTokenHash': accessTokenHash, ...SELF_MANAGED }),
  } satisfies ClientStore & Record<string, unknown>;
}

/** Leaves out the members that come from the site's options: they change with the options. */
function withoutOptionValues(client: Client): Client {
  if (client.document === undefined) return client;
  const { isVerifiedByOptions, isUnstored: _untilNow, ...document } = client.document;
  return { ...client, document, verified: isVerifiedByOptions === true ? undefined : client.verified };
}
