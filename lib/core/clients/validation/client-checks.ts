import { findNameTrick, type NameTrick } from '../../../shared/protocol/display-name.js';
import { findRedirectUriProblem } from '../../../shared/protocol/redirect-uri.js';
import { isSameResource } from '../../../shared/protocol/resource.js';
import {
  hasSomethingToRead,
  hasStackedMarks,
  hasUnseenCharacters,
} from '../../../shared/protocol/visible-text.js';
import type { ClientMetadata } from '../client.js';
import type { RegistrationLimits } from '../client-field.js';
import type { ClientProblem } from '../validation-error.js';
import { findBadgeWord, looksLike } from './confusable-names.js';

const MAX_NAME_LENGTH = 100;
const MAX_REDIRECT_URIS = 20;
const REDIRECTING_GRANT_TYPES = ['authorization_code', 'implicit'];

/** In words for developers, after `The name `; the pages have them in each language. */
const NAME_TRICKS: Readonly<Record<NameTrick, string>> = {
  namePicture: 'has an emoji, a check mark or another picture',
  nameSentence: 'has a sentence in it',
  nameScripts: 'has a word that mixes letters of different writing systems',
  nameMarks: 'has too many marks above or below a letter',
};

/** One rule for names, wherever they come from. A name that is stored already stays, whatever the rule was then. */
export function nameProblems(client: ClientMetadata, limits: RegistrationLimits): ClientProblem[] {
  const { name, trusted, verified } = client;
  if (isBlank(name))
    return [{ field: 'name', problem: 'The application needs a name.', reason: 'nameMissing' }];
  const isUnchanged = name === limits.existingName;
  const found = findShapeProblem(name) ?? (isUnchanged ? undefined : findTrick(name));
  if (found !== undefined) {
    const { text, ...reason } = found;
    return [{ field: 'name', problem: `The name ${text}.`, ...reason }];
  }
  // the site vouches for these, which may well be its own
  return isUnchanged || trusted || verified === true ? [] : namesTakenProblems(name, limits);
}

function namesTakenProblems(name: string, { reservedNames }: RegistrationLimits): ClientProblem[] {
  const badge = findBadgeWord(name);
  if (badge !== undefined)
    return [
      {
        field: 'name',
        problem: `The name says what only this site says of an application: ${badge}.`,
        reason: 'nameBadge',
        values: { word: badge },
      },
    ];
  const reserved = reservedNames?.find((other) => looksLike(name, other));
  return reserved === undefined
    ? []
    : [
        {
          field: 'name',
          problem: `The name could be taken for ${reserved}, which it is not.`,
          reason: 'nameReserved',
          values: { name: reserved },
        },
      ];
}

/** It is the site's word about a client that it has verified, and users read it beside our own words. */
export function publisherProblems({ publisher, verified }: ClientMetadata): ClientProblem[] {
  if (publisher === undefined) return [];
  const problem = (text: string): ClientProblem[] => [{ field: 'publisher', problem: text }];
  if (verified !== true) return problem('Only a verified client has a publisher: set verified as well.');
  if (isBlank(publisher)) return problem('The publisher has nothing to read in it.');
  const found = findShapeProblem(publisher) ?? findTrick(publisher);
  return found === undefined ? [] : problem(`The publisher ${found.text}.`);
}

interface NameProblem extends Pick<ClientProblem, 'values'> {
  /** Continues after `The name `. */
  readonly text: string;
  readonly reason: NameTrick | 'nameTooLong' | 'nameInvisible';
}

function isBlank(name: string): boolean {
  return name.trim() === '' || !(hasUnseenCharacters(name) || hasSomethingToRead(name));
}

function findShapeProblem(name: string): NameProblem | undefined {
  if (name.length > MAX_NAME_LENGTH)
    return {
      text: `is longer than ${MAX_NAME_LENGTH} characters`,
      reason: 'nameTooLong',
      values: { max: MAX_NAME_LENGTH },
    };
  // they could make a name look like another one on the consent page
  if (hasUnseenCharacters(name))
    return { text: 'has invisible or control characters', reason: 'nameInvisible' };
  return hasStackedMarks(name) ? { text: NAME_TRICKS.nameMarks, reason: 'nameMarks' } : undefined;
}

function findTrick(name: string): NameProblem | undefined {
  const trick = findNameTrick(name);
  return trick && { text: NAME_TRICKS[trick], reason: trick };
}

