import type { Connection, Model } from 'mongoose';

import type { AssertionIds } from '../core/client-authentication/verify-assertion.js';
import { withClientCache } from '../core/clients/client-cache.js';
import type { ClientField } from '../core/clients/client-field.js';
import { CLIENT_FIELDS } from '../core/clients/client-fields.js';
import type { ClientLogoStore } from '../core/clients/client-logos.js';
import type { ClientStore } from '../core/clients/client-store.js';
import type { InitialAccessTokenStore } from '../core/clients/initial-access-token-store.js';
import type { ClientFailureStore } from '../core/clients/status/client-failures.js';
import type { Inbox, Outbox } from '../core/delivery/outbox.js';
import type { SignalStreamStore, StreamSubjectStore } from '../core/delivery/signal-streams.js';
import type { ConsentStore } from '../core/grants/consent-store.js';
import type { GrantStore, UserCodeStore } from '../core/grants/grant-store.js';
import type { PushedRequestStore } from '../core/grants/pushed-request-store.js';
import { undoUnacknowledgedWrites } from '../core/grants/undo-unacknowledged-writes.js';
import type { SigningKeyStore } from '../core/keys/signing-key-store.js';
import type { AuditLog } from '../core/observability/audit-log.js';
import type { SignInStore } from '../core/openid/session-store.js';
import type { PeopleStore } from '../core/people/people-store.js';
import type { UsedProofs } from '../core/proof-of-possession/dpop-proof.js';
import type { SchemasOptions } from '../settings/options/schema-options.js';
import { waitAtMax } from '../shared/limits/deadline.js';
import type { SharedFailures } from '../shared/limits/failure-limit.js';
import { createClientStore } from './clients/client-collection.js';
import { createClientFailureStore } from './clients/client-failures.js';
import { createInitialAccessTokenStore } from './clients/initial-access-tokens.js';
import type { FeatureCollection } from './collections.js';
import { watchCollection } from './connection/collection-changes.js';
import { createDatabase, type Database } from './connection/database.js';
import { createIndexes } from './connection/indexes.js';
import { takeConnection } from './connection/issuer-of-connection.js';
import { createConsentStore } from './grants/consents.js';
import { createGrantStore } from './grants/grant-collection.js';
import { createGuardCache, type OnGrantChange } from './grants/guard-cache.js';
import { createModels, type Models } from './models.js';
import { createAssertionIdStore } from './other/assertion-ids.js';
import { createAuditLog } from './other/audit.js';
import { createClientLogoStore } from './other/client-logos.js';
import { createFailureStore } from './other/failures.js';
import { checkIssuer, createIssuerStore, type IssuerStore } from './other/issuers.js';
import { createMigrationStore, type MigrationStore } from './other/migrated.js';
import { createPushedRequestStore } from './other/pushed-requests.js';
import { createInbox } from './other/received-events.js';
import { createSignInStore } from './other/sign-ins.js';
import { createSignalStreamStore, createStreamSubjectStore } from './other/signal-streams.js';
import { createSigningKeyStore } from './other/signing-keys.js';
import { createUsedProofStore } from './other/used-proofs.js';
import { createUserCodeStore } from './other/user-codes.js';
import { createOutbox } from './other/webhooks.js';
import { createPeopleStore } from './people.js';

/** All that an authorization server keeps, on the site's own connection. */
export interface Stores {
  readonly clients: ClientStore;
  readonly clientLogos: ClientLogoStore;
  readonly grants: GrantStore;
  /** Tells of changes of grants, if `guard.cache` hears of them. */
  readonly onGrantChange: OnGrantChange;
  /** Whether it hears of them now; false without `guard.cache`. */
  readonly hearsGrantChanges: () => boolean;
  readonly consents: ConsentStore;
  readonly assertionIds: AssertionIds;
  readonly initialAccessTokens: InitialAccessTokenStore;
  readonly signingKeys: SigningKeyStore;
  readonly userCodes: UserCodeStore;
  readonly pushedRequests: PushedRequestStore;
  readonly usedProofs: UsedProofs;
  readonly failures: SharedFailures;
  readonly issuers: IssuerStore;
  readonly migrated: MigrationStore;
  readonly auditLog: AuditLog;
  readonly clientFailures: ClientFailureStore;
  readonly outbox: Outbox;
  readonly inbox: Inbox;
  readonly signalStreams: SignalStreamStore;
  readonly streamSubjects: StreamSubjectStore;
  readonly signIns: SignInStore;
  readonly people: PeopleStore;
  readonly models: Models;
  /** Called before a request begins. @throws OAuthError temporarily_unavailable while the database is behind */
  readonly checkLoad: () => void;
  readonly hello: Database['hello'];
  /**
   * Resolves when all indexes are built and the issuer is recorded.
   *
   * @throws TypeError if the database belongs to another issuer
   */
  readonly ready: () => Promise<void>;
  /** Ends all work in the background, within the time of a command. */
  readonly close: () => Promise<void>;
}

