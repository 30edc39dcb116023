import { OAuthError } from '../../shared/errors.js';
import type { ClientMetadata } from './client.js';
import { type ClientField, type RegistrationLimits, valueOf } from './client-field.js';

/** A list of what a client can do, and the parameter that says what is chosen from it. */
interface Choice {
  readonly list: string;
  readonly single: string;
  /** What a client that names nothing is registered with. Default: nothing, which means that it does without. */
  readonly defaultValue?: string;
  /** The parameter without which this one says nothing. */
  readonly beside?: string;
}

const AUTH_METHODS = 'token_endpoint_auth_methods_supported';
const AUTH_ALGORITHMS = 'token_endpoint_auth_signing_alg_values_supported';

const signing = (list: string, single: string, defaultValue?: string): Choice => ({
  list: `${list}_signing_alg_values_supported`,
  single,
  ...(defaultValue !== undefined && { defaultValue }),
});
const encryption = (list: string, single: string): readonly Choice[] => [
  { list: `${list}_encryption_alg_values_supported`, single: `${single}_alg` },
  {
    list: `${list}_encryption_enc_values_supported`,
    single: `${single}_enc`,
    defaultValue: 'A128CBC-HS256',
    beside: `${single}_alg`,
  },
];

/** @see OpenID Connect Relying Party Metadata Choices 1.0 §2 */
const CHOICES: readonly Choice[] = [
  { list: 'subject_types_supported', single: 'subject_type', defaultValue: 'public' },
  signing('id_token', 'id_token_signed_response_alg', 'RS256'),
  ...encryption('id_token', 'id_token_encrypted_response'),
  signing('userinfo', 'userinfo_signed_response_alg'),
  ...encryption('userinfo', 'userinfo_encrypted_response'),
  signing('request_object', 'request_object_signing_alg'),
  ...encryption('request_object', 'request_object_encryption'),
  signing('token_endpoint_auth', 'token_endpoint_auth_signing_alg'),
  signing('authorization', 'authorization_signed_response_alg', 'RS256'),
  ...encryption('authorization', 'authorization_encrypted_response'),
];

type Wire = Readonly<Record<string, unknown>>;
/** A client that is being registered: it may have no name yet. */
type Unnamed = Partial<ClientMetadata>;

/**
 * Chooses, of what a client says that it can do, what this server can do as well: what the client prefers, else what is
 * usual, else the first of its list. The answer has the choice and not the list.
 *
 * @throws OAuthError invalid_client_metadata if there is nothing that both can do, or a preference is not in its list
 * @see OpenID Connect Relying Party Metadata Choices 1.0 §2, §4
 */
export function chooseMetadata<Metadata extends Unnamed>(
  metadata: Metadata,
  request: Wire,
  { fields, limits }: { readonly fields: readonly ClientField[]; readonly limits: RegistrationLimits },
): Metadata {
  if (!Object.keys(request).some((name) => name.endsWith('_supported'))) return metadata;
  let chosen = metadata;
  for (const choice of CHOICES) {
    const list = listIn(request, choice);
    const field = fields.find(({ wire }) => wire?.name === choice.single);
    // a feature that is off has no such parameter, and what is not understood is ignored (RFC 7591 §2)
    if (list === undefined || field === undefined) continue;
    const before = chosen;
    const fits = (value: string) => isPossible(before, { field, value }, { fields, limits });
    const preferred = preferenceOf(chosen, field, { choice, list, fields });
    if (preferred === undefined) continue;
    const value = [preferred, ...list].find((each) => list.includes(each) && fits(each));
    if (value === undefined) throw noneOf(choice.list);
    chosen = { ...chosen, [field.name]: value };
  }
  checkAuthAlgorithms(chosen, request, { fields, limits });
  return chosen;
}

/**
 * The methods of authentication that a client can use, the one that it prefers first; undefined if it has given no
 * list.
 *
 * @throws OAuthError invalid_client_metadata
 */
export function methodsIn(request: Wire, defaultValue: string): readonly string[] | undefined {
  const choice = { list: AUTH_METHODS, single: 'token_endpoint_auth_method' };
  const list = listIn(request, choice);
  if (list === undefined) return undefined;
  const { token_endpoint_auth_method: preferred = defaultValue } = request;
  return [...list.filter((each) => each === preferred), ...list];
}

/** The client names no algorithm, so that it may use any: one at least has to be possible. */
function checkAuthAlgorithms(
  metadata: Unnamed,
  request: Wire,
  { fields, limits }: Parameters<typeof chooseMetadata>[2],
): void {
  const single = 'token_endpoint_auth_signing_alg';
  const list = listIn(request, { list: AUTH_ALGORITHMS, single });
  const field = fields.find(({ wire }) => wire?.name === single);
  const isUsed = metadata.tokenEndpointAuthMethod?.endsWith('_jwt') === true;
  if (list === undefined || field === undefined || !isUsed) return;
  if (!list.some((value) => isPossible(metadata, { field, value }, { fields, limits })))
    throw noneOf(AUTH_ALGORITHMS);
}

/** What to try first; undefined if the client does without. */
function preferenceOf(
  metadata: Unnamed,
  field: ClientField,
  {
    choice: { defaultValue, beside },
    list,
    fields,
  }: { readonly choice: Choice; readonly list: readonly string[]; readonly fields: readonly ClientField[] },
): string | undefined {
  const preferred = valueOf(metadata, field) as string | undefined;
  if (preferred !== undefined) return preferred;
  const other = fields.find(({ wire }) => wire?.name === beside);
  if (other !== undefined && valueOf(metadata, other) === undefined) return undefined;
  // a list alone asks for nothing that is not there without it
  return defaultValue === undefined || list.includes(defaultValue) ? defaultValue : (list[0] ?? defaultValue);
}

/** The list, if there is one, with the preference in it (OpenID Connect Relying Party Metadata Choices §2: MUST). */
function listIn(request: Wire, { list: name, single }: Choice): readonly string[] | undefined {
  const { [name]: list, [single]: preferred } = request;
  if (list === undefined || list === null || list === '') return undefined;
  if (!Array.isArray(list) || list.length > 50 || !list.every((each) => typeof each === 'string'))
    throw invalid(`${name} must be a list of text`);
  if (typeof preferred === 'string' && preferred !== '' && !list.includes(preferred))
    throw invalid(`${single} must be one of ${name}`);
  return list;
}

/** Whether nothing is wrong with a value that was right without it, for the field itself and for the profile. */
function isPossible(
  metadata: Unnamed,
  { field, value }: { readonly field: ClientField; readonly value: string },
  { fields, limits }: Parameters<typeof chooseMetadata>[2],
): boolean {
  if (!field.shape().safeParse(value).success) return false;
  const judges = fields.filter(({ name }) => name === field.name || name === 'profile');
  const countProblems = (client: Unnamed) =>
    judges.flatMap(({ findProblems }) => findProblems?.(client as ClientMetadata, limits) ?? []).length;
  return (
    countProblems({ ...metadata, [field.name]: value }) <=
    countProblems({ ...metadata, [field.name]: undefined })
  );
}

function noneOf(list: string): OAuthError {
  return invalid(`${list} has none that this server supports`);
}

function invalid(description: string): OAuthError {
  return new OAuthError('invalid_client_metadata', description, { reason: 'client_metadata_invalid' });
}
