import { PROFILES } from '../../settings/options/profile-options.js';
import { PROFILE_ALGORITHMS, PROFILE_METHODS } from '../../settings/profile.js';
import { SIGNATURE_ALGORITHMS } from '../../shared/crypto/jwa.js';
import {
  findNameTrick,
  hasSomethingToRead,
  hasStackedMarks,
  hasUnseenCharacters,
  type NameTrick,
} from '../../shared/protocol/display-name.js';
import {
  findRedirectUriProblem,
  isSecureUrl,
  namesItsAuthority,
} from '../../shared/protocol/redirect-uri.js';
import { isSameResource } from '../../shared/protocol/resource.js';
import type { ClientMetadata } from './client.js';
import type { RegistrationLimits } from './client-field.js';
import { MAX_OWNERS, ownersOf } from './client-owners.js';
import { parsePublicJwks } from './public-jwks.js';
import { findBadgeWord, looksLike } from './validation/confusable-names.js';
import type { ProblemResult } from './validation-error.js';

type Found = ProblemResult | undefined;

const MAX_NAME_LENGTH = 100;
const MAX_DESCRIPTION = 200;
const MAX_REDIRECT_URIS = 20;
const MAX_JWKS_LENGTH = 65_536;
const MAX_JWKS_URI_LENGTH = 2000;
const REDIRECTING_GRANT_TYPES = ['authorization_code', 'implicit'];
/** Grant types that a profile forbids: FAPI 2.0 Security Profile §5.3.2.1-2, §5.3.2.2-1. */
const PROFILE_REFUSED_GRANT_TYPES = ['password', 'implicit'];

/** For developers, after `The name `; the pages have these texts in each language. */
const NAME_TRICKS: Readonly<Record<NameTrick, string>> = {
  namePicture: 'has an emoji, a check mark or another picture',
  nameSentence: 'has a sentence in it',
  nameScripts: 'has a word that mixes letters of different writing systems',
  nameMarks: 'has too many marks above or below a letter',
};

/** One rule for the names of all clients. A stored name stays valid even if the rule has changed. */
export function nameProblem(
  { name, trusted, verified }: ClientMetadata,
  { existingName, reservedNames }: RegistrationLimits,
): Found {
  if (isBlank(name)) return { problem: 'The application needs a name.', reason: 'nameMissing' };
  const wrong = findNameProblem(name, name === existingName);
  if (wrong !== undefined) {
    const { text, ...reason } = wrong;
    return { problem: `The name ${text}.`, ...reason };
  }
  // the site vouches for these clients, which may be its own
  if (name === existingName || trusted || verified === true) return undefined;
  const word = findBadgeWord(name);
  if (word !== undefined)
    return {
      problem: `The name says what only this site says of an application: ${word}.`,
      reason: 'nameBadge',
      values: { word },
    };
  const reserved = reservedNames?.find((other) => looksLike(name, other));
  if (reserved === undefined) return undefined;
  return {
    problem: `The name could be taken for ${reserved}, which it is not.`,
    reason: 'nameReserved',
    values: { name: reserved },
  };
}

/** The publisher is the site's statement about a verified client, and users read it beside the texts of this server. */
export function publisherProblem({ publisher, verified }: ClientMetadata): Found {
  if (publisher === undefined) return undefined;
  if (verified !== true) return 'Only a verified client has a publisher: set verified as well.';
  if (isBlank(publisher)) return 'The publisher has nothing to read in it.';
  const wrong = findNameProblem(publisher);
  return wrong && `The publisher ${wrong.text}.`;
}

function isBlank(name: string): boolean {
  return name.trim() === '' || !(hasUnseenCharacters(name) || hasSomethingToRead(name));
}

/** What makes a name unreadable, or makes it look like another one. The text continues after `The name `. */
function findNameProblem(name: string, isStored = false) {
  if (name.length > MAX_NAME_LENGTH) {
    const text = `is longer than ${MAX_NAME_LENGTH} characters`;
    return { text, reason: 'nameTooLong', values: { max: MAX_NAME_LENGTH } } as const;
  }
  if (hasUnseenCharacters(name))
    return { text: 'has invisible or control characters', reason: 'nameInvisible' } as const;
  const trick = hasStackedMarks(name) ? 'nameMarks' : isStored ? undefined : findNameTrick(name);
  return trick && { text: NAME_TRICKS[trick], reason: trick };
}

export function typeProblem({ type, grantTypes, introspection }: ClientMetadata): Found {
  if (type !== 'confidential' && type !== 'public')
    return {
      problem: `type must be confidential or public, not ${String(type).slice(0, 80)}.`,
      reason: 'typeUnknown',
    };
  if (type === 'confidential') return undefined;
  // RFC 6749 §4.4: the client credentials grant type MUST only be used by confidential clients
  if (grantTypes.includes('client_credentials'))
    return {
      field: 'grantTypes',
      problem: 'A public client cannot use client_credentials: it has no credentials.',
      reason: 'publicCredentials',
    };
  // RFC 7662 §2.1: a client that introspects must be authorized, which a client without credentials cannot be
  return introspection === true
    ? 'A public client cannot introspect tokens: it has no credentials.'
    : undefined;
}

