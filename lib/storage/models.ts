import type { Connection, Model } from 'mongoose';

import type { ClientField } from '../core/clients/client-field.js';
import type { Consent } from '../core/grants/consent-store.js';
import type { SchemasOptions } from '../settings/options/schema-options.js';
import { clientCollection } from './clients/client-collection.js';
import type { StoredClient } from './clients/client-document.js';
import type { StoredRefusals } from './clients/client-failures.js';
import type { StoredInitialAccessToken } from './clients/initial-access-tokens.js';
import { COLLECTIONS, type FeatureCollection } from './collections.js';
import { type CollectionDefinition, modelOf } from './connection/model.js';
import type { GrantDocument } from './grants/grant-document.js';
import type { UsedAssertionId } from './other/assertion-ids.js';
import type { StoredAuditEntry } from './other/audit.js';
import type { StoredClientLogo } from './other/client-logos.js';
import type { StoredFailures } from './other/failures.js';
import type { MigratedThing } from './other/migrated.js';
import type { StoredPushedRequest } from './other/pushed-requests.js';
import type { StoredReceivedEvent } from './other/received-events.js';
import type { StoredSignIn } from './other/sign-ins.js';
import type { StoredSignalStream, StoredStreamSubject } from './other/signal-streams.js';
import type { StoredSigningKey } from './other/signing-keys.js';
import type { UsedProof } from './other/used-proofs.js';
import type { StoredUserCode } from './other/user-codes.js';
import type { StoredWebhook } from './other/webhooks.js';

/**
 * The Mongoose models of what an authorization server keeps, on the site's connection: to look at, to count, to hook
 * into. Changes through them are not checked as those through `oauth.clients` are.
 */
export interface Models {
  readonly Client: Model<StoredClient>;
  /** The logos of clients, as they were fetched. */
  readonly ClientLogo: Model<StoredClientLogo>;
  readonly Grant: Model<GrantDocument>;
  readonly Consent: Model<Consent>;
  readonly AssertionId: Model<UsedAssertionId>;
  readonly SigningKey: Model<StoredSigningKey>;
  /** Failed attempts, which all processes count together. */
  readonly Failures: Model<StoredFailures>;
  /** Present if the device grant is on. */
  readonly UserCode?: Model<StoredUserCode>;
  /** Present if the option `registration` is on. */
  readonly InitialAccessToken?: Model<StoredInitialAccessToken>;
  /** Present if the option `audit` is on. */
  readonly AuditEntry?: Model<StoredAuditEntry>;
  /** Present if the option `tokens.migrated` is on. */
  readonly Migrated?: Model<MigratedThing>;
  /** Present if the option `pushedRequests` is on. */
  readonly PushedRequest?: Model<StoredPushedRequest>;
  /** Why clients were refused lately; present unless the option `applications.failures` is off. */
  readonly Refusals?: Model<StoredRefusals>;
  /** Present if the option `dpop` is on. */
  readonly UsedProof?: Model<UsedProof>;
  /** Messages that receivers have not taken yet; present if the option `webhooks` or `openid` is set. */
  readonly Webhook?: Model<StoredWebhook>;
  /** Events of other services; present if the option `sharedSignals.receiver` is set. */
  readonly ReceivedEvent?: Model<StoredReceivedEvent>;
  /** Streams of events to other services; present if the option `sharedSignals.transmitter` is set. */
  readonly SignalStream?: Model<StoredSignalStream>;
  /** Whom these streams are about; present if the option `sharedSignals.transmitter` is set. */
  readonly StreamSubject?: Model<StoredStreamSubject>;
  /** Where users are signed in; present if the option `openid` is set. */
  readonly SignIn?: Model<StoredSignIn>;
}

export interface ModelsOptions {
  /** Those of the features that are on. */
  readonly collections: readonly FeatureCollection[];
  readonly schemas: SchemasOptions;
  /** The fields that clients are registered with. */
  readonly clientFields: readonly ClientField[];
}

export function createModels(
  connection: Connection,
  { collections, schemas, clientFields }: ModelsOptions,
): Models {
  const { ClientLogo, Grant, Consent, AssertionId, SigningKey, Failures } = COLLECTIONS;
  const ofFeatures = collections.map((name) => [
    name,
    modelOf(connection, COLLECTIONS[name] as CollectionDefinition<object>),
  ]);
  return {
    Client: modelOf(connection, clientCollection(clientFields), schemas.client),
    ClientLogo: modelOf(connection, ClientLogo),
    Grant: modelOf(connection, Grant, schemas.grant),
    Consent: modelOf(connection, Consent, schemas.consent),
    AssertionId: modelOf(connection, AssertionId),
    SigningKey: modelOf(connection, SigningKey),
    Failures: modelOf(connection, Failures),
    ...(Object.fromEntries(ofFeatures) as Pick<Models, FeatureCollection>),
  };
}
