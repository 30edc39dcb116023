import type { MessageKey } from '../../messages/index.js';
import type { Profile } from '../../settings/options/profile-options.js';
import type { LimitUntrustedFetch } from '../../shared/outbound/limit-untrusted-fetch.js';
import type { RedirectUriRules } from '../../shared/protocol/redirect-uri.js';
import type { Schema } from '../../shared/schema.js';
import type { AuthMethodInfo } from './auth-method-info.js';
import type { Client, ClientMetadata } from './client.js';
import type { ClientFetchLimits } from './untrusted-fetch-limits.js';
import { flagSchema, listSchema, numberSchema, textSchema } from './validation/schemas.js';
import type { ClientProblem, ProblemResult } from './validation-error.js';

/** The limits of this server on registrations. */
export interface RegistrationLimits {
  readonly scopes: readonly string[];
  readonly grantTypes: readonly string[];
  /** The enabled client authentication methods. Default: none. */
  readonly tokenEndpointAuthMethods?: readonly string[];
  /** The traits of all methods, enabled or not: a client may be registered for a method that was enabled before. */
  readonly methods: readonly AuthMethodInfo[];
  /** The profile of FAPI that applies to all clients. Default: none. */
  readonly profile?: Profile | undefined;
  /** Why the server cannot apply a profile to single clients. Default: it can. */
  readonly lackingFor?: (profile: Profile) => string | undefined;
  /** The resource servers of the site. Default: not checked. */
  readonly resources?: readonly string[];
  /** The types of authorization details of the server. Default: not checked. */
  readonly authorizationDetailsTypes?: readonly string[];
  /** The SPIFFE trust domains whose programs can be clients. Default: not checked. */
  readonly trustDomains?: readonly string[];
  /** The algorithms by which the server signs JWTs. Default: all supported ones. */
  readonly signingAlgorithms?: readonly string[];
  /** The kinds of `sub` by which clients can know users (OpenID Connect Core §8). Default: not checked. */
  readonly subjectTypes?: readonly string[];
  /** Whether the issuer is on loopback, so that clients may use `http:` on loopback. Default: not checked. */
  readonly isLoopbackIssuer?: boolean;
  /** The limits on fetching the document at a `sector_identifier_uri`. Default: public addresses only. */
  readonly sectorLimits?: ClientFetchLimits;
  /** Limits the fetches of those documents. Default: no limit. */
  readonly limitUntrustedFetch?: LimitUntrustedFetch;
  /** Names that an application may not resemble, unless the site vouches for it. Default: none. */
  readonly reservedNames?: readonly string[];
  /** The current name of the client. */
  readonly existingName?: string;
  /** Redirect URIs beyond those that strangers can register. Default: none. */
  readonly redirectUriRules?: RedirectUriRules;
  /** The current redirect URIs of the client, which it may keep: it may come from another server. */
  readonly existingRedirectUris?: readonly string[];
  /** The current grant types of the client. */
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
  /** Turns the member of the request into a value of the field. Default: unchanged. */
  readonly parse?: (sent: never) => unknown;
  /** Turns a value into the member of the response; undefined: no member. Default: unchanged. */
  readonly format?: (value: never) => unknown;
}

export interface FlagOptions {
  /** In commander's syntax: `--redirect-uri <uri...>`. */
  readonly flags: string;
  readonly description: string;
  /** The flag with the opposite effect: `--no-trusted`, and its description. */
  readonly negated?: { readonly flags: string; readonly description: string };
  /** `--scopes a b`, `--scopes "a b"` and `--scopes a,b` mean the same. */
  readonly isList?: true;
  readonly isNumber?: true;
  /** Whether the argument names a file, whose JSON is the value. */
  readonly isJsonFile?: true;
  readonly choices?: readonly string[];
  /** The value for `create` without the flag. */
  readonly default?: string;
  readonly isRequired?: true;
  readonly isCreateOnly?: true;
}

export type TextByLanguage = Readonly<Record<string, string>> & { readonly en: string };

