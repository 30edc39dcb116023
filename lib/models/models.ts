import type { Connection, Model } from 'mongoose';

import type { ClientField } from '../clients/client-field.js';
import type { Consent } from '../grants/consent-store.js';
import type { SchemasOptions } from '../settings/schema-options.js';
import type { UsedAssertionId } from './assertion-ids.js';
import type { StoredAuditEntry } from './audit.js';
import { clientCollection, type StoredClient } from './clients.js';
import { COLLECTIONS } from './collections.js';
import type { StoredFailures } from './failures.js';
import type { GrantDocument } from './grant-document.js';
import type { StoredInitialAccessToken } from './initial-access-tokens.js';
import { modelOf } from './model-of.js';
import type { StoredSigningKey } from './signing-keys.js';
import type { StoredUserCode } from './user-codes.js';

/**
 * The Mongoose models of what an authorization server keeps, on the host's connection: to look at, to count, to hook
 * into. What is changed through them is not checked as by `oauth.clients`.
 */
export interface Models {
  readonly Client: Model<StoredClient>;
  readonly Grant: Model<GrantDocument>;
  readonly Consent: Model<Consent>;
  readonly AssertionId: Model<UsedAssertionId>;
  readonly InitialAccessToken: Model<StoredInitialAccessToken>;
  readonly SigningKey: Model<StoredSigningKey>;
  readonly UserCode: Model<StoredUserCode>;
  /** Failed attempts, which all processes count together. */
  readonly Failures: Model<StoredFailures>;
  /** There where the option `audit` is on. */
  readonly AuditEntry?: Model<StoredAuditEntry>;
}

export interface ModelsOptions {
  readonly audit: boolean;
  readonly schemas: SchemasOptions;
  /** What clients are registered with. */
  readonly clientFields: readonly ClientField[];
}

export function createModels(
  connection: Connection,
  { audit, schemas, clientFields }: ModelsOptions,
): Models {
  const { Grant, Consent, AssertionId, InitialAccessToken, SigningKey, UserCode, Failures, AuditEntry } =
    COLLECTIONS;
  return {
    Client: modelOf(connection, clientCollection(clientFields), schemas.client),
    Grant: modelOf(connection, Grant, schemas.grant),
    Consent: modelOf(connection, Consent, schemas.consent),
    AssertionId: modelOf(connection, AssertionId),
    InitialAccessToken: modelOf(connection, InitialAccessToken),
    SigningKey: modelOf(connection, SigningKey),
    UserCode: modelOf(connection, UserCode),
    Failures: modelOf(connection, Failures),
    // the collection and its indexes are made only where the audit is on
    ...(audit && { AuditEntry: modelOf(connection, AuditEntry) }),
  };
}
