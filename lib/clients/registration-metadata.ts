import { z } from 'zod';

import { OAuthError } from '../errors.js';
import { isLoopbackHost } from '../protocol/redirect-uri.js';
import type { Client, RegistrationDetails } from './client.js';
import type { ClientType } from './client.js';

/** What clients that register themselves can be registered for here. */
export interface RegistrationRules {
  readonly grantTypes: readonly string[];
  readonly scopes: readonly string[];
  /** What is registered where no scope is asked for. */
  readonly defaultScopes: readonly string[];
  readonly responseTypes: readonly { readonly responseType: string; readonly grantType: string }[];
  readonly tokenEndpointAuthMethods: readonly string[];
}

/** How the client authenticates; `jwks` and `jwksUri` with private_key_jwt only. */
export interface RegisteredAuthentication {
  readonly tokenEndpointAuthMethod: string;
  readonly jwks?: {
    readonly keys: readonly (Readonly<Record<string, string | readonly string[] | undefined>> & {
      readonly kty: string;
    })[];
  };
  readonly jwksUri?: string;
}

/** A registration request in our own words, as far as it can be registered here. */
export interface RegistrationRequest {
  readonly name: string | undefined;
  readonly type: ClientType;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly string[];
  readonly grantTypes: readonly string[];
  readonly authentication: RegisteredAuthentication;
  readonly details: RegistrationDetails;
}

/** Of the methods that a server may have, those whose credentials can be given out or taken here. */
const REGISTRABLE_METHODS = ['client_secret_basic', 'client_secret_post', 'none', 'private_key_jwt'];
const MAX_URIS = 20;
const MAX_KEYS = 10;

const text = z
  .string('must be text')
  .max(200, 'is longer than 200 characters')
  .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\ufffd]*$/u, 'has invisible or control characters');
const names = z
  .array(z.string('must be a list of text').max(200), 'must be a list of text')
  .max(50, 'has too many entries');
const page = z
  .string('must be a URL')
  .max(2048, 'is longer than 2048 characters')
  .refine(isPageUrl, 'must be an https: URL');

/** RFC 7591 §2. What is not here is ignored (§2: MUST): `trusted` and its like, and names with a language tag (§2.2). */
const wireShape = z.object({
  redirect_uris: z
    .array(
      z.string('must be a list of URIs').max(2048, 'has a URI longer than 2048 characters'),
      'must be a list of URIs',
    )
    .max(MAX_URIS, `has more than ${MAX_URIS} URIs`)
    .optional(),
  token_endpoint_auth_method: text.optional(),
  grant_types: names.optional(),
  response_types: names.optional(),
  // its length and its characters are checked as those of every client (client-metadata.ts)
  client_name: z.string('must be text').optional(),
  client_uri: page.optional(),
  logo_uri: page.optional(),
  scope: z.string('must be text').max(4096, 'is longer than 4096 characters').optional(),
  contacts: z.array(text, 'must be a list of text').max(10, 'has more than 10 entries').optional(),
  tos_uri: page.optional(),
  policy_uri: page.optional(),
  // it is fetched, so not from this machine
  jwks_uri: page.startsWith('https:', 'must be an https: URL').optional(),
  jwks: z
    .object(
      {
        keys: z
          .array(
            z.object({ kty: z.string() }).catchall(z.union([z.string(), z.array(z.string())])),
            'must have a list of keys',
          )
          .min(1)
          .max(MAX_KEYS),
      },
      'must be a JWK Set',
    )
    .optional(),
  software_id: text.optional(),
  software_version: text.optional(),
});
type WireMetadata = z.infer<typeof wireShape>;

/**
 * Reads the metadata of a registration request. Of a list (grant types, scopes, response types) what this server does
 * not have is left out, and the response tells; where nothing is left, or a value is no possible one, it is refused.
 *
 * @throws OAuthError invalid_redirect_uri or invalid_client_metadata
 * @see RFC 7591 §2, §2.1, §3.2.1
 */
export function parseRegistration(
  request: Readonly<Record<string, unknown>>,
  rules: RegistrationRules,
): RegistrationRequest {
  const wire = parseWire(request);
  const authentication = parseAuthentication(wire, rules);
  const redirectUris = wire.redirect_uris ?? [];
  return {
    name: wire.client_name,
    type: authentication.tokenEndpointAuthMethod === 'none' ? 'public' : 'confidential',
    redirectUris,
    scopes: parseScopes(wire, rules),
    grantTypes: parseGrantTypes(wire, rules),
    authentication,
    details: parseDetails(wire, redirectUris),
  };
}

function parseWire(request: Readonly<Record<string, unknown>>): WireMetadata {
  // RFC 7592 §2.2: null and empty stand for an omitted field
  const given = Object.fromEntries(
    Object.entries(request).filter(([, value]) => value !== null && value !== ''),
  );
  const result = wireShape.safeParse(given);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = String(issue?.path[0]);
  throw new OAuthError(
    field === 'redirect_uris' ? 'invalid_redirect_uri' : 'invalid_client_metadata',
    `${field} ${issue?.message ?? 'is not valid'}`,
  );
}

