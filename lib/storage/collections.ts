import type { Connection, Model } from 'mongoose';

import type { ClientField } from '../core/clients/client-field.js';
import type { ExtendSchema, SchemasOptions } from '../settings/options/schema-options.js';
import { clientCollection, CLIENTS } from './clients/client-collection.js';
import { REFUSALS } from './clients/client-failures.js';
import { INITIAL_ACCESS_TOKENS } from './clients/initial-access-tokens.js';
import { type CollectionDefinition, modelOf } from './connection/model.js';
import { CONSENTS } from './grants/consents.js';
import { GRANTS } from './grants/grant-collection.js';
import { AUDIT } from './other/audit.js';
import { CLIENT_LOGOS } from './other/client-logos.js';
import { FAILURES } from './other/failures.js';
import { ISSUERS } from './other/issuers.js';
import { MIGRATED } from './other/migrated.js';
import { PUSHED_REQUESTS } from './other/pushed-requests.js';
import { RECEIVED_EVENTS } from './other/received-events.js';
import { SIGN_INS } from './other/sign-ins.js';
import { SIGNAL_STREAMS, STREAM_SUBJECTS } from './other/signal-streams.js';
import { SIGNING_KEYS } from './other/signing-keys.js';
import { ASSERTION_IDS, USED_PROOFS } from './other/used-ids.js';
import { USER_CODES } from './other/user-codes.js';
import { USERS } from './other/users.js';
import { WEBHOOKS } from './other/webhooks.js';

/** All possible collections; those of features and of users exist only if they are used. */
export const COLLECTIONS = {
  Client: CLIENTS,
  /** The fetched logos of clients. */
  ClientLogo: CLIENT_LOGOS,
  Grant: GRANTS,
  Consent: CONSENTS,
  AssertionId: ASSERTION_IDS,
  /** Present if the option `registration` is on. */
  InitialAccessToken: INITIAL_ACCESS_TOKENS,
  SigningKey: SIGNING_KEYS,
  /** Present if the device grant is on. */
  UserCode: USER_CODES,
  /** Failed attempts, counted for all processes together. */
  Failures: FAILURES,
  /** Recent refusals of clients, by reason. */
  Refusals: REFUSALS,
  /** Present if the option `audit` is on. */
  AuditEntry: AUDIT,
  Issuer: ISSUERS,
  /** Present if the option `tokens.migrated` is on. */
  Migrated: MIGRATED,
  /** Present if the option `pushedRequests` is on. */
  PushedRequest: PUSHED_REQUESTS,
  /** Events of other services; present if the option `sharedSignals.receiver` is set. */
  ReceivedEvent: RECEIVED_EVENTS,
  /** Streams of events to other services; present if the option `sharedSignals.transmitter` is set. */
  SignalStream: SIGNAL_STREAMS,
  /** The subjects of these streams; present if the option `sharedSignals.transmitter` is set. */
  StreamSubject: STREAM_SUBJECTS,
  /** Present if the option `dpop` is on. */
  UsedProof: USED_PROOFS,
  /** Waiting messages for receivers; present if the option `webhooks` or `openid` is set. */
  Webhook: WEBHOOKS,
  /** The sign-ins of users; present if the option `openid` is set. */
  SignIn: SIGN_INS,
  User: USERS,
} as const;
type Collections = typeof COLLECTIONS;

/** The collections of every server. */
const COMMON = [
  'Client',
  'ClientLogo',
  'Grant',
  'Consent',
  'AssertionId',
  'SigningKey',
  'Failures',
  'Refusals',
] as const;
type Common = (typeof COMMON)[number];

/** The collections of features, by the names of their models. */
export type FeatureCollection = Exclude<keyof Collections, Common | 'Issuer' | 'User'>;

type ModelsOf<Definitions> = {
  readonly [Name in keyof Definitions]: Definitions[Name] extends CollectionDefinition<infer Stored>
    ? Model<Stored>
    : never;
};

/**
 * The Mongoose models of an authorization server, on the site's connection: to read, to count, to hook into. Changes
 * through them are not checked like changes through `oauth.clients`.
 */
export type Models = ModelsOf<Pick<Collections, Common>> &
  Partial<ModelsOf<Pick<Collections, FeatureCollection>>>;

/**
 * @param ofFeatures the collections of the enabled features
 * @param clientFields the registered fields of clients
 */
export function createModels(
  connection: Connection,
  ofFeatures: readonly FeatureCollection[],
  { client, grant, consent }: SchemasOptions,
  clientFields: readonly ClientField[],
): Models {
  const definitions = { ...COLLECTIONS, Client: clientCollection(clientFields) };
  const extensions: Readonly<Record<string, ExtendSchema | undefined>> = {
    Client: client,
    Grant: grant,
    Consent: consent,
  };
  const models = [...COMMON, ...ofFeatures].map((name) => [
    name,
    modelOf(connection, definitions[name] as CollectionDefinition<object>, extensions[name] ?? null),
  ]);
  return Object.fromEntries(models) as Models;
}