export function usesRedirects(grantTypes: readonly string[]): boolean {
  return grantTypes.some((grantType) => REDIRECTING_GRANT_TYPES.includes(grantType));
}

export function redirectUriProblems(
  { redirectUris, grantTypes }: ClientMetadata,
  { existingRedirectUris = [], existingGrantTypes, redirectUriRules }: RegistrationLimits,
): Found | readonly ProblemResult[] {
  const isRedirecting = usesRedirects(grantTypes);
  // RFC 6749 §3.1.2.2, RFC 9700 §2.1: redirect URIs are registered in full
  if (redirectUris.length === 0 && isRedirecting)
    return {
      problem: 'At least one redirect URI is needed, such as https://app.example/callback.',
      reason: 'redirectUriMissing',
    };
  const isUnusedAlready =
    existingGrantTypes !== undefined &&
    !usesRedirects(existingGrantTypes) &&
    redirectUris.every((uri) => existingRedirectUris.includes(uri));
  // RFC 7591 §2: redirect URIs are for flows with redirects; the client's first authorization request would be refused
  if (redirectUris.length > 0 && !isRedirecting && !isUnusedAlready)
    return {
      problem:
        'None of its grant types uses a redirect URI: leave them out, or add a grant type that does, such as authorization_code.',
      reason: 'redirectUriUnused',
    };
  if (redirectUris.length > MAX_REDIRECT_URIS)
    return {
      problem: `There are more than ${MAX_REDIRECT_URIS} redirect URIs.`,
      reason: 'redirectUriTooMany',
      values: { max: MAX_REDIRECT_URIS },
    };
  return redirectUris.flatMap((uri, index) => {
    const wrong = existingRedirectUris.includes(uri)
      ? undefined
      : findRedirectUriProblem(uri, redirectUriRules);
    if (wrong === undefined) return [];
    const { text, ...reason } = wrong;
    return { problem: `${uri.slice(0, 200)}: ${text}.`, ...reason, index };
  });
}

export function scopeProblem({ scopes }: ClientMetadata, limits: RegistrationLimits): Found {
  const scope = scopes.find((each) => !limits.scopes.includes(each))?.slice(0, 80);
  if (scope === undefined) return undefined;
  return { problem: `There is no scope ${scope}.`, reason: 'scopeUnknown', values: { scope } };
}

export function grantTypeProblem({ grantTypes }: ClientMetadata, limits: RegistrationLimits): Found {
  if (grantTypes.length === 0)
    return { problem: 'Choose at least one grant type.', reason: 'grantTypeMissing' };
  // RFC 6749 §1.5: a refresh token comes with an access token of another grant
  if (grantTypes.every((name) => name === 'refresh_token'))
    return {
      problem:
        'Refresh tokens come with the tokens of another grant type: choose one, such as authorization_code.',
      reason: 'grantTypeOnlyRefresh',
    };
  const grantType = grantTypes.find((name) => !limits.grantTypes.includes(name))?.slice(0, 80);
  if (grantType === undefined) return undefined;
  const problem = `The grant type ${grantType} is not on.`;
  return { problem, reason: 'grantTypeUnknown', values: { grantType } };
}

/** With a misspelt resource, introspection would answer about no token. */
export function resourceProblem(
  { introspection, mayExchange, resources }: ClientMetadata,
  limits: RegistrationLimits,
): Found {
  if (resources === undefined) return undefined;
  if (introspection !== true && mayExchange !== true)
    return 'The resources say what a client is told by introspection: it needs introspection: true.';
  if (resources.length === 0)
    return 'The resources are a list of at least one URL; leave them out for a client that may ask about all tokens.';
  const unknown = resources.find(
    (resource) =>
      !URL.canParse(resource) || limits.resources?.some((each) => isSameResource(each, resource)) === false,
  );
  return unknown === undefined ? undefined : `There is no resource ${unknown.slice(0, 200)}.`;
}

/** RFC 9700 §4.14.2: refresh tokens of public clients are sender-constrained, or replaced at each use. */
export function refreshTokenProblem({ refreshTokens, type, dpopBoundAccessTokens }: ClientMetadata): Found {
  if (refreshTokens === undefined || refreshTokens === 'rotate') return undefined;
  if (refreshTokens !== 'keep') return 'What refreshTokens says is rotate or keep.';
  return type === 'confidential' || dpopBoundAccessTokens === true
    ? undefined
    : 'A public client keeps its refresh token only if its tokens are bound to a key: set dpopBoundAccessTokens.';
}

