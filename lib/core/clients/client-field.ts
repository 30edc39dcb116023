import type { MessageKey } from '../../messages/index.js';
import type { Profile } from '../../settings/options/profile-options.js';
import type { LimitUntrustedFetch } from '../../shared/outbound/limit-untrusted-fetch.js';
import type { RedirectUriRules } from '../../shared/protocol/redirect-uri.js';
import type { Schema } from '../../shared/schema.js';
import type { AuthMethodInfo } from './auth-method-info.js';
import type { Client, ClientMetadata } from './client.js';
import type { ClientFetchLimits } from './untrusted-fetch-limits.js';
import { flagSchema, listSchema, numberSchema, textSchema } from './validation/schemas.js';
import type { ClientProblem, FoundProblem } from './validation-error.js';

/** What this server can register a client for. */
export interface RegistrationLimits {
  readonly scopes: readonly string[];
  readonly grantTypes: readonly string[];
  /** The client authentication methods that are on. Default: none that could be named. */
  readonly tokenEndpointAuthMethods?: readonly string[];
  /** The traits of all methods, on or not: clients may be registered for one that used to be on. */
  readonly methods: readonly AuthMethodInfo[];
  /** The profile of FAPI that all clients are held to. Default: none. */
  readonly profile?: Profile | undefined;
  /** Why single clients cannot be held to a profile. Default: they can. */
  readonly lackingFor?: (profile: Profile) => string | undefined;
  /** The resource servers that there are. Default: not known. */
  readonly resources?: readonly string[];
  /** The types of authorization details that there are. Default: not known. */
  readonly authorizationDetailsTypes?: readonly string[];
  /** The trust domains of SPIFFE whose programs can be clients. Default: not known. */
  readonly trustDomains?: readonly string[];
  /** The algorithms with which the server signs JWTs. Default: not known. */
  readonly signingAlgorithms?: readonly string[];
  /** The kinds of `sub` by which clients can know users (OpenID Connect Core §8). Default: not known. */
  readonly subjectTypes?: readonly string[];
  /** Whether the server is on this machine alone, for whose clients `http:` on loopback will do. Default: not known. */
  readonly isLoopbackIssuer?: boolean;
  /** The limits on fetching the document at a `sector_identifier_uri`. Default: public addresses alone. */
  readonly sectorLimits?: ClientFetchLimits;
  /** Counts the fetches of those documents. Default: nothing does. */
  readonly limitUntrustedFetch?: LimitUntrustedFetch;
  /** Names that a client may not look like, unless the site vouches for it. Default: none. */
  readonly reservedNames?: readonly string[];
  /** The name that the client has already. */
  readonly existingName?: string;
  /** What redirect URIs may be beyond what strangers can register. Default: nothing. */
  readonly redirectUriRules?: RedirectUriRules;
  /** The redirect URIs that it has already and may keep: it may come from another server. */
  readonly existingRedirectUris?: readonly string[];
  /** The grant types that it has already. */
  readonly existingGrantTypes?: readonly string[];
}

export interface FieldDefaults {
  readonly limits: RegistrationLimits;
  readonly defaultScopes: readonly string[];
}

/** How a field is written in a registration request and its response (RFC 7591 §2, §3.2.1). */
export interface WireField {
  readonly name: string;
  /** Default: the shape of the field. */
  readonly shape?: () => Schema;
  /** Turns what was sent into a value of the field. Default: it is one already. */
  readonly parse?: (sent: never) => unknown;
  /** Turns a value into what the response says; undefined: nothing. Default: the value. */
  readonly format?: (value: never) => unknown;
}

export interface FlagOptions {
  /** As commander writes them: `--redirect-uri <uri...>`. */
  readonly flags: string;
  readonly description: string;
  /** The flag that undoes it: `--no-trusted`, and what that means. */
  readonly negated?: { readonly flags: string; readonly description: string };
  /** `--scopes a b`, `--scopes "a b"` and `--scopes a,b` mean the same. */
  readonly isList?: true;
  readonly isNumber?: true;
  /** The argument is the name of a file, and the value is the JSON in it. */
  readonly isJsonFile?: true;
  readonly choices?: readonly string[];
  /** What `create` takes if the flag is left out. */
  readonly default?: string;
  readonly isRequired?: true;
  readonly isCreateOnly?: true;
}

export type TextByLanguage = Readonly<Record<string, string>> & { readonly en: string };

