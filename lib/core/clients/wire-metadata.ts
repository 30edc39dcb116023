import type { Profile } from '../../settings/features/profile-options.js';
import { OAuthError } from '../../shared/errors.js';
import type { FetchLimits } from '../../shared/outbound/fetch-json.js';
import type { LimitUntrustedFetch } from '../../shared/outbound/limit-untrusted-fetch.js';
import type { RedirectUriRules } from '../../shared/protocol/redirect-uri.js';
import { DETAIL_FIELDS } from './about-fields.js';
import type { AuthMethodInfo } from './auth-method-info.js';
import type { Client, ClientMetadata, RegistrationDetails } from './client.js';
import type { ClientField } from './client-field.js';
import { CLIENT_FIELDS } from './client-fields.js';
import { isStorableValue, UNSTORABLE } from './client-metadata.js';
import { chooseMetadata, methodsIn } from './metadata-choices.js';
import { usesRedirects } from './validation/client-checks.js';
import { shortList } from './validation/schemas.js';
import { cleanRegistration } from './wire-cleaning.js';
import { isOmitted, readWireField } from './wire-field.js';

/** What clients that register themselves can be registered for here. */
export interface RegistrationRules {
  readonly grantTypes: readonly string[];
  readonly scopes: readonly string[];
  /** What is registered where no scope is asked for, or none that the server has. */
  readonly defaultScopes: readonly string[];
  /** All scopes of the server. Default: `scopes`. */
  readonly knownScopes?: readonly string[];
  /** Whether it may have all of them, whichever it names. */
  readonly allScopes?: boolean;
  readonly responseTypes: readonly { readonly responseType: string; readonly grantType: string }[];
  readonly tokenEndpointAuthMethods: readonly string[];
  /** What the methods mean. */
  readonly methods: readonly AuthMethodInfo[];
  readonly reservedNames?: readonly string[];
  readonly redirectUriRules?: RedirectUriRules;
  readonly profile?: Profile | undefined;
  readonly trustDomains?: readonly string[];
  readonly signingAlgorithms?: readonly string[];
  readonly subjectTypes?: readonly string[];
  readonly isLoopbackIssuer?: boolean;
  readonly sectorLimits?: FetchLimits;
  /** Counts the fetches of sector documents. Default: nothing does. */
  readonly limitUntrustedFetch?: LimitUntrustedFetch;
  /** What a client can be registered with. Default: `CLIENT_FIELDS`. */
  readonly fields?: readonly ClientField[];
}

/** What a client can say of itself: only the site can say that it is trusted, may introspect or has an owner. */
export interface RegistrationRequest extends Omit<ClientMetadata, 'name' | 'trusted'> {
  readonly name?: string;
  readonly tokenEndpointAuthMethod: string;
}

/** A registration request in our own words, as far as it can be registered here. */
export interface ParsedRegistration {
  readonly metadata: RegistrationRequest;
  readonly details: RegistrationDetails;
}

type Wire = Readonly<Record<string, unknown>>;
type Given = Partial<ClientMetadata>;

/**
 * Reads the metadata of a registration request. Of a list (grant types, scopes, response types) what this server does
 * not have is left out, as is what is only told and cannot be kept, and the response tells; if nothing is left, or a
 * value that counts is no possible one, it is refused.
 *
 * @throws OAuthError invalid_redirect_uri or invalid_client_metadata
 * @see RFC 7591 §2, §2.1, §3.2.1
 */
export function parseRegistration(sentRequest: Wire, rules: RegistrationRules): ParsedRegistration {
  const { fields = CLIENT_FIELDS } = rules;
  const request = cleanRegistration(sentRequest);
  const given: Given = readFields(request, fields);
  const authentication = limitAuthentication(given, request, rules);
  const sent = readResponseTypes(request);
  const grantTypes = limitGrantTypes(given, sent, rules);
  // RFC 7591 §2: they are for flows with redirects; §3.2.1: the response shows that they are left out
  const redirectUris = usesRedirects(grantTypes) ? (given.redirectUris ?? []) : [];
  const metadata = {
    ...given,
    jwks: undefined,
    jwksUri: undefined,
    ...authentication,
    type: authentication.tokenEndpointAuthMethod === 'none' ? ('public' as const) : ('confidential' as const),
    redirectUris,
    scopes: limitScopes(given, rules),
    grantTypes,
    responseTypes: limitResponseTypes(sent, grantTypes, rules),
  };
  return {
    metadata: chooseMetadata(metadata, request, { fields, limits: rules }),
    details: ownDetails(readFields(request, DETAIL_FIELDS), redirectUris),
  };
}

