import type { Connection, Model } from 'mongoose';

import type { AssertionIds } from '../clients/assertion-ids.js';
import type { ClientFailureStore } from '../clients/client-failures.js';
import type { ClientField } from '../clients/client-field.js';
import { CLIENT_FIELDS } from '../clients/client-fields.js';
import type { ClientStore } from '../clients/client-store.js';
import type { InitialAccessTokenStore } from '../clients/initial-access-token-store.js';
import { rememberClients } from '../clients/remembered-clients.js';
import type { ConsentStore } from '../grants/consent-store.js';
import type { GrantStore } from '../grants/grant-store.js';
import type { PushedRequestStore } from '../grants/pushed-request-store.js';
import { rememberCodes } from '../grants/remembered-codes.js';
import { settleGrants } from '../grants/settled-grants.js';
import type { UserCodeStore } from '../grants/user-code-store.js';
import type { SigningKeyStore } from '../keys/signing-key-store.js';
import { endsWithin } from '../limits/ends-within.js';
import type { SharedFailures } from '../limits/shared-failures.js';
import type { AuditLog } from '../observability/audit-log.js';
import type { SignInStore } from '../openid/sign-ins.js';
import type { UsedProofs } from '../proofs/used-proofs.js';
import type { GuardMemorySettings } from '../settings/guard-memory-options.js';
import type { SchemasOptions } from '../settings/schema-options.js';
import type { Outbox } from '../webhooks/outbox.js';
import { createAssertionIdStore } from './assertion-ids.js';
import { createAuditLog } from './audit.js';
import { createClientChanges } from './client-changes.js';
import { createClientFailureStore } from './client-failures.js';
import { createClientStore } from './clients.js';
import type { FeatureCollection } from './collections.js';
import { createConsentStore } from './consents.js';
import { createDatabase } from './database.js';
import { createFailureStore } from './failures.js';
import { createGrantStore } from './grants.js';
import { createGuardMemory } from './guard-memory.js';
import { createIndexes } from './indexes.js';
import { createInitialAccessTokenStore } from './initial-access-tokens.js';
import { takeConnection } from './issuer-of-connection.js';
import { checkIssuer, createIssuerStore, type IssuerStore } from './issuers.js';
import { createMigrationStore, type MigrationStore } from './migrated.js';
import { createModels, type Models } from './models.js';
import { createPushedRequestStore } from './pushed-requests.js';
import { createSignInStore } from './sign-ins.js';
import { createSigningKeyStore } from './signing-keys.js';
import { createUsedProofStore } from './used-proofs.js';
import { createUserCodeStore } from './user-codes.js';
import { createOutbox } from './webhooks.js';

/** All that an authorization server keeps, on the host's own connection. */
export interface Stores {
  readonly clients: ClientStore;
  readonly grants: GrantStore;
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
  readonly signIns: SignInStore;
  readonly models: Models;
  /** Called before a request begins. @throws OAuthError temporarily_unavailable while the database is behind */
  readonly admit: () => void;
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
  /** The host's own fields. Default: none. */
  readonly schemas?: SchemasOptions | undefined;
  /** The fields that clients are registered with. Default: `CLIENT_FIELDS`. */
  readonly clientFields?: readonly ClientField[];
  /** What the guard remembers. Default: nothing. */
  readonly guardMemory?: GuardMemorySettings | false | undefined;
  /** Told why indexes could not be built at the start. Default: nobody is. */
  readonly onIndexError?: (error: unknown) => void;
  /** Told why the guard remembers nothing. Default: nobody is. */
  readonly onMemoryError?: ((error: unknown) => void) | undefined;
}

/**
 * Makes the stores on a connection; a second call on the same connection uses the same models.
 *
 * @throws TypeError if the connection has another issuer, or models with other fields of the host
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
    guardMemory,
    onIndexError = () => undefined,
    onMemoryError,
  }: StoresOptions,
): Stores {
  const database = createDatabase(connection, timeout);
  const models = createModels(connection, { collections, schemas, clientFields });
  const changes = createClientChanges(models.Client);
  const indexes = createIndexes(connection, Object.values(models) as Model<object>[], onIndexError);
  const settled = settleGrants(createGrantStore(database, schemas.grant));
  const leave = issuer === undefined ? undefined : takeConnection(connection, issuer);
  const memory = createGuardMemory(rememberCodes(settled.grants), models.Grant, {
    settings: guardMemory,
    timeout,
    onFailure: onMemoryError,
  });

  const consents = createConsentStore(database, schemas.consent);
  const issuers = createIssuerStore(database);

  return {
    clients: rememberClients(createClientStore(database, schemas.client, { usedLife, firstLife, consents }), {
      life: clientLife,
      watch: changes.watch,
    }),
    grants: memory.grants,
    consents,
    assertionIds: createAssertionIdStore(database),
    initialAccessTokens: createInitialAccessTokenStore(database),
    signingKeys: createSigningKeyStore(database),
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
    signIns: createSignInStore(database),
    admit: database.checkLoad,
    async ready() {
      const recordIssuer = async () => issuer && checkIssuer(issuers, issuer, connection.name);
      await Promise.all([indexes.ready().then(recordIssuer), memory.ready()]);
    },
    async close() {
      indexes.close();
      settled.close();
      // if the database hangs, the stream waits for half a minute
      await Promise.all([endsWithin(timeout, changes.close()), memory.close()]);
      database.close();
      leave?.();
    },
  };
}
