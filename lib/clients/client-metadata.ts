import { findRedirectUriProblem } from '../protocol/redirect-uri.js';
import { isSameResource } from '../protocol/resource.js';
import type { ClientMetadata } from './client.js';
import { authenticationProblems } from './client-authentication-problems.js';
import { lifetimeProblems } from './client-lifetimes.js';
import type { ClientProblem } from './client-problem.js';
import { findLogoUriProblem } from './logo-uri.js';

/** What this server can register a client for. */
export interface RegistrationLimits {
  readonly scopes: readonly string[];
  readonly grantTypes: readonly string[];
  /** The client authentication methods that are on. Default: none that could be named. */
  readonly tokenEndpointAuthMethods?: readonly string[];
  /** The resource servers that there are. Default: not known. */
  readonly resources?: readonly string[];
}

const MAX_NAME_LENGTH = 100;
const MAX_REDIRECT_URIS = 20;
const REDIRECTING_GRANT_TYPES = ['authorization_code', 'implicit'];

/**
 * Everything that is wrong with a client's metadata; an empty list where it can be registered.
 *
 * @see RFC 6749 §2, §3.1.2.2, §4.4, RFC 7591 §2
 */
export function findClientProblems(client: ClientMetadata, limits: RegistrationLimits): ClientProblem[] {
  return [
    ...nameProblems(client),
    ...typeProblems(client),
    ...redirectUriProblems(client),
    ...listProblems(client, limits),
    ...resourceProblems(client, limits),
    ...lifetimeProblems(client),
    ...logoProblems(client),
    ...authenticationProblems(client, limits.tokenEndpointAuthMethods ?? []),
  ];
}

function nameProblems({ name }: ClientMetadata): ClientProblem[] {
  if (typeof name !== 'string' || name.trim() === '')
    return [{ field: 'name', problem: 'The application needs a name.', reason: 'nameMissing' }];
  if (name.length > MAX_NAME_LENGTH)
    return [
      {
        field: 'name',
        problem: `The name is longer than ${MAX_NAME_LENGTH} characters.`,
        reason: 'nameTooLong',
        values: { max: MAX_NAME_LENGTH },
      },
    ];
  // control and direction characters could make a name read as another one on the consent page
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\ufffd]/u.test(name))
    return [
      { field: 'name', problem: 'The name has invisible or control characters.', reason: 'nameInvisible' },
    ];
  return [];
}

function typeProblems({ type, grantTypes, introspection }: ClientMetadata): ClientProblem[] {
  if (type !== 'confidential' && type !== 'public')
    return [{ field: 'type', problem: 'The type is either confidential or public.', reason: 'typeUnknown' }];
  // RFC 6749 §4.4: the client credentials grant type MUST only be used by confidential clients
  if (type === 'public' && grantTypes.includes('client_credentials')) {
    return [
      {
        field: 'grantTypes',
        problem: 'A public client cannot use client_credentials: it has no credentials.',
        reason: 'publicCredentials',
      },
    ];
  }
  // RFC 7662 §2.1: whoever asks about tokens must be authorized, which a client without credentials cannot be
  if (type === 'public' && introspection === true)
    return [{ field: 'type', problem: 'A public client cannot introspect tokens: it has no credentials.' }];
  return [];
}

function redirectUriProblems({ redirectUris, grantTypes }: ClientMetadata): ClientProblem[] {
  // RFC 6749 §3.1.2.2, RFC 9700 §2.1: redirect URIs are registered in full
  if (
    redirectUris.length === 0 &&
    grantTypes.some((grantType) => REDIRECTING_GRANT_TYPES.includes(grantType))
  ) {
    return [
      {
        field: 'redirectUris',
        problem: 'At least one redirect URI is needed, such as https://app.example/callback.',
        reason: 'redirectUriMissing',
      },
    ];
  }
  if (redirectUris.length > MAX_REDIRECT_URIS)
    return [
      {
        field: 'redirectUris',
        problem: `There are more than ${MAX_REDIRECT_URIS} redirect URIs.`,
        reason: 'redirectUriTooMany',
        values: { max: MAX_REDIRECT_URIS },
      },
    ];
  return redirectUris.flatMap((uri, index): ClientProblem[] => {
    if (typeof uri !== 'string')
      return [{ field: 'redirectUris', problem: `${String(uri).slice(0, 200)}: it is not text.` }];
    const found = findRedirectUriProblem(uri);
    if (found === undefined) return [];
    const { text, ...reason } = found;
    return [{ field: 'redirectUris', problem: `${uri.slice(0, 200)}: ${text}.`, ...reason, index }];
  });
}

