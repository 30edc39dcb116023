import { OAuthError } from '../../shared/errors.js';
import { limitName } from '../../shared/protocol/display-name.js';
import type { ClientMetadata, RegistrationDetails } from './client.js';
import { usesRedirects } from './client-checks.js';
import { type ClientField, type RegistrationLimits, valueOf } from './client-field.js';
import { CLIENT_FIELDS, DETAIL_FIELDS } from './client-fields.js';
import { isStorableValue, UNSTORABLE } from './client-metadata.js';
import { shortList, shortText } from './validation/schemas.js';
import { invalidMetadata } from './validation-error.js';

/** The limits on clients that register themselves. */
export interface RegistrationRules extends RegistrationLimits {
  readonly tokenEndpointAuthMethods: readonly string[];
  /** The scopes of a client that requests none, or none that the server has. */
  readonly defaultScopes: readonly string[];
  /** All scopes of the server. Default: `scopes`. */
  readonly knownScopes?: readonly string[];
  /** True if the client gets every scope of `scopes`, whatever it requests. */
  readonly allScopes?: boolean;
  readonly responseTypes: readonly { readonly responseType: string; readonly grantType: string }[];
  /** The fields that a client can register. Default: `CLIENT_FIELDS`. */
  readonly fields?: readonly ClientField[];
}

/** The fields that a client can set itself: only the site can set trust, introspection and owners. */
export interface RegistrationRequest extends Omit<ClientMetadata, 'name' | 'trusted'> {
  readonly name?: string;
  readonly tokenEndpointAuthMethod: string;
}

type Wire = Readonly<Record<string, unknown>>;

/** Members of a registration response that no client sets (RFC 7591 §3.2.1, RFC 7592 §3). */
export const RESPONSE_ONLY = [
  'registration_access_token',
  'registration_client_uri',
  'client_secret_expires_at',
  'client_id_issued_at',
];

const MAX_CONTACTS = 10;

/**
 * Reads the metadata of a registration request. Grant types, scopes and response types that this server does not have
 * are left out, as are informational members that cannot be stored; the response shows the rest. If nothing is left of
 * a list, or a relevant value is invalid, the request is refused.
 *
 * @throws OAuthError invalid_redirect_uri or invalid_client_metadata
 * @see RFC 7591 §2, §2.1, §3.2.1
 */
export function parseRegistration(
  sent: Wire,
  rules: RegistrationRules,
): { readonly metadata: RegistrationRequest; readonly details: RegistrationDetails } {
  const { fields = CLIENT_FIELDS, knownScopes = rules.scopes } = rules;
  const request = cleanRegistration(sent);
  const input: Partial<ClientMetadata> = readFields(request, fields);
  const { jwks, jwksUri, scopes: requestedScopes } = input;

  // RFC 7591 §2: if unspecified or omitted, the default is client_secret_basic
  const registrable = rules.methods.filter(
    ({ name, isRegistrable = true }) => isRegistrable && rules.tokenEndpointAuthMethods.includes(name),
  );
  const requestedMethods = methodsIn(request, 'client_secret_basic') ?? [
    input.tokenEndpointAuthMethod ?? 'client_secret_basic',
  ];
  const usable = requestedMethods.flatMap((name) => registrable.filter((each) => each.name === name));
  // a client with several methods that sends no keys authenticates without keys
  const hasKeys = jwks !== undefined || jwksUri !== undefined;
  const method = usable.find(({ credential }) => hasKeys || credential !== 'keys') ?? usable[0];
  if (method === undefined)
    throw invalidMetadata(
      `token_endpoint_auth_method must be one of ${registrable.map(({ name }) => name).join(', ')}`,
    );

  // RFC 7591 §2: jwks and jwks_uri MUST NOT both be present in the same request or response
  if (jwks !== undefined && jwksUri !== undefined)
    throw invalidMetadata('jwks and jwks_uri exclude each other');
  if (method.credential === 'keys' && !hasKeys)
    throw invalidMetadata(`${method.name} needs jwks or jwks_uri`);

  // RFC 7591 §2: if omitted, the default is that the client will use only the authorization_code grant type
  const requestedGrantTypes = new Set(input.grantTypes ?? ['authorization_code']);
  const grantTypes = [...requestedGrantTypes].filter((grantType) => rules.grantTypes.includes(grantType));
  if (grantTypes.length === 0)
    throw invalidMetadata(`grant_types must have one of ${rules.grantTypes.join(', ')}`);
  const responseTypes = readResponseTypes(request, grantTypes, rules);

  // RFC 7591 §3.2.1: MAY replace the requested scopes; §2: a request with only unknown scopes has no scopes
  let scopes = rules.scopes.filter((scope) => requestedScopes?.includes(scope));
  if (rules.allScopes === true) scopes = [...rules.scopes];
  else if (!knownScopes.some((scope) => requestedScopes?.includes(scope))) scopes = [...rules.defaultScopes];
  else if (scopes.length === 0)
    throw invalidMetadata('scope has none that a client can be registered for here');

  // RFC 7591 §2: redirect URIs are for flows with redirects; §3.2.1: the response shows that they are left out
  const redirectUris = usesRedirects(grantTypes) ? (input.redirectUris ?? []) : [];
  const metadata: RegistrationRequest = {
    ...input,
    tokenEndpointAuthMethod: method.name,
    type: method.name === 'none' ? 'public' : 'confidential',
    redirectUris,
    scopes,
    grantTypes,
    responseTypes,
  };

  // RFC 7591 §5: pages at other hosts than the redirect URIs are left out, unless no redirect URI has a host (an app)
  const hosts = redirectUris
    .filter((uri) => uri.startsWith('https:') && URL.canParse(uri))
    .map((uri) => new URL(uri).host);
  const details = Object.entries(readFields(request, DETAIL_FIELDS)).filter(
    ([name, value]) => hosts.length === 0 || !name.endsWith('Uri') || hosts.includes(new URL(value).host),
  );
  return { metadata: chooseMetadata(metadata, request, rules), details: Object.fromEntries(details) };
}

