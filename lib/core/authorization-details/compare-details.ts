import type { DetailTypeSettings } from '../../settings/features/authorization-details-options.js';
import type { Settings } from '../../settings/settings.js';
import { OAuthError, unexpectedCondition } from '../../shared/errors.js';
import { type AuthorizationDetail, isSameJson } from '../../shared/protocol/authorization-details.js';
import type { Client } from '../clients/client.js';
import { matchToPlaces } from './bipartite-matching.js';
import { isOpen } from './offers.js';

type TypeRules = Pick<DetailTypeSettings, 'compare' | 'divisible' | 'singleUse' | 'choices'>;

/** How details of each type are compared; one of another type lies only within the same detail. */
export interface DetailRules {
  readonly authorizationDetails: ReadonlyMap<string, TypeRules>;
}

/**
 * Matches each detail with one of those that were granted within which it lies. A granted detail covers one detail only,
 * unless its type is `divisible`: three times a budget is more than the budget.
 *
 * @returns for each detail what was asked for, with what the person has picked for the granted one (leaving a choice
 *   open gains nothing); undefined for a detail that no granted detail is left for
 * @see RFC 9396 §6.1
 */
export function matchDetails(
  asked: readonly AuthorizationDetail[],
  granted: readonly AuthorizationDetail[],
  rules: DetailRules,
): readonly (AuthorizationDetail | undefined)[] {
  return matchToGranted(asked, granted, rules).map((match) => match?.detail);
}

/** A granted detail that covers one that is asked for. */
export interface Match {
  /** Its place among those that were granted. */
  readonly place: number;
  /** What was asked for, with what the person has picked for the granted one. */
  readonly detail: AuthorizationDetail;
}

/** The same as `matchDetails`, with the place of each granted detail. */
export function matchToGranted(
  asked: readonly AuthorizationDetail[],
  granted: readonly AuthorizationDetail[],
  rules: DetailRules,
): readonly (Match | undefined)[] {
  const candidates = asked.map((detail) => ({
    found: findCandidates(detail, granted, rules),
    isDivisible: rules.authorizationDetails.get(detail.type)?.divisible === true,
  }));
  const places = matchToPlaces(
    candidates.map(({ found, isDivisible }) => (isDivisible ? [] : [...found.keys()])),
  );
  return candidates.map(({ found, isDivisible }, index) => {
    const [place] = isDivisible ? found.keys() : [places[index]];
    const detail = place === undefined ? undefined : found.get(place);
    return place === undefined || detail === undefined ? undefined : { place, detail };
  });
}

/** The granted details within which a detail lies, by their places, each with what it is there. */
function findCandidates(
  asked: AuthorizationDetail,
  granted: readonly AuthorizationDetail[],
  { authorizationDetails: types }: DetailRules,
): ReadonlyMap<number, AuthorizationDetail> {
  const { compare = isSameJson, choices = new Map() } = types.get(asked.type) ?? {};
  const found = new Map<number, AuthorizationDetail>();
  for (const [place, each] of granted.entries()) {
    if (each.type !== asked.type) continue;
    const filled = fill(asked, each, [...choices.keys()]);
    if (filled !== undefined && compareBy(compare, filled, each)) found.set(place, filled);
  }
  return found;
}

/** Undefined if it names something that was not picked. */
function fill(
  asked: AuthorizationDetail,
  granted: AuthorizationDetail,
  choices: readonly string[],
): AuthorizationDetail | undefined {
  // if nothing was picked, nothing can be named: the type's own comparison need not know its choices
  const isMore = choices.some((name) => !isOpen(asked[name]) && !isPicked(asked[name], granted[name]));
  if (isMore) return undefined;
  const open = choices.filter((name) => isOpen(asked[name]) && granted[name] !== undefined);
  return { ...asked, ...Object.fromEntries(open.map((name) => [name, granted[name]])) };
}

/** As JSON: as text, all objects would be the same one. */
function isPicked(asked: unknown, granted: unknown): boolean {
  const picked = [granted ?? []].flat();
  return [asked].flat().every((one) => picked.some((other) => isSameJson(one, other)));
}

/** Whether what was allowed once is allowed again; if not, the person is asked each time. */
export function isComparable(
  { type }: AuthorizationDetail,
  { authorizationDetails: types }: DetailRules,
): boolean {
  const known = types.get(type);
  return known?.compare !== undefined && !known.singleUse;
}

function compareBy(
  compare: (asked: AuthorizationDetail, granted: AuthorizationDetail) => unknown,
  asked: AuthorizationDetail,
  granted: AuthorizationDetail,
): boolean {
  try {
    // a promise would be true, whatever it holds
    return compare(asked, granted) === true;
  } catch (cause) {
    throw unexpectedCondition(`compare of the authorization details type ${asked.type} threw`, cause);
  }
}

/**
 * The details of a token: those that its request names, if they lie within what was granted, or else all of that.
 *
 * @throws OAuthError invalid_authorization_details
 * @see RFC 9396 §6
 */
export function narrowDetails(
  asked: readonly AuthorizationDetail[] | undefined,
  granted: readonly AuthorizationDetail[],
  rules: DetailRules,
): readonly AuthorizationDetail[] {
  if (asked === undefined) return granted;
  const narrowed = matchDetails(asked, granted, rules);
  if (narrowed.every((detail) => detail !== undefined)) return narrowed;
  throw new OAuthError(
    'invalid_authorization_details',
    'the authorization_details exceed what the resource owner granted',
    { reason: 'authorization_details_not_granted' },
  );
}

/**
 * The granted details that may still be given: a type that the client's registration or this server has lost since is
 * lost for the grant, too.
 */
export function heldDetails(
  granted: readonly AuthorizationDetail[] = [],
  { authorizationDetailsTypes: registered }: Pick<Client, 'authorizationDetailsTypes'>,
  { authorizationDetails: types }: Pick<Settings, 'authorizationDetails'>,
): readonly AuthorizationDetail[] {
  const held = granted.filter(({ type }) => types.has(type) && registered?.includes(type) !== false);
  return held.length === granted.length ? granted : held;
}
