import type { Settings } from '../../settings/settings.js';
import { OAuthError, unexpectedCondition } from '../../shared/errors.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import { isSameJson } from '../../shared/protocol/json.js';
import type { Client } from '../clients/client.js';
import { isLeftOpen } from './selectable-choices.js';

type DetailTypes = NonNullable<Settings['authorizationDetails']>;
export type DetailTypeSettings = DetailTypes extends ReadonlyMap<string, infer Type> ? Type : never;

/** How details of each type are compared; without a rule a detail is covered only by an equal one. */
export interface DetailRules {
  readonly authorizationDetails:
    ReadonlyMap<string, Pick<DetailTypeSettings, 'compare' | 'singleUse' | 'choices'>> | undefined;
}

/**
 * Matches each requested detail with a granted one that covers it. A granted detail covers one detail only: three times
 * a budget is more than the budget.
 *
 * @returns each requested detail, with the user's selections from its granted detail (leaving a choice open gains
 * nothing); undefined for a detail without a granted one
 * @see RFC 9396 §6.1
 */
export function matchDetails(
  requested: readonly AuthorizationDetail[],
  granted: readonly AuthorizationDetail[],
  rules: DetailRules,
): readonly (AuthorizationDetail | undefined)[] {
  return matchToGranted(requested, granted, rules).map((match) => match?.detail);
}

/** Like `matchDetails`, with the position of each granted detail. */
export function matchToGranted(
  requested: readonly AuthorizationDetail[],
  granted: readonly AuthorizationDetail[],
  rules: DetailRules,
) {
  const candidates = requested.map((detail) => findCandidates(detail, granted, rules));
  const places = matchToPlaces(candidates.map((byPlace) => [...byPlace.keys()]));
  return candidates.map((byPlace, index) => {
    const place = places[index];
    const detail = place === undefined ? undefined : byPlace.get(place);
    return place === undefined || detail === undefined ? undefined : { place, detail };
  });
}

/** The granted details that cover a requested one, by position, each with the requested detail filled in from it. */
function findCandidates(
  requested: AuthorizationDetail,
  granted: readonly AuthorizationDetail[],
  { authorizationDetails: types }: DetailRules,
): ReadonlyMap<number, AuthorizationDetail> {
  const { compare = isSameJson, choices = new Map() } = types?.get(requested.type) ?? {};
  const byPlace = new Map<number, AuthorizationDetail>();
  for (const [place, each] of granted.entries()) {
    if (each.type !== requested.type) continue;
    const filled = fill(requested, each, [...choices.keys()]);
    if (filled !== undefined && compareBy(compare, filled, each)) byPlace.set(place, filled);
  }
  return byPlace;
}

/** Fills open choices with the granted selections. Undefined if the request names a value that was not selected. */
function fill(
  requested: AuthorizationDetail,
  granted: AuthorizationDetail,
  choices: readonly string[],
): AuthorizationDetail | undefined {
  // without a granted selection, no value can be requested. Values are compared as JSON: as text, all objects would be
  // equal
  const isMore = choices.some(
    (name) =>
      !isLeftOpen(requested[name]) &&
      ![requested[name]]
        .flat()
        .every((one) => [granted[name] ?? []].flat().some((other) => isSameJson(one, other))),
  );
  if (isMore) return undefined;
  const open = choices.filter((name) => isLeftOpen(requested[name]) && granted[name] !== undefined);
  return { ...requested, ...Object.fromEntries(open.map((name) => [name, granted[name]])) };
}

/** Whether a stored detail allows the same request again; otherwise the user is asked each time. */
export function isComparable(
  { type }: AuthorizationDetail,
  { authorizationDetails: types }: DetailRules,
): boolean {
  const typeSettings = types?.get(type);
  return typeSettings?.compare !== undefined && !typeSettings.singleUse;
}

function compareBy(
  compare: (requested: AuthorizationDetail, granted: AuthorizationDetail) => unknown,
  requested: AuthorizationDetail,
  granted: AuthorizationDetail,
): boolean {
  try {
    // a promise would count as true
    return compare(requested, granted) === true;
  } catch (cause) {
    throw unexpectedCondition(`compare of the authorization details type ${requested.type} threw`, cause);
  }
}

/**
 * The details of a token: the requested ones if the granted details cover them, or else all granted ones.
 *
 * @throws OAuthError invalid_authorization_details
 * @see RFC 9396 §6
 */
export function narrowDetails(
  requested: readonly AuthorizationDetail[] | undefined,
  granted: readonly AuthorizationDetail[],
  rules: DetailRules,
): readonly AuthorizationDetail[] {
  if (requested === undefined) return granted;
  const narrowed = matchDetails(requested, granted, rules);
  if (narrowed.every((detail) => detail !== undefined)) return narrowed;
  throw new OAuthError(
    'invalid_authorization_details',
    'the authorization_details exceed what the resource owner granted',
    { reason: 'authorization_details_not_granted' },
  );
}

/** The granted details whose type both the client's registration and this server still have. */
export function stillRegisteredDetails(
  granted: readonly AuthorizationDetail[] = [],
  { authorizationDetailsTypes: registered }: Pick<Client, 'authorizationDetailsTypes'>,
  { authorizationDetails: types }: Pick<Settings, 'authorizationDetails'>,
): readonly AuthorizationDetail[] {
  const remaining = granted.filter(({ type }) => types?.has(type) && registered?.includes(type) !== false);
  return remaining.length === granted.length ? granted : remaining;
}

/**
 * Assigns as many items as possible a place of their own, by augmenting paths. The first fitting place could leave an
 * item without one although another assignment serves all items.
 *
 * @param places the places that fit each item, the preferred one first
 * @returns the place of each item, undefined if it has none
 */
export function matchToPlaces(places: readonly (readonly number[])[]): readonly (number | undefined)[] {
  const itemAt = new Map<number, number>();
  for (const item of places.keys()) augment(places, { item, itemAt, visited: new Set() });
  const placeOf = new Map([...itemAt].map(([place, item]) => [item, place]));
  return places.map((_fitting, item) => placeOf.get(item));
}

interface Search {
  readonly item: number;
  readonly itemAt: Map<number, number>;
  /** A search visits each place once, so the number of fitting pairs bounds the work. */
  readonly visited: Set<number>;
}

/** Whether the item gets a place: a free one or, if there is none, the place of an item that can move. */
function augment(places: readonly (readonly number[])[], { item, itemAt, visited }: Search): boolean {
  const fitting = places[item] ?? [];
  const free = fitting.find((place) => !itemAt.has(place));
  if (free !== undefined) {
    itemAt.set(free, item);
    return true;
  }
  for (const place of fitting) {
    if (visited.has(place)) continue;
    visited.add(place);
    const occupant = itemAt.get(place)!;
    if (augment(places, { item: occupant, itemAt, visited })) {
      itemAt.set(place, item);
      return true;
    }
  }
  return false;
}