export function typeProblems({ type, grantTypes, introspection }: ClientMetadata): ClientProblem[] {
  if (type !== 'confidential' && type !== 'public')
    return [
      {
        field: 'type',
        problem: `type must be confidential or public, not ${String(type).slice(0, 80)}.`,
        reason: 'typeUnknown',
      },
    ];
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

/** Whether a client with these grant types is answered at a redirect URI. */
export function usesRedirects(grantTypes: readonly string[]): boolean {
  return grantTypes.some((grantType) => REDIRECTING_GRANT_TYPES.includes(grantType));
}

export function redirectUriProblems(
  { redirectUris, grantTypes }: ClientMetadata,
  {
    existingRedirectUris = [],
    existingGrantTypes,
    redirectUriRules,
  }: Pick<RegistrationLimits, 'existingRedirectUris' | 'existingGrantTypes' | 'redirectUriRules'>,
): ClientProblem[] {
  const isRedirecting = usesRedirects(grantTypes);
  // RFC 6749 §3.1.2.2, RFC 9700 §2.1: redirect URIs are registered in full
  if (redirectUris.length === 0 && isRedirecting) {
    return [
      {
        field: 'redirectUris',
        problem: 'At least one redirect URI is needed, such as https://app.example/callback.',
        reason: 'redirectUriMissing',
      },
    ];
  }
  const isUnusedAlready =
    existingGrantTypes !== undefined &&
    !usesRedirects(existingGrantTypes) &&
    redirectUris.every((uri) => existingRedirectUris.includes(uri));
  // RFC 7591 §2: they are for flows with redirects; its first authorization request would be refused
  if (redirectUris.length > 0 && !isRedirecting && !isUnusedAlready)
    return [
      {
        field: 'redirectUris',
        problem:
          'None of its grant types uses a redirect URI: leave them out, or add a grant type that does, such as authorization_code.',
        reason: 'redirectUriUnused',
      },
    ];
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
    const found = existingRedirectUris.includes(uri)
      ? undefined
      : findRedirectUriProblem(uri, redirectUriRules);
    if (found === undefined) return [];
    const { text, ...reason } = found;
    return [{ field: 'redirectUris', problem: `${uri.slice(0, 200)}: ${text}.`, ...reason, index }];
  });
}

export function scopeProblems({ scopes }: ClientMetadata, limits: RegistrationLimits): ClientProblem[] {
  const unknown = scopes.find((scope) => !limits.scopes.includes(scope));
  if (unknown === undefined) return [];
  const scope = unknown.slice(0, 80);
  return [
    { field: 'scopes', problem: `There is no scope ${scope}.`, reason: 'scopeUnknown', values: { scope } },
  ];
}

export function grantTypeProblems(
  { grantTypes }: ClientMetadata,
  limits: RegistrationLimits,
): ClientProblem[] {
  if (grantTypes.length === 0)
    return [{ field: 'grantTypes', problem: 'Choose at least one grant type.', reason: 'grantTypeMissing' }];
  // RFC 6749 §1.5: a refresh token comes with an access token of another grant
  if (grantTypes.every((name) => name === 'refresh_token'))
    return [
      {
        field: 'grantTypes',
        problem:
          'Refresh tokens come with the tokens of another grant type: choose one, such as authorization_code.',
        reason: 'grantTypeOnlyRefresh',
      },
    ];
  const unknown = grantTypes.find((name) => !limits.grantTypes.includes(name));
  if (unknown === undefined) return [];
  const grantType = unknown.slice(0, 80);
  return [
    {
      field: 'grantTypes',
      problem: `The grant type ${grantType} is not on.`,
      reason: 'grantTypeUnknown',
      values: { grantType },
    },
  ];
}

/** With a misspelt resource it would be told of no token at all. */
export function resourceProblems(
  { introspection, mayExchange, resources }: ClientMetadata,
  limits: RegistrationLimits,
): ClientProblem[] {
  const problem = (text: string): ClientProblem[] => [{ field: 'resources', problem: text }];
  if (resources === undefined) return [];
  if (introspection !== true && mayExchange !== true)
    return problem('The resources say what a client is told by introspection: it needs introspection: true.');
  if (resources.length === 0)
    return problem(
      'The resources are a list of at least one URL; leave them out for a client that may ask about all tokens.',
    );
  const isKnown = (resource: string) =>
    URL.canParse(resource) && limits.resources?.some((known) => isSameResource(known, resource)) !== false;
  const unknown = resources.find((resource) => !isKnown(resource));
  return unknown === undefined ? [] : problem(`There is no resource ${unknown.slice(0, 200)}.`);
}

/** A cap is a whole number of at least 1: to give a client nothing, block it. */
export function capProblems(field: 'tokensPerHour' | 'maxGrants') {
  return (client: ClientMetadata): ClientProblem[] => {
    const value = client[field];
    if (value === undefined || (Number.isSafeInteger(value) && value > 0)) return [];
    return [
      { field, problem: `The cap ${field} is a whole number from 1 on; block a client to give it none.` },
    ];
  };
}
