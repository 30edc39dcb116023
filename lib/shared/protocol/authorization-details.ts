import { OAuthError } from '../errors.js';
import { isSameResource } from './resource.js';
import { findUnstorable, type UnstorableReason } from './storable.js';

/** A permission that a client requests or has; its type defines the other fields. (RFC 9396 §2) */
export interface AuthorizationDetail {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Characters: each access token of a grant may store its own details. */
const MAX_LENGTH = 16_384;
/** No user could decide on more. */
const MAX_DETAILS = 20;
/** Levels: reading, comparing and copying are recursive, and must not exhaust the stack. */
const MAX_DEPTH = 10;

const PROBLEMS: Readonly<Record<UnstorableReason, string>> = {
  name: 'a field has a name that cannot be used',
  text: 'a text has a NUL or half of a character in it',
  depth: 'they are nested too deep',
};

/** Whether details can be stored, signed and sent unchanged. (RFC 9396 §12) */
export function areStorable(details: unknown): boolean {
  return findUnstorable(details, MAX_DEPTH) === undefined;
}

/**
 * Reads the parameter `authorization_details`: a list of objects, each with a type. The types define the other fields.
 *
 * @throws OAuthError invalid_authorization_details
 * @see RFC 9396 §2, §5
 */
export function parseAuthorizationDetails(text: string): readonly AuthorizationDetail[] {
  if (text.length > MAX_LENGTH) throw invalidDetails('they are too long');
  let details: unknown;
  try {
    details = JSON.parse(text);
  } catch {
    // the parser's message contains parts of the text
    throw invalidDetails('they are no JSON');
  }
  if (!Array.isArray(details)) throw invalidDetails('they are no list');
  if (details.length === 0 || details.length > MAX_DETAILS)
    throw invalidDetails(`there must be one of them at least, and ${MAX_DETAILS} at most`);
  // RFC 9396 §12
  const unstorable = findUnstorable(details, MAX_DEPTH);
  if (unstorable !== undefined) throw invalidDetails(PROBLEMS[unstorable]);
  for (const detail of details as readonly unknown[]) {
    if (typeof detail !== 'object' || detail === null || Array.isArray(detail))
      throw invalidDetails('each of them must be an object');
    // RFC 9396 §2: REQUIRED
    if (typeof (detail as Partial<AuthorizationDetail>).type !== 'string')
      throw invalidDetails('each of them must have a type');
  }
  return details as readonly AuthorizationDetail[];
}

/** The details that apply at a resource: a detail with `locations` is only for these (RFC 9396 §2.2, §9.1). */
export function detailsAt(details: readonly AuthorizationDetail[], resource: string | undefined) {
  if (resource === undefined) return details;
  // a location is the resource, or a part of it
  const isAt = (location: unknown) =>
    typeof location === 'string' &&
    (isSameResource(location, resource) ||
      (URL.canParse(location) &&
        new URL(location).href.startsWith(new URL(resource).href.replace(/\/?$/, '/'))));
  const fitting = details.filter(({ locations }) => !Array.isArray(locations) || locations.some(isAt));
  return fitting.length === details.length ? details : fitting;
}

/** @param problem goes to the client, so it must not repeat any input */
export function invalidDetails(problem: string): OAuthError {
  return new OAuthError(
    'invalid_authorization_details',
    `the authorization_details cannot be used: ${problem}`,
    { reason: 'authorization_details_invalid' },
  );
}
