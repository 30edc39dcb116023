import type { Connection, Model } from 'mongoose';

import { withClientCache } from '../core/clients/client-cache.js';
import type { ClientField } from '../core/clients/client-field.js';
import { CLIENT_FIELDS } from '../core/clients/client-fields.js';
import { createReportChange } from '../delivery/report-change.js';
import type { SchemasOptions } from '../settings/options/schema-options.js';
import { waitAtMax } from '../shared/limits/deadline.js';
import { type ClientLives, createClientStore } from './clients/client-collection.js';
import { createClientFailureStore } from './clients/client-failures.js';
import { createInitialAccessTokenStore } from './clients/initial-access-tokens.js';
import { createModels, type FeatureCollection } from './collections.js';
import { watchCollection } from './connection/collection-changes.js';
import { createDatabase } from './connection/database.js';
import { createIndexes } from './connection/indexes.js';
import { createConsentStore } from './grants/consents.js';
import { createGrantStore } from './grants/grant-collection.js';
import { createGuardCache } from './grants/guard-cache.js';
import { undoUnacknowledgedWrites } from './grants/undo-unacknowledged-writes.js';
import { createAuditLog } from './other/audit.js';
import { createClientLogoStore } from './other/client-logos.js';
import { createFailureStore } from './other/failures.js';
import { checkIssuer, createIssuerStore, takeConnection } from './other/issuers.js';
import { createMigrationStore } from './other/migrated.js';
import { createPushedRequestStore } from './other/pushed-requests.js';
import { createInbox } from './other/received-events.js';
import { createSignInStore } from './other/sign-ins.js';
import { createSignalStreamStore, createStreamSubjectStore } from './other/signal-streams.js';
import { createSigningKeyStore } from './other/signing-keys.js';
import { ASSERTION_IDS, createUsedIdStore, USED_PROOFS } from './other/used-ids.js';
import { createUserCodeStore } from './other/user-codes.js';
import { createOutbox } from './other/webhooks.js';
import { createPeopleStore } from './people.js';

/** All stores of an authorization server, on the site's connection. */
export type Stores = Readonly<ReturnType<typeof createStores>>;

export interface StoresOptions extends ClientLives {
  /** Milliseconds that one command may take. */
  readonly timeout: number;
  /** The issuer of the stores; absent for tools, which serve no clients. */
  readonly issuer?: string;
  /** Seconds for which a client is cached. Default: 0, no cache. */
  readonly clientLife?: number;
  /** The collections of the enabled features. Default: none; others are made at their first use. */
  readonly collections?: readonly FeatureCollection[];
  /** The site's fields. Default: none. */
  readonly schemas?: SchemasOptions | undefined;
  /** The registered fields of clients. Default: `CLIENT_FIELDS`. */
  readonly clientFields?: readonly ClientField[];
  /** Whether the guard caches grants. Default: false. */
  readonly guardCache?: boolean | undefined;
  /** Whether changes of grants and clients are reported to receivers. Default: false. */
  readonly reportsChanges?: boolean | undefined;
  /** Whether the grants may have exchanged tokens. Default: true. */
  readonly hasExchanges?: boolean | undefined;
  /** Gets errors of building indexes at the start. Default: ignored. */
  readonly onIndexError?: (error: unknown) => void;
  /** Gets errors that disable the guard's cache. Default: ignored. */
  readonly onMemoryError?: ((error: unknown) => void) | undefined;
}

/**
 * Makes the stores on a connection; a second call on the same connection uses the same models.
 *
 * @throws TypeError if the connection has another issuer, or models with other fields of the site
 */
export function createStores(connection: Connection, options: StoresOptions) {
  const { timeout, issuer, schemas = {}, clientFields = CLIENT_FIELDS, reportsChanges = false } = options;
  const database = createDatabase(connection, timeout);
  const models = createModels(connection, options.collections ?? [], schemas, clientFields);
  const clientChanges = watchCollection(models.Client);
  const keyChanges = watchCollection(models.SigningKey);
  const indexes = createIndexes(connection, Object.values(models) as Model<object>[], options.onIndexError);
  const tracked = undoUnacknowledgedWrites(createGrantStore(database, options.hasExchanges ?? true));
  const leave = issuer === undefined ? undefined : takeConnection(connection, issuer);
  const memory = createGuardCache(tracked.grants, models.Grant, {
    isOn: options.guardCache === true,
    timeout,
    onFailure: options.onMemoryError,
  });

  const consents = createConsentStore(database);
  const issuers = createIssuerStore(database);
  const outbox = createOutbox(database);

  return {
    clients: withClientCache(createClientStore(database, options, consents), {
      life: options.clientLife ?? 0,
      watch: clientChanges.watch,
    }),
    clientLogos: createClientLogoStore(database),
    grants: memory.grants,
    onGrantChange: memory.onChange,
    hearsGrantChanges: memory.isListening,
    consents,
    assertionIds: createUsedIdStore(database, ASSERTION_IDS),
    initialAccessTokens: createInitialAccessTokenStore(database),
    signingKeys: createSigningKeyStore(database, keyChanges.watch),
    userCodes: createUserCodeStore(database),
    pushedRequests: createPushedRequestStore(database),
    usedProofs: createUsedIdStore(database, USED_PROOFS),
    failures: createFailureStore(database),
    issuers,
    migrated: createMigrationStore(database),
    models,
    auditLog: createAuditLog(database),
    clientFailures: createClientFailureStore(database),
    outbox,
    reportChange: createReportChange(reportsChanges ? outbox : undefined),
    inbox: createInbox(database),
    signalStreams: createSignalStreamStore(database),
    streamSubjects: createStreamSubjectStore(database),
    signIns: createSignInStore(database),
    people: createPeopleStore(database),
    /** Called before a request begins. @throws OAuthError temporarily_unavailable while the database is behind */
    checkLoad: database.checkLoad,
    hello: database.hello,
    /**
     * Resolves when all indexes are built and the issuer is recorded. @throws TypeError if the issuer is another one
     */
    async ready() {
      const recordIssuer = async () => issuer && checkIssuer(issuers, issuer, connection.name);
      await Promise.all([indexes.ready().then(recordIssuer), memory.ready()]);
    },
    /** Ends all background work, within the time of a command. */
    async close() {
      indexes.close();
      tracked.close();
      // if the database hangs, closing a stream takes half a minute
      const streams = Promise.all([clientChanges.close(), keyChanges.close()]);
      await Promise.all([waitAtMax(timeout, streams), memory.close()]);
      database.close();
      leave?.();
    },
  };
}
