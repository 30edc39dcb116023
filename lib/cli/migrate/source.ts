import type { Mapping } from './mapping.js';
import type { Stored } from './values.js';

/** A client as another server has it, unchecked. */
export interface OldClient {
  readonly id: unknown;
  /** Other values by which tokens may name it. */
  readonly keys: readonly unknown[];
  readonly name: unknown;
  readonly secret: unknown;
  readonly redirectUris: unknown;
  readonly grantTypes: unknown;
  readonly scopes: unknown;
  readonly trusted?: unknown;
  readonly owner?: unknown;
  /** As in RFC 7591, if the server knows it. */
  readonly authMethod?: unknown;
  readonly jwks?: unknown;
  readonly jwksUri?: unknown;
  /** Seconds since 1970, 0 for never, if the server knows it. */
  readonly secretExpiresAt?: unknown;
  /** All that it was registered with, by the names of RFC 7591, if the server keeps that. */
  readonly metadata?: unknown;
}

export interface OldToken {
  readonly value: unknown;
  readonly expiresAt: unknown;
  /** Why it no longer works although it has not expired. */
  readonly problem?: string | undefined;
}

/** Tokens that were issued together. */
export interface OldTokens {
  /** Their name in the report: never a token. */
  readonly name: string;
  readonly client: unknown;
  readonly user: unknown;
  readonly scopes: unknown;
  /** The resources that they are for (RFC 8707). */
  readonly resources?: unknown;
  readonly createdAt?: Date | undefined;
  readonly accessTokens: readonly OldToken[];
  readonly refreshToken?: OldToken;
}

/** What a user has allowed a client. */
export interface OldConsent {
  readonly name: string;
  readonly client: unknown;
  readonly user: unknown;
  readonly scopes: unknown;
  /** The resource that the scopes are for; none: the site itself. */
  readonly resource?: unknown;
  readonly problem?: string | undefined;
}

/** The database of the other server, which is read and never written to. */
export interface OldDatabase {
  /** The documents of a place in the mapping; none if there is no such collection. */
  documents(place: string): AsyncIterable<Stored>;
  /** The documents with one of these values in a field of the mapping. */
  find(place: string, field: string, values: readonly unknown[]): Promise<readonly Stored[]>;
  /** The value of a document in a field of the mapping. */
  read(place: string, document: Stored, field: string): unknown;
  /** Whether the mapping names a collection for it that exists. */
  has(place: string): boolean;
  /** Whether two places are in one collection. */
  isShared(place: string, other: string): boolean;
}

/** A server to migrate from: a file in `sources/`, and a line in `sources/index.ts`. */
export interface Source {
  /** Its name on the command line. */
  readonly name: string;
  readonly description: string;
  /** Where its examples keep `clients`, `users`, and whatever else is read. */
  readonly mapping: Mapping;
  clients(old: OldDatabase): AsyncIterable<OldClient>;
  tokens(old: OldDatabase): AsyncIterable<OldTokens>;
  /** Whether it keeps no consents itself: then users count as having allowed what tokens were issued for. */
  readonly consentsByTokens: boolean;
  consents(old: OldDatabase): AsyncIterable<OldConsent>;
}