export interface StoresOptions {
  /** Milliseconds that one command may take. */
  readonly timeout: number;
  /** Whose stores they are; left out by tools, which serve nobody. */
  readonly issuer?: string;
  /** Seconds that a client which registered itself is kept after its last grant or refresh. Default: 90 days. */
  readonly usedLife?: number | undefined;
  /** The same after its first grant, until it gets another one or refreshes it. Default: as `usedLife`. */
  readonly firstLife?: number | undefined;
  /** Seconds that a client is remembered. Default: 0, not at all. */
  readonly clientLife?: number;
  /** The collections of the features that are on. Default: none; others are made when they are used. */
  readonly collections?: readonly FeatureCollection[];
  /** The site's own fields. Default: none. */
  readonly schemas?: SchemasOptions | undefined;
  /** The fields that clients are registered with. Default: `CLIENT_FIELDS`. */
  readonly clientFields?: readonly ClientField[];
  /** Whether the guard remembers grants. Default: false. */
  readonly guardCache?: boolean | undefined;
  /** Whether tokens can be exchanged, so that they are looked for as well. Default: true. */
  readonly hasExchanges?: boolean | undefined;
  /** Told why indexes could not be built at the start. Default: nobody is. */
  readonly onIndexError?: (error: unknown) => void;
  /** Told why the guard remembers nothing. Default: nobody is. */
  readonly onMemoryError?: ((error: unknown) => void) | undefined;
}

/**
 * Makes the stores on a connection; a second call on the same connection uses the same models.
 *
 * @throws TypeError if the connection has another issuer, or models with other fields of the site
 */
export function createStores(
  connection: Connection,
  {
    timeout,
    issuer,
    clientLife = 0,
    usedLife,
    firstLife,
    collections = [],
    schemas = {},
    clientFields = CLIENT_FIELDS,
    guardCache = false,
    hasExchanges,
    onIndexError = () => undefined,
    onMemoryError,
  }: StoresOptions,
): Stores {
  const database = createDatabase(connection, timeout);
  const models = createModels(connection, { collections, schemas, clientFields });
  const clientChanges = watchCollection(models.Client);
  const keyChanges = watchCollection(models.SigningKey);
  const indexes = createIndexes(connection, Object.values(models) as Model<object>[], onIndexError);
  const tracked = undoUnacknowledgedWrites(createGrantStore(database, schemas.grant, { hasExchanges }));
  const leave = issuer === undefined ? undefined : takeConnection(connection, issuer);
  const memory = createGuardCache(tracked.grants, models.Grant, {
    isOn: guardCache,
    timeout,
    onFailure: onMemoryError,
  });

  const consents = createConsentStore(database, schemas.consent);
  const issuers = createIssuerStore(database);

  return {
    clients: withClientCache(createClientStore(database, schemas.client, { usedLife, firstLife, consents }), {
      life: clientLife,
      watch: clientChanges.watch,
    }),
    clientLogos: createClientLogoStore(database),
    grants: memory.grants,
    onGrantChange: memory.onChange,
    hearsGrantChanges: memory.isListening,
    consents,
    assertionIds: createAssertionIdStore(database),
    initialAccessTokens: createInitialAccessTokenStore(database),
    signingKeys: createSigningKeyStore(database, keyChanges),
    userCodes: createUserCodeStore(database),
    pushedRequests: createPushedRequestStore(database),
    usedProofs: createUsedProofStore(database),
    failures: createFailureStore(database),
    issuers,
    migrated: createMigrationStore(database),
    models,
    auditLog: createAuditLog(database),
    clientFailures: createClientFailureStore(database),
    outbox: createOutbox(database),
    inbox: createInbox(database),
    signalStreams: createSignalStreamStore(database),
    streamSubjects: createStreamSubjectStore(database),
    signIns: createSignInStore(database),
    people: createPeopleStore(database, schemas),
    checkLoad: database.checkLoad,
    hello: database.hello,
    async ready() {
      const recordIssuer = async () => issuer && checkIssuer(issuers, issuer, connection.name);
      await Promise.all([indexes.ready().then(recordIssuer), memory.ready()]);
    },
    async close() {
      indexes.close();
      tracked.close();
      // if the database hangs, a stream waits for half a minute
      const streams = Promise.all([clientChanges.close(), keyChanges.close()]);
      await Promise.all([waitAtMax(timeout, streams), memory.close()]);
      database.close();
      leave?.();
    },
  };
}