/** Everything about a field except its name and its type of values: where it is set, checked, stored, displayed. */
interface Row {
  /** The shape of a value, made at its first use. A message continues after the name of the field: `must be text`. */
  readonly shape: () => Schema;
  /** The field in the Mongoose schema: `{ type: String, required: true }`. */
  readonly stored: Readonly<Record<string, unknown>> & { readonly type: unknown; readonly required?: true };
  /** The value for a new client that omits the field. Default: none. */
  readonly default?: (given: Readonly<Record<string, unknown>>, defaults: FieldDefaults) => unknown;
  /** The value that other fields imply if this one is omitted. */
  readonly implied?: (client: Partial<ClientMetadata>, fields: readonly ClientField[]) => unknown;
  /** The authentication method of a client that has this field and no registered method. Default: none. */
  readonly impliesMethod?: string;
  readonly findProblems?: (
    client: ClientMetadata,
    limits: RegistrationLimits,
  ) => ProblemResult | readonly ProblemResult[] | undefined;
  /** Absent: a client that registers itself can neither set it nor see it. */
  readonly wire?: WireField;
  /** Whether the form of the applications page has the field, so that owners may change it. */
  readonly isOwners?: true;
  /**
   * Whether reviewers look at this field, so that a change by anybody but the site ends approval and verification.
   * `if-extended`: not if the field only loses its value, or an entry of its list. Default: the field is not reviewed.
   */
  readonly requiresReapproval?: true | 'if-extended';
  /** The reviewed value of the client. Default: the value of the field. */
  readonly reviewedValue?: (client: ClientMetadata) => unknown;
  /** Whether the entries are ids of other clients; code and the command line then report unknown ids. */
  readonly namesClients?: true;
  /** Setting it marks the client as approved by the site and disables RFC 7592 updates. */
  readonly grantsTrust?: true;
  /** Absent: the command line does not set it. */
  readonly flag?: FlagOptions;
  /**
   * How the command line prints the field: the label, and the text (undefined: nothing). Default: text unchanged, the
   * entries of a list, `yes` for true and nothing for false. Absent: only in its JSON.
   */
  readonly printed?: { readonly label: string; readonly format?: (value: never) => string | undefined };
  /**
   * The label on pages. Absent: the name in a registration. A label by language also adds the field to the page of an
   * application.
   */
  readonly label?: MessageKey | TextByLanguage;
  /** The help text of the form, if owners may change the field; the text can have an `{example}`. */
  readonly meaning?: MessageKey | TextByLanguage;
  readonly example?: string;
  /** The input of the form. Default: by the stored type. */
  readonly input?: 'line' | 'paragraph' | 'url';
}

/** One field of a client's registration, with everything that sets, stores and displays it. */
export interface ClientField extends Omit<Row, 'findProblems'> {
  readonly name: string;
  readonly findProblems?: (client: ClientMetadata, limits: RegistrationLimits) => readonly ClientProblem[];
}

/** A row whose field has values of this type. The key of a row is the name of its field. */
export interface FieldRow<Value> extends Row {
  /** For the type only; the member is never set. */
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

/** A field with a list of texts, which may be absent: Mongoose would store an empty list for an absent one. */
export function listClientField(row: Partial<Row>): FieldRow<readonly string[]> {
  return { shape: listSchema, stored: { type: [String], default: undefined }, ...row };
}

export function flagClientField(row: Partial<Row>): FieldRow<boolean> {
  return { shape: flagSchema, stored: { type: Boolean }, ...row };
}

export function numberClientField(row: Partial<Row>): FieldRow<number> {
  return { shape: numberSchema, stored: { type: Number }, ...row };
}

/** How the command line prints a requirement on a client. */
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
        [findProblems(client, limits) ?? []].flat().map((each) => ({
          field: name,
          ...(typeof each === 'string' ? { problem: each } : each),
        }))),
    ...row,
  }));
}

type RequiredNames<Rows> = {
  [Name in keyof Rows]: Rows[Name] extends RequiredFieldRow<unknown> ? Name : never;
}[keyof Rows];
type ValueOf<Row> = Row extends FieldRow<infer Value> ? Value : never;
type Given<Rows, Names extends keyof Rows> = { readonly [Name in Names]: ValueOf<Rows[Name]> };
type LeftOut<Rows, Names extends keyof Rows> = { readonly [Name in Names]?: ValueOf<Rows[Name]> };

/** The fields of a client, by their rows, each with the documentation of its row. */
export type MetadataOf<Rows> = Given<Rows, RequiredNames<Rows>> &
  LeftOut<Rows, Exclude<keyof Rows, RequiredNames<Rows>>>;

/** The value of a field, which a site or a feature may have added. */
export function valueOf(client: Partial<ClientMetadata> | Client, { name }: { readonly name: string }) {
  return (client as Readonly<Record<string, unknown>>)[name];
}