/**
 * RFC 7591 §2. What is no field is ignored (§2: MUST): `trusted` and its like, and names with a language tag
 * (RFC 7591 §2.2).
 */
function readFields(request: Wire, fields: readonly ClientField[]): Readonly<Record<string, never>> {
  const given: Record<string, unknown> = {};
  for (const field of fields) {
    const { name, wire } = field;
    if (wire === undefined || request[wire.name] === undefined) continue;
    const read = readWireField(field, request);
    if (read === undefined) continue;
    if ('problem' in read) throw refused(name, `${wire.name} ${read.problem}`);
    if (!isStorableValue(read.value)) throw refused(name, `${wire.name} ${UNSTORABLE}`);
    given[name] = read.value;
  }
  return given as Readonly<Record<string, never>>;
}

function readResponseTypes({ response_types: sent }: Wire): readonly string[] | undefined {
  if (isOmitted(sent)) return undefined;
  const [issue] = shortList().safeParse(sent).error?.issues ?? [];
  if (issue !== undefined) throw invalid(`response_types ${issue.message}`);
  return sent as readonly string[];
}

function limitAuthentication(
  { tokenEndpointAuthMethod: given, jwks, jwksUri }: Given,
  request: Wire,
  rules: RegistrationRules,
): Pick<RegistrationRequest, 'tokenEndpointAuthMethod' | 'jwks' | 'jwksUri'> {
  const hasKeys = jwks !== undefined || jwksUri !== undefined;
  const method = findMethod(given, request, { hasKeys, rules });
  // RFC 7591 §2: jwks and jwks_uri MUST NOT both be present in the same request or response
  if (jwks !== undefined && jwksUri !== undefined) throw invalid('jwks and jwks_uri exclude each other');
  const { name: tokenEndpointAuthMethod } = method;
  if (method.credential === 'keys' && !hasKeys)
    throw invalid(`${tokenEndpointAuthMethod} needs jwks or jwks_uri`);
  // of other methods as well: requests are signed by them, and answers encrypted to them
  return { tokenEndpointAuthMethod, ...(jwks && { jwks }), ...(jwksUri !== undefined && { jwksUri }) };
}

function findMethod(
  given: string | undefined,
  request: Wire,
  { hasKeys, rules }: { readonly hasKeys: boolean; readonly rules: RegistrationRules },
): AuthMethodInfo {
  // RFC 7591 §2: if unspecified or omitted, the default is client_secret_basic
  const defaultValue = 'client_secret_basic';
  const possible = rules.methods.filter(
    ({ name, isRegistrable = true }) => isRegistrable && rules.tokenEndpointAuthMethods.includes(name),
  );
  const choices = methodsIn(request, defaultValue) ?? [given ?? defaultValue];
  const usable = choices.flatMap((name) => possible.filter((each) => each.name === name));
  // who can authenticate in several ways, and gives no keys, does it without them
  const method = usable.find(({ credential }) => hasKeys || credential !== 'keys') ?? usable[0];
  if (method === undefined)
    throw invalid(`token_endpoint_auth_method must be one of ${possible.map(({ name }) => name).join(', ')}`);
  return method;
}

function limitGrantTypes(
  { grantTypes: given = ['authorization_code'] }: Given,
  responseTypes: readonly string[] | undefined,
  rules: RegistrationRules,
): readonly string[] {
  // RFC 7591 §2: if omitted, the default is that the client will use only the authorization_code grant type
  const grantTypes = [...new Set(given)].filter((grantType) => rules.grantTypes.includes(grantType));
  if (grantTypes.length === 0) throw invalid(`grant_types must have one of ${rules.grantTypes.join(', ')}`);
  if (responseTypes === undefined) return grantTypes;
  // RFC 7591 §2.1: the two lists say the same, or the client could use neither
  const contradiction = rules.responseTypes.find(({ responseType, grantType }) =>
    responseTypes.includes(responseType)
      ? !grantTypes.includes(grantType)
      : grantTypes.includes(grantType) && !isUsed(grantType, responseTypes, rules),
  );
  if (contradiction !== undefined)
    throw invalid(
      `the response type ${contradiction.responseType} and the grant type ${contradiction.grantType} go together: name both or neither`,
    );
  return grantTypes;
}