function logoProblems({ logoUri }: ClientMetadata): ClientProblem[] {
  const problem = logoUri === undefined ? undefined : findLogoUriProblem(logoUri);
  return problem === undefined ? [] : [{ field: 'logoUri', problem: `The logo: ${problem}.` }];
}

function listProblems({ scopes, grantTypes }: ClientMetadata, limits: RegistrationLimits): ClientProblem[] {
  const problems: ClientProblem[] = [];
  const unknownScope = scopes.find((scope) => !limits.scopes.includes(scope));
  if (unknownScope !== undefined)
    problems.push({
      field: 'scopes',
      problem: `There is no scope ${String(unknownScope).slice(0, 80)}.`,
      reason: 'scopeUnknown',
      values: { scope: String(unknownScope).slice(0, 80) },
    });
  const unknownGrantType = grantTypes.find((grantType) => !limits.grantTypes.includes(grantType));
  if (unknownGrantType !== undefined)
    problems.push({
      field: 'grantTypes',
      problem: `The grant type ${String(unknownGrantType).slice(0, 80)} is not on.`,
      reason: 'grantTypeUnknown',
      values: { grantType: String(unknownGrantType).slice(0, 80) },
    });
  if (grantTypes.length === 0)
    problems.push({
      field: 'grantTypes',
      problem: 'Choose at least one grant type.',
      reason: 'grantTypeMissing',
    });
  return problems;
}

/** A resource that is misspelt would be told of no token at all. */
function resourceProblems(
  { introspection, resources }: ClientMetadata,
  limits: RegistrationLimits,
): ClientProblem[] {
  const problem = (text: string): ClientProblem[] => [{ field: 'resources', problem: text }];
  if (resources === undefined) return [];
  if (introspection !== true)
    return problem('The resources say what a client is told by introspection: it needs introspection: true.');
  if (!Array.isArray(resources) || resources.length === 0)
    return problem(
      'The resources are a list of at least one URL; leave them out for a client that may ask about all tokens.',
    );
  const isKnown = (resource: unknown) =>
    typeof resource === 'string' &&
    URL.canParse(resource) &&
    limits.resources?.some((known) => isSameResource(known, resource)) !== false;
  const unknown = (resources as readonly string[]).find((resource) => !isKnown(resource));
  return unknown === undefined ? [] : problem(`There is no resource ${String(unknown).slice(0, 200)}.`);
}

export function pickMetadata(metadata: ClientMetadata): ClientMetadata {
  const { name, type, redirectUris, scopes, grantTypes, trusted, introspection, verified, logoUri, ownerId } =
    metadata;
  const unique = (values: readonly string[]) => [...new Set(values)];
  return {
    name,
    type,
    redirectUris: unique(redirectUris),
    scopes: unique(scopes),
    grantTypes: unique(grantTypes),
    trusted,
    ...(introspection !== undefined && { introspection }),
    ...(verified !== undefined && { verified }),
    ...(logoUri !== undefined && { logoUri }),
    ...(ownerId !== undefined && { ownerId }),
    ...pickOptional(metadata),
  };
}

const OPTIONAL = [
  'resources',
  'tokenEndpointAuthMethod',
  'jwks',
  'jwksUri',
  'accessTokenTtl',
  'refreshTokenTtl',
] as const;
/** An update is of all metadata: what is not among it any more goes. */
export const NONE_OF_OPTIONAL = Object.fromEntries(
  OPTIONAL.map((name): [string, undefined] => [name, undefined]),
) as Partial<ClientMetadata>;

function pickOptional(metadata: ClientMetadata): Partial<ClientMetadata> {
  const given = Object.fromEntries(
    OPTIONAL.filter((name) => metadata[name] !== undefined).map((name): [string, unknown] => [
      name,
      metadata[name],
    ]),
  );
  // who has keys authenticates by them, unless something else is said
  return metadata.jwks === undefined && metadata.jwksUri === undefined
    ? given
    : { tokenEndpointAuthMethod: 'private_key_jwt', ...given };
}
