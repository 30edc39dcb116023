import { OAuthError } from '../../shared/errors.js';
import { findUnstorable } from '../../shared/protocol/storable.js';
import type { ClientMetadata } from './client.js';
import type { ClientField, FieldDefaults, RegistrationLimits } from './client-field.js';
import { CLIENT_FIELDS } from './client-fields.js';
import type { ClientProblem } from './validation-error.js';

/**
 * All problems of a client's metadata; an empty list if the client can be registered.
 *
 * @see RFC 6749 §2, §3.1.2.2, §4.4, RFC 7591 §2
 */
export function findClientProblems(
  client: ClientMetadata,
  limits: RegistrationLimits,
  fields: readonly ClientField[] = CLIENT_FIELDS,
): readonly ClientProblem[] {
  const misshapen: ClientProblem[] = [];
  const values = client as unknown as Readonly<Record<string, unknown>>;
  for (const { name, shape, stored } of fields) {
    const value = values[name];
    if (value === undefined && stored.required !== true) continue;
    const [issue] = shape().validate(value).issues ?? [];
    const problem = issue?.message ?? (isStorableValue(value) ? undefined : UNSTORABLE);
    if (problem !== undefined) misshapen.push({ field: name, problem: `${name} ${problem}` });
  }
  // fields are compared with each other only if all have the right shape
  if (misshapen.length > 0) return misshapen;
  const problems = fields.flatMap(({ findProblems }) => findProblems?.(client, limits) ?? []);
  // an error reports the first problem; unused redirect URIs come last, because a misspelt grant type may be the cause
  return [
    ...problems.filter(({ reason }) => reason !== 'redirectUriUnused'),
    ...problems.filter(({ reason }) => reason === 'redirectUriUnused'),
  ];
}

/** Levels: a key set has lists of texts in keys in a list. */
const MAX_DEPTH = 5;
/** Continues after the name of the field. */
export const UNSTORABLE = 'has a name or a text in it that cannot be stored';

/** Whether the value of a client's field can be stored unchanged. */
export function isStorableValue(value: unknown): boolean {
  return findUnstorable(value, MAX_DEPTH) === undefined;
}

/** @throws OAuthError invalid_redirect_uri or invalid_client_metadata (RFC 7591 §3.2.2) */
export function checkMetadata(
  client: ClientMetadata,
  limits: RegistrationLimits,
  fields?: readonly ClientField[],
): void {
  const [first] = findClientProblems(client, limits, fields);
  if (first !== undefined) throw metadataError(first);
}

/**
 * As `checkMetadata`, for a client from JSON: the error names the fields by their wire names (`initiate_login_uri`).
 */
export function checkWireMetadata(
  client: ClientMetadata,
  limits: RegistrationLimits,
  fields: readonly ClientField[] = CLIENT_FIELDS,
): void {
  const [first] = findClientProblems(client, limits, fields);
  if (first === undefined) return;
  const wireNames = new Map(fields.map(({ name, wire }) => [name, wire?.name ?? name]));
  const problem = first.problem.replace(/\b[a-z]+(?:[A-Z][a-z]+)+\b/g, (name) => wireNames.get(name) ?? name);
  throw metadataError({ ...first, problem });
}

/** RFC 7591 §3.2.2 */
export function metadataError({ field, problem }: ClientProblem): OAuthError {
  return new OAuthError(
    field === 'redirectUris' ? 'invalid_redirect_uri' : 'invalid_client_metadata',
    problem,
  );
}

/**
 * A new client's metadata, with defaults for absent fields. As in a change, null removes an optional field; a required
 * field stays null, and its check reports that.
 */
export function withDefaults(
  input: Readonly<Record<string, unknown>>,
  defaults: FieldDefaults,
  fields: readonly ClientField[] = CLIENT_FIELDS,
): ClientMetadata {
  const complete: Record<string, unknown> = {};
  for (const { name, stored, default: byDefault } of fields)
    complete[name] =
      input[name] === null && stored.required === true ? null : (input[name] ?? byDefault?.(input, defaults));
  return pickMetadata(complete as unknown as ClientMetadata, fields);
}

/** The metadata of a client without other members, and without duplicates in lists. */
export function pickMetadata(client: ClientMetadata, fields: readonly ClientField[] = CLIENT_FIELDS) {
  const values = client as unknown as Readonly<Record<string, unknown>>;
  const metadata: Record<string, unknown> = {};
  for (const { name, implied } of fields) {
    const value = values[name] ?? implied?.(client, fields);
    if (value !== undefined) metadata[name] = Array.isArray(value) ? [...new Set<unknown>(value)] : value;
  }
  return metadata as unknown as ClientMetadata;
}