/**
 * A registration request without the informational members that this server cannot store: they decide nothing, and a
 * program could not react to a refusal. The response shows the rest. Names are adapted to the rules for names; invalid
 * redirect URIs, keys and other relevant members are refused later.
 *
 * @see RFC 7591 §2, §3.2.1
 */
export function cleanRegistration(request: Wire): Wire {
  const cleaned: Record<string, unknown> = { ...request };
  for (const { name, shape, wire = { name } } of DETAIL_FIELDS)
    if (
      name !== 'contacts' &&
      Object.hasOwn(request, wire.name) &&
      shape().validate(request[wire.name]).issues
    )
      delete cleaned[wire.name];
  const { client_name: clientName, contacts, jwks, response_types: responseTypes } = request;
  // a list, a number or blanks are no name; a client without a name is called by its id
  if (typeof clientName === 'string') cleaned.client_name = limitName(clientName);
  else delete cleaned.client_name;
  if (Object.hasOwn(request, 'contacts')) {
    const usable = [contacts]
      .flat()
      .filter((each) => each !== '' && shortText().validate(each).issues === undefined);
    cleaned.contacts = usable.length === 0 ? undefined : usable.slice(0, MAX_CONTACTS);
  }
  // RFC 7591 §2: some programs send every member, even empty; a client that needs keys gets an error about them
  if (['{}', '{"keys":[]}'].includes(JSON.stringify(jwks))) delete cleaned.jwks;
  if (Array.isArray(responseTypes) && responseTypes.length === 0) delete cleaned.response_types;
  return cleaned;
}