export function profileProblems(
  client: ClientMetadata,
  { profile: profileOfSite, lackingFor }: Partial<RegistrationLimits>,
): readonly string[] {
  const profile = client.profile ?? profileOfSite;
  if (profile === undefined) return [];
  if (!PROFILES.includes(profile)) return ['There is no such profile.'];
  const lack = client.profile && lackingFor?.(client.profile);
  const { tokenEndpointAuthMethod: method = '' } = client;
  const algorithms = [
    client.idTokenSignedResponseAlg,
    client.userinfoSignedResponseAlg,
    client.authorizationSignedResponseAlg,
  ].filter((name) => name !== undefined && !PROFILE_ALGORITHMS.includes(name));
  const refused = client.grantTypes.filter((name) => PROFILE_REFUSED_GRANT_TYPES.includes(name));
  const broken = [
    // FAPI 2.0 Security Profile §5.3.2.1-3
    client.type === 'public' ? 'is confidential' : [],
    // FAPI 2.0 Security Profile §5.3.2.1-6
    PROFILE_METHODS.includes(method) ? [] : `authenticates by one of ${PROFILE_METHODS.join(', ')}`,
    // FAPI 2.0 Security Profile §5.4.1-1
    algorithms.map((name) => `is told nothing that is signed by ${name}`),
    refused.map((name) => `does not have the grant type ${name}`),
  ].flat();
  return [
    ...(lack === undefined ? [] : [`No client can be held to ${profile} here: ${lack}.`]),
    ...broken.map((text) => `A client of ${profile} ${text}.`),
  ];
}

export function coOwnerProblem(client: ClientMetadata): Found {
  const { ownerId, coOwnerIds = [] } = client;
  if (coOwnerIds.includes('')) return 'coOwnerIds has an id that is empty';
  if (coOwnerIds.length > 0 && ownerId === undefined)
    return 'coOwnerIds has people, so there must be an ownerId';
  return coOwnerIds.length === 0 || ownersOf(client).length <= MAX_OWNERS
    ? undefined
    : `coOwnerIds has too many people: with ownerId there can be ${MAX_OWNERS}`;
}

export function descriptionProblem({ description = '' }: ClientMetadata): Found {
  if (description.length > MAX_DESCRIPTION)
    return {
      problem: `The description is longer than ${MAX_DESCRIPTION} characters.`,
      reason: 'descriptionTooLong',
      values: { max: MAX_DESCRIPTION },
    };
  // such characters could change how the description reads
  return hasUnseenCharacters(description) || hasStackedMarks(description)
    ? { problem: 'The description has invisible or control characters.', reason: 'descriptionInvisible' }
    : undefined;
}

/** The problem of a client's authentication method (RFC 7591 §2). */
export function methodProblem(
  { type, tokenEndpointAuthMethod: method, jwks, jwksUri }: ClientMetadata,
  { tokenEndpointAuthMethods: enabled = [], methods }: RegistrationLimits,
): Found {
  if (method === undefined) return undefined;
  if (!enabled.includes(method))
    return `The authentication method ${method.slice(0, 80)} is not on; there are ${enabled.join(', ')}.`;
  if ((method === 'none') !== (type === 'public'))
    return 'A public client authenticates by none, and nobody else does.';
  const needsKeys = methods.some(({ name, credential }) => name === method && credential === 'keys');
  return needsKeys && jwks === undefined && jwksUri === undefined
    ? `${method} needs the public keys of the client, as jwks or jwksUri.`
    : undefined;
}

/** The algorithms for keys, and HS256 for secrets. OpenID Connect Registration §2: none MUST NOT be used. */
const AUTH_ALGORITHMS = [...SIGNATURE_ALGORITHMS, 'HS256'];

export function authSigningAlgProblem({ tokenEndpointAuthSigningAlg: algorithm }: ClientMetadata): Found {
  if (algorithm === undefined || AUTH_ALGORITHMS.includes(algorithm)) return undefined;
  return `Clients sign by ${AUTH_ALGORITHMS.join(', ')}, not by ${algorithm.slice(0, 80)}.`;
}

export function jwksProblem({ jwks, jwksUri }: ClientMetadata): Found {
  if (jwks === undefined) return undefined;
  // RFC 7591 §2: jwks_uri and jwks MUST NOT both be present
  if (jwksUri !== undefined) return 'Either jwks or jwksUri, not both.';
  // a value that is no object, from a caller without types, is refused as no key set
  if (typeof jwks === 'object' && JSON.stringify(jwks).length > MAX_JWKS_LENGTH)
    return {
      problem: `The key set cannot be used: it has more than ${MAX_JWKS_LENGTH} characters.`,
      reason: 'jwksTooLong',
      values: { max: MAX_JWKS_LENGTH },
    };
  const parsed = parsePublicJwks(jwks);
  if ('keys' in parsed) return undefined;
  const { text, ...reason } = parsed;
  return { problem: `The key set cannot be used: ${text}.`, ...reason };
}

export function jwksUriProblem({ jwks, jwksUri: uri }: ClientMetadata): Found {
  if (uri === undefined || jwks !== undefined) return undefined;
  if (uri.length > MAX_JWKS_URI_LENGTH || !URL.canParse(uri) || !namesItsAuthority(uri))
    return { problem: 'The jwksUri is not a URL.', reason: 'jwksUriNotUrl' };
  const { username, password, hash } = new URL(uri);
  if (username !== '' || password !== '' || hash !== '')
    return { problem: 'The jwksUri has a user name, a password or a fragment.', reason: 'jwksUriParts' };
  return isSecureUrl(uri)
    ? undefined
    : { problem: 'The jwksUri is not an https: URL.', reason: 'jwksUriScheme' };
}