/**
 * Which ones a client uses is said by its grant types, unless there are those of OpenID Connect: an ID token comes by
 * way of the browser to whoever has asked for that. (OpenID Connect Registration §2; RFC 7591 §2: the default is code)
 */
function limitResponseTypes(
  sent: readonly string[] | undefined,
  grantTypes: readonly string[],
  { responseTypes: known }: Pick<RegistrationRules, 'responseTypes'>,
): readonly string[] | undefined {
  const names = known.map(({ responseType }) => responseType);
  if (!names.some(givesIdToken)) return undefined;
  const usable = known.filter(({ grantType }) => grantTypes.includes(grantType));
  if (usable.length === 0) return undefined;
  return usable
    .map(({ responseType }) => responseType)
    .filter((name) =>
      sent === undefined ? !givesIdToken(name) && !name.includes(' ') : sent.includes(name),
    );
}

function givesIdToken(responseType: string): boolean {
  return responseType.split(' ').includes('id_token');
}

/** OpenID Connect Registration §2: what has several words uses the implicit grant as well. */
function isUsed(
  grantType: string,
  responseTypes: readonly string[],
  { responseTypes: known }: Pick<RegistrationRules, 'responseTypes'>,
): boolean {
  const named = known.filter(({ responseType }) => responseTypes.includes(responseType));
  return named.some(
    (type) => type.grantType === grantType || (grantType === 'implicit' && type.responseType.includes(' ')),
  );
}

function limitScopes({ scopes: requested }: Given, rules: RegistrationRules): readonly string[] {
  // RFC 7591 §3.2.1: MAY replace what is asked for
  if (rules.allScopes === true) return rules.scopes;
  if (requested === undefined) return rules.defaultScopes;
  const scopes = rules.scopes.filter((candidate) => requested.includes(candidate));
  const { knownScopes = rules.scopes } = rules;
  // RFC 7591 §2: who names nothing that exists here has named nothing
  if (!knownScopes.some((candidate) => requested.includes(candidate))) return rules.defaultScopes;
  if (scopes.length === 0) throw invalid('scope has none that a client can be registered for here');
  return scopes;
}

/**
 * RFC 7591 §5: the pages that a client names should be at the host of its redirect URIs. Those that are elsewhere are
 * left out; of an application on a device, whose redirect URIs have no host, they are kept. None is fetched or shown.
 */
function ownDetails(details: RegistrationDetails, redirectUris: readonly string[]): RegistrationDetails {
  const hosts = redirectUris
    .filter((uri) => uri.startsWith('https:') && URL.canParse(uri))
    .map((uri) => new URL(uri).host);
  if (hosts.length === 0) return details;
  const isOwn = ([name, value]: [string, unknown]) =>
    !name.endsWith('Uri') || hosts.includes(new URL(String(value)).host);
  return Object.fromEntries(Object.entries(details).filter(isOwn));
}

/**
 * All registered metadata under its wire names.
 *
 * @see RFC 7591 §3.2.1: MUST return all registered metadata about this client, also what the server provisioned itself
 */
export function formatRegistration(
  client: Client,
  { responseTypes, fields = CLIENT_FIELDS }: Pick<RegistrationRules, 'responseTypes' | 'fields'>,
): Readonly<Record<string, unknown>> {
  const { details = {}, softwareStatement } = client.registration ?? {};
  return {
    ...formatFields(client, fields),
    response_types: responseTypes
      .filter(({ grantType }) => client.grantTypes.includes(grantType))
      .map(({ responseType }) => responseType)
      .filter((name) => client.responseTypes?.includes(name) !== false),
    ...formatFields(details, DETAIL_FIELDS),
    ...(softwareStatement !== undefined && { software_statement: softwareStatement }),
  };
}

function formatFields(values: object, fields: readonly ClientField[]): Readonly<Record<string, unknown>> {
  const formatted: Record<string, unknown> = {};
  for (const { name, wire } of fields) {
    const value = (values as Readonly<Record<string, unknown>>)[name];
    if (wire === undefined || value === undefined) continue;
    const member = wire.format === undefined ? value : wire.format(value as never);
    if (member !== undefined) formatted[wire.name] = member;
  }
  return formatted;
}

function refused(field: string, description: string): OAuthError {
  return new OAuthError(
    field === 'redirectUris' ? 'invalid_redirect_uri' : 'invalid_client_metadata',
    description,
    { reason: 'client_metadata_invalid' },
  );
}

function invalid(description: string): OAuthError {
  return new OAuthError('invalid_client_metadata', description, { reason: 'client_metadata_invalid' });
}