/** RFC 7592 §2.2: null and empty stand for an omitted field. */
export function isOmitted(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/**
 * Reads a field from a registration (RFC 7591 §2); undefined if the registration omits the field.
 *
 * @returns the value of the field, or a problem that continues after the name of the member: `must be text`
 */
export function readWireField(
  { shape, wire }: Pick<ClientField, 'shape' | 'wire'>,
  registration: Wire,
): { readonly value: unknown } | { readonly problem: string } | undefined {
  if (wire === undefined || isOmitted(registration[wire.name])) return undefined;
  const sent = registration[wire.name];
  const [issue] = (wire.shape ?? shape)().validate(sent).issues ?? [];
  if (issue !== undefined) return { problem: issue.message };
  return { value: wire.parse === undefined ? sent : wire.parse(sent as never) };
}

/**
 * RFC 7591 §2. Unknown members are ignored (§2: MUST): `trusted` and its like, and names with a language tag (RFC 7591
 * §2.2).
 */
function readFields(request: Wire, fields: readonly ClientField[]): Readonly<Record<string, never>> {
  const input: Record<string, unknown> = {};
  for (const field of fields) {
    if (field.wire === undefined || request[field.wire.name] === undefined) continue;
    const read = readWireField(field, request);
    if (read === undefined) continue;
    const problem = 'problem' in read ? read.problem : isStorableValue(read.value) ? undefined : UNSTORABLE;
    if (problem !== undefined)
      throw new OAuthError(
        field.name === 'redirectUris' ? 'invalid_redirect_uri' : 'invalid_client_metadata',
        `${field.wire.name} ${problem}`,
        { reason: 'client_metadata_invalid' },
      );
    if ('value' in read) input[field.name] = read.value;
  }
  return input as Readonly<Record<string, never>>;
}

/**
 * The response types that a client may use; undefined if its grant types imply them. They do, except for OpenID
 * Connect: only a client that requests an ID token through the browser gets one.
 *
 * @see RFC 7591 §2, §2.1, OpenID Connect Registration §2
 */
function readResponseTypes(
  { response_types: sent }: Wire,
  grantTypes: readonly string[],
  rules: RegistrationRules,
): readonly string[] | undefined {
  const [issue] = isOmitted(sent) ? [] : (shortList().validate(sent).issues ?? []);
  if (issue !== undefined) throw invalidMetadata(`response_types ${issue.message}`);
  const requested = isOmitted(sent) ? undefined : (sent as readonly string[]);

  // RFC 7591 §2.1: the two lists must agree, or the client could use neither
  const requestedTypes = rules.responseTypes.filter(({ responseType }) => requested?.includes(responseType));
  // OpenID Connect Registration §2: a response type of several words uses the implicit grant as well
  const used = requestedTypes.flatMap(({ responseType, grantType }) =>
    responseType.includes(' ') ? [grantType, 'implicit'] : [grantType],
  );
  const contradiction = rules.responseTypes.find((each) =>
    requestedTypes.includes(each)
      ? !grantTypes.includes(each.grantType)
      : grantTypes.includes(each.grantType) && !used.includes(each.grantType),
  );
  if (requested !== undefined && contradiction !== undefined)
    throw invalidMetadata(
      `the response type ${contradiction.responseType} and the grant type ${contradiction.grantType} go together: name both or neither`,
    );

  const givesIdToken = (responseType: string) => responseType.split(' ').includes('id_token');
  const usable = rules.responseTypes.filter(({ grantType }) => grantTypes.includes(grantType));
  if (usable.length === 0 || !rules.responseTypes.some((each) => givesIdToken(each.responseType)))
    return undefined;
  return usable
    .map(({ responseType }) => responseType)
    .filter((name) => requested?.includes(name) ?? (!givesIdToken(name) && !name.includes(' ')));
}

/** A list of a client's capabilities, and the parameter with the preferred one. */
interface Choice {
  readonly list: string;
  readonly single: string;
  /** The value for a client that sends none. Default: none, the client does without. */
  readonly defaultValue?: string | undefined;
  /** The parameter without which this one has no meaning. */
  readonly beside?: string;
}

const signing = (list: string, single: string, defaultValue?: string): Choice => ({
  list: `${list}_signing_alg_values_supported`,
  single,
  defaultValue,
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
const AUTH_SIGNING = signing('token_endpoint_auth', 'token_endpoint_auth_signing_alg');

/** @see OpenID Connect Relying Party Metadata Choices 1.0 §2 */
const CHOICES: readonly Choice[] = [
  { list: 'subject_types_supported', single: 'subject_type', defaultValue: 'public' },
  signing('id_token', 'id_token_signed_response_alg', 'RS256'),
  ...encryption('id_token', 'id_token_encrypted_response'),
  signing('userinfo', 'userinfo_signed_response_alg'),
  ...encryption('userinfo', 'userinfo_encrypted_response'),
  signing('request_object', 'request_object_signing_alg'),
  ...encryption('request_object', 'request_object_encryption'),
  AUTH_SIGNING,
  signing('authorization', 'authorization_signed_response_alg', 'RS256'),
  ...encryption('authorization', 'authorization_encrypted_response'),
];

/**
 * Chooses for each list a value that both the client and this server support: the client's preferred one, else the
 * default, else the first of the list. The response has the choice and not the list.
 *
 * @throws OAuthError invalid_client_metadata if there is no common value, or a preference is not in its list
 * @see OpenID Connect Relying Party Metadata Choices 1.0 §2, §4
 */
function chooseMetadata(metadata: RegistrationRequest, request: Wire, rules: RegistrationRules) {
  const { fields = CLIENT_FIELDS } = rules;
  if (!Object.keys(request).some((name) => name.endsWith('_supported'))) return metadata;
  const fieldFor = (wireName: string) => fields.find(({ wire }) => wire?.name === wireName);
  let chosen = metadata;
  /** Whether a value adds no problem to the client, by the checks of the field and of the profile. */
  const isPossible = (field: ClientField, value: string): boolean => {
    if (field.shape().validate(value).issues) return false;
    const judges = fields.filter(({ name }) => name === field.name || name === 'profile');
    const countProblems = (each: string | undefined) => {
      // a client may still lack a name here, which neither check reads
      const client = { ...chosen, [field.name]: each } as unknown as ClientMetadata;
      return judges.flatMap(({ findProblems }) => findProblems?.(client, rules) ?? []).length;
    };
    return countProblems(value) <= countProblems(undefined);
  };

  for (const choice of CHOICES) {
    const list = listIn(request, choice);
    const field = fieldFor(choice.single);
    // a disabled feature has no such parameter, and unknown members are ignored (RFC 7591 §2)
    if (list === undefined || field === undefined) continue;
    const beside = choice.beside === undefined ? undefined : fieldFor(choice.beside);
    const isMeaningless = beside !== undefined && valueOf(chosen, beside) === undefined;
    // a list alone requests nothing beyond the default
    const byDefault =
      choice.defaultValue === undefined || isMeaningless || list.includes(choice.defaultValue)
        ? choice.defaultValue
        : (list[0] ?? choice.defaultValue);
    const requested = valueOf(chosen, field) as string | undefined;
    const preferred = requested ?? (isMeaningless ? undefined : byDefault);
    if (preferred === undefined) continue;
    const value = [preferred, ...list].find((each) => list.includes(each) && isPossible(field, each));
    if (value === undefined) throw noCommonValue(choice);
    chosen = { ...chosen, [field.name]: value };
  }

  // a client without `token_endpoint_auth_signing_alg` may use any algorithm: one of the list has to be possible
  const list = listIn(request, AUTH_SIGNING);
  const field = fieldFor(AUTH_SIGNING.single);
  const isUsed = chosen.tokenEndpointAuthMethod.endsWith('_jwt');
  if (list !== undefined && field !== undefined && isUsed && !list.some((each) => isPossible(field, each)))
    throw noCommonValue(AUTH_SIGNING);
  return chosen;
}

/**
 * The client's authentication methods, its preferred one first; undefined without a list.
 *
 * @throws OAuthError invalid_client_metadata
 */
export function methodsIn(request: Wire, defaultValue: string): readonly string[] | undefined {
  const single = 'token_endpoint_auth_method';
  const list = listIn(request, { list: 'token_endpoint_auth_methods_supported', single });
  if (list === undefined) return undefined;
  const { [single]: preferred = defaultValue } = request;
  return [...list.filter((each) => each === preferred), ...list];
}

/** The list, if present; it must contain the preference (OpenID Connect Relying Party Metadata Choices §2: MUST). */
function listIn(request: Wire, { list: name, single }: Choice): readonly string[] | undefined {
  const { [name]: list, [single]: preferred } = request;
  if (isOmitted(list)) return undefined;
  if (!Array.isArray(list) || list.length > 50 || !list.every((each) => typeof each === 'string'))
    throw invalidMetadata(`${name} must be a list of text`);
  if (typeof preferred === 'string' && preferred !== '' && !list.includes(preferred))
    throw invalidMetadata(`${single} must be one of ${name}`);
  return list;
}

function noCommonValue({ list }: Choice): OAuthError {
  return invalidMetadata(`${list} has none that this server supports`);
}
