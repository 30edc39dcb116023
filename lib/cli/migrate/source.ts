import type { AuthMethodInfo } from '../../core/clients/auth-method-info.js';
import type { ClientField } from '../../core/clients/client-field.js';
import type { Stores } from '../../storage/stores.js';
import type { MigratedClients } from './migrated-clients.js';
import type { Mapping, OldDatabase } from './old-database.js';
import type { MigrateOptions } from './options.js';
import type { MigrationReport } from './report.js';

/** The fields of a client. Those from `authMethod` on are as in RFC 7591, if the server has them. */
type OldClientField =
  | 'id'
  | 'name'
  | 'secret'
  | 'redirectUris'
  | 'grantTypes'
  | 'scopes'
  | 'trusted'
  | 'owner'
  | 'authMethod'
  | 'jwks'
  | 'jwksUri'
  | 'secretExpiresAt';

/** An unchecked client of another server. */
export interface OldClient extends Readonly<Partial<Record<OldClientField, unknown>>> {
  /** Other values by which tokens may identify it. */
  readonly keys: readonly unknown[];
  /** Its registered metadata by the names of RFC 7591, if the server has them. */
  readonly metadata?: unknown;
}

export interface OldToken {
  readonly value: unknown;
  readonly expiresAt: unknown;
  /** Why it does not work although it has not expired. */
  readonly problem?: string | undefined;
}

/** Tokens that were issued together. */
export interface OldTokens {
  /** Their name in the report: never a token. */
  readonly name: string;
  readonly client: unknown;
  readonly user: unknown;
  readonly scopes: unknown;
  /** The resources of the tokens (RFC 8707). */
  readonly resources?: unknown;
  readonly createdAt?: Date | undefined;
  readonly accessTokens: readonly OldToken[];
  readonly refreshToken?: OldToken | undefined;
}

/** The consent of a user to a client. */
export interface OldConsent {
  readonly name: string;
  readonly client: unknown;
  readonly user: unknown;
  readonly scopes: unknown;
  /** The resource of the scopes; absent: the site itself. */
  readonly resource?: unknown;
  readonly problem?: string | undefined;
}

/** A server to migrate from: a file in `sources/`, and a line in `sources/index.ts`. */
export interface Source {
  /** Its name on the command line. */
  readonly name: string;
  readonly description: string;
  /** The collections of `clients`, `users` and other things in its examples. */
  readonly mapping: Mapping;
  clients(old: OldDatabase): AsyncIterable<OldClient>;
  tokens(old: OldDatabase): AsyncIterable<OldTokens>;
  /** Whether it stores no consents: the scopes of a user's tokens then count as consented. */
  readonly consentsByTokens: boolean;
  consents(old: OldDatabase): AsyncIterable<OldConsent>;
}

/** A run of the command. */
export interface Migration {
  readonly source: Source;
  readonly options: MigrateOptions;
  readonly fields: readonly ClientField[];
  /** The possible grant types of a client. */
  readonly grantTypes: readonly string[];
  /** The traits of the authentication methods. */
  readonly methods: readonly AuthMethodInfo[];
  /** The scopes of the site, if known. */
  readonly scopes: readonly string[] | undefined;
  readonly models: Stores;
  readonly report: MigrationReport;
  readonly clients: MigratedClients;
  /** The scopes of a client's tokens. */
  readonly scopesOfTokens: (client: OldClient) => readonly string[];
  /** Finds the ids of users that the site does not have. */
  readonly findUnknownUsers: (userIds: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly now: Date;
}

/** Few enough concurrent commands not to slow down a database that also serves a site. */
const AT_ONCE = 10;

/** Runs the work for all items, a few at a time. */
export async function someAtOnce<T>(all: readonly T[], work: (each: T) => Promise<void>): Promise<void> {
  for (let begin = 0; begin < all.length; begin += AT_ONCE)
    await Promise.all(all.slice(begin, begin + AT_ONCE).map(work));
}