function parseAuthentication(
  { token_endpoint_auth_method: given, jwks, jwks_uri: jwksUri }: WireMetadata,
  rules: RegistrationRules,
): RegisteredAuthentication {
  // RFC 7591 §2: if unspecified or omitted, the default is client_secret_basic
  const tokenEndpointAuthMethod = given ?? 'client_secret_basic';
  const possible = rules.tokenEndpointAuthMethods.filter((method) => REGISTRABLE_METHODS.includes(method));
  if (!possible.includes(tokenEndpointAuthMethod))
    throw invalid(`token_endpoint_auth_method must be one of ${possible.join(', ')}`);
  // RFC 7591 §2: jwks and jwks_uri MUST NOT both be present in the same request or response
  if (jwks !== undefined && jwksUri !== undefined) throw invalid('jwks and jwks_uri exclude each other');
  if (tokenEndpointAuthMethod !== 'private_key_jwt') return { tokenEndpointAuthMethod };
  if (jwks === undefined && jwksUri === undefined) throw invalid('private_key_jwt needs jwks or jwks_uri');
  return { tokenEndpointAuthMethod, ...(jwks && { jwks }), ...(jwksUri !== undefined && { jwksUri }) };
}

function parseGrantTypes(
  { grant_types: given, response_types: responseTypes }: WireMetadata,
  rules: RegistrationRules,
): readonly string[] {
  // RFC 7591 §2: if omitted, the default is that the client will use only the authorization_code grant type
  const grantTypes = [...new Set(given ?? ['authorization_code'])].filter((grantType) =>
    rules.grantTypes.includes(grantType),
  );
  if (grantTypes.length === 0) throw invalid(`grant_types must have one of ${rules.grantTypes.join(', ')}`);
  if (responseTypes === undefined) return grantTypes;
  // RFC 7591 §2.1: the two lists say the same, or the client could use neither
  const contradiction = rules.responseTypes.find(
    ({ responseType, grantType }) => responseTypes.includes(responseType) !== grantTypes.includes(grantType),
  );
  if (contradiction !== undefined)
    throw invalid(
      `the response type ${contradiction.responseType} and the grant type ${contradiction.grantType} go together: name both or neither`,
    );
  return grantTypes;
}

function parseScopes({ scope }: WireMetadata, rules: RegistrationRules): readonly string[] {
  if (scope === undefined) return rules.defaultScopes;
  const asked = scope.split(' ');
  const scopes = rules.scopes.filter((candidate) => asked.includes(candidate));
  if (scopes.length === 0) throw invalid('scope has none that a client can be registered for here');
  return scopes;
}

/**
 * RFC 7591 §5: the pages that a client names should be at the host of its redirect URIs. Those that are elsewhere are
 * left out; of an application on a device, whose redirect URIs have no host, they are kept. None is fetched or shown.
 */
function parseDetails(wire: WireMetadata, redirectUris: readonly string[]): RegistrationDetails {
  const hosts = redirectUris
    .filter((uri) => uri.startsWith('https:') && URL.canParse(uri))
    .map((uri) => new URL(uri).host);
  const own = (uri: string | undefined) =>
    uri !== undefined && (hosts.length === 0 || hosts.includes(new URL(uri).host)) ? uri : undefined;
  const details = {
    clientUri: own(wire.client_uri),
    logoUri: own(wire.logo_uri),
    tosUri: own(wire.tos_uri),
    policyUri: own(wire.policy_uri),
    contacts: wire.contacts,
    softwareId: wire.software_id,
    softwareVersion: wire.software_version,
  };
  return Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined));
}

/**
 * All registered metadata under its wire names.
 *
 * @see RFC 7591 §3.2.1: MUST return all registered metadata about this client, also what the server provisioned itself
 */
export function formatRegistration(
  client: Client & Partial<RegisteredAuthentication>,
  responseTypes: RegistrationRules['responseTypes'],
): Readonly<Record<string, unknown>> {
  const { details, softwareStatement } = client.registration ?? { details: {} };
  return withoutUndefined({
    client_name: client.name,
    redirect_uris: client.redirectUris,
    token_endpoint_auth_method: client.tokenEndpointAuthMethod,
    grant_types: client.grantTypes,
    response_types: responseTypes
      .filter(({ grantType }) => client.grantTypes.includes(grantType))
      .map(({ responseType }) => responseType),
    scope: client.scopes.length > 0 ? client.scopes.join(' ') : undefined,
    jwks: client.jwks,
    jwks_uri: client.jwksUri,
    client_uri: details.clientUri,
    logo_uri: details.logoUri,
    tos_uri: details.tosUri,
    policy_uri: details.policyUri,
    contacts: details.contacts,
    software_id: details.softwareId,
    software_version: details.softwareVersion,
    software_statement: softwareStatement,
  });
}

function withoutUndefined(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function isPageUrl(value: string): boolean {
  if (!/^[\x21-\x7e]+$/.test(value) || !URL.canParse(value)) return false;
  const { protocol, hostname, username, password } = new URL(value);
  return (
    (protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))) &&
    username === '' &&
    password === ''
  );
}

function invalid(description: string): OAuthError {
  return new OAuthError('invalid_client_metadata', description);
}