/** Everything about a field but its name and the type of its values: where it is set, checked, stored and shown. */
interface Row {
  /** The shape of a value, made at its first use. A message continues after the name of the field: `must be text`. */
  readonly shape: () => Schema;
  /** How it is stored, in Mongoose's words: `{ type: String, required: true }`. */
  readonly stored: Readonly<Record<string, unknown>> & { readonly type: unknown; readonly required?: true };
  /** What a new client has if it is not given. Default: nothing. */
  readonly default?: (given: Readonly<Record<string, unknown>>, defaults: FieldDefaults) => unknown;
  /** What follows from other fields if it is not given. */
  readonly implied?: (client: Partial<ClientMetadata>, fields: readonly ClientField[]) => unknown;
  /** The authentication method of a client that has this field and names no method. Default: none. */
  readonly impliesMethod?: string;
  readonly findProblems?: (
    client: ClientMetadata,
    limits: RegistrationLimits,
  ) => FoundProblem | readonly FoundProblem[] | undefined;
  /** Absent: a client that registers itself can neither set it nor see it. */
  readonly wire?: WireField;
  /** Whether the owner may change it on the applications page, whose form then has it. */
  readonly isOwners?: true;
  /**
   * Whether whoever approves or verifies a client looks at this field, so that a change by anybody but the site ends
   * both. `if-extended`: not if the field only loses something, which is an entry of its list, or its value. Default:
   * the field is of no account for that.
   */
  readonly requiresReapproval?: true | 'if-extended';
  /** What of a client counts then. Default: the value of the field. */
  readonly reviewedValue?: (client: ClientMetadata) => unknown;
  /** Its entries are ids of other clients; code and the command line are told if one is that of nobody. */
  readonly namesClients?: true;
  /** Setting it marks the client as approved by the site and disables RFC 7592 updates. */
  readonly grantsTrust?: true;
  /** Absent: the command line does not set it. */
  readonly flag?: FlagOptions;
  /**
   * How the command line shows it: the label, and what is printed (undefined: nothing). Default: text as it is, the
   * entries of a list, `yes` for true and nothing for false. Absent: only in its JSON.
   */
  readonly printed?: { readonly label: string; readonly format?: (value: never) => string | undefined };
  /**
   * What the pages call it. Absent: its name in a registration. With words of its own the page of an application shows
   * it.
   */
  readonly label?: MessageKey | TextByLanguage;
  /** What the form says below that, if the owner may change it; a text can have an `{example}`. */
  readonly meaning?: MessageKey | TextByLanguage;
  readonly example?: string;
  /** What the form has for it. Default: what suits the type that is stored. */
  readonly input?: 'line' | 'paragraph' | 'url';
}

/** One field of a client's registration: everything about it, wherever it is set, stored and shown. */
export interface ClientField extends Omit<Row, 'findProblems'> {
  readonly name: string;
  readonly findProblems?: (client: ClientMetadata, limits: RegistrationLimits) => readonly ClientProblem[];
}

/** A row whose field has values of this type. The key of a row is the name of its field. */
export interface FieldRow<Value> extends Row {
  /** A type alone: it is never there. */
  readonly value?: Value;
}

export interface RequiredFieldRow<Value> extends FieldRow<Value> {
  readonly stored: Row['stored'] & { readonly required: true };
}

export function field<Value>(row: Row): FieldRow<Value> {
  return row;
}

export function textClientField<Value extends string = string>(row: Partial<Row>): FieldRow<Value> {
  return { shape: textSchema, stored: { type: String }, ...row };
}

/** A field with a list of texts, which a client may lack: Mongoose would store an empty list for a missing one. */
export function listClientField(row: Partial<Row>): FieldRow<readonly string[]> {
  return { shape: listSchema, stored: { type: [String], default: undefined }, ...row };
}

export function flagClientField(row: Partial<Row>): FieldRow<boolean> {
  return { shape: flagSchema, stored: { type: Boolean }, ...row };
}

export function numberClientField(row: Partial<Row>): FieldRow<number> {
  return { shape: numberSchema, stored: { type: Number }, ...row };
}

/** How the command line shows that a client has to do something. */
export const asRequired = (isRequired: boolean | undefined) => (isRequired ? 'required' : undefined);

export function requiredField<Value>(row: Row): RequiredFieldRow<Value> {
  return { ...row, stored: { ...row.stored, required: true } };
}

export function fieldsOf(rows: Readonly<Record<string, Row>>): readonly ClientField[] {
  return Object.entries(rows).map(([name, { findProblems, ...row }]) => ({
    name,
    findProblems:
      findProblems &&
      ((client, limits) =>
        [findProblems(client, limits) ?? []]
          .flat()
          .map((found) => ({ field: name, ...(typeof found === 'string' ? { problem: found } : found) }))),
    ...row,
  }));
}

type RequiredNames<Rows> = {
  [Name in keyof Rows]: Rows[Name] extends RequiredFieldRow<unknown> ? Name : never;
}[keyof Rows];
type ValueOf<Row> = Row extends FieldRow<infer Value> ? Value : never;
type Given<Rows, Names extends keyof Rows> = { readonly [Name in Names]: ValueOf<Rows[Name]> };
type LeftOut<Rows, Names extends keyof Rows> = { readonly [Name in Names]?: ValueOf<Rows[Name]> };

/** The fields of a client, by their rows; each has the documentation of its row. */
export type MetadataOf<Rows> = Given<Rows, RequiredNames<Rows>> &
  LeftOut<Rows, Exclude<keyof Rows, RequiredNames<Rows>>>;

/** The value of a field, which may be one that a site or a feature has added. */
export function valueOf(client: Partial<ClientMetadata> | Client, { name }: { readonly name: string }) {
  return (client as Readonly<Record<string, unknown>>)[name];
}
