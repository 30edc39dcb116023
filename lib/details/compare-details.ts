import type { Client } from '../clients/client.js';
import { OAuthError, unexpectedCondition } from '../errors.js';
import { type AuthorizationDetail, isSameJson } from '../protocol/authorization-details.js';
import type { Settings } from '../settings/settings.js';
import { isOpen } from './offers.js';

type DetailRules = Pick<Settings, 'authorizationDetails'>;

/** Whether a detail lies within one of those that were granted, as its type compares them (RFC 9396 §6.1). */
export function isWithin(
  asked: AuthorizationDetail,
  granted: readonly AuthorizationDetail[],
  rules: DetailRules,
): boolean {
  return findWithin(asked, granted, rules) !== undefined;
}

/**
 * A detail that lies within one of those that were granted, with what the person has picked for that one: leaving a
 * choice open gains nothing. Undefined if it lies within none.
 */
export function findWithin(
  asked: AuthorizationDetail,
  granted: readonly AuthorizationDetail[],
  { authorizationDetails: types }: DetailRules,
): AuthorizationDetail | undefined {
  const { compare = isSameJson, choices = new Map() } = types.get(asked.type) ?? {};
  for (const each of granted) {
    if (each.type !== asked.type) continue;
    const filled = fill(asked, each, [...choices.keys()]);
    if (filled !== undefined && compareBy(compare, filled, each)) return filled;
  }
  return undefined;
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

/** Whether its type can compare details; if it cannot, the person is asked each time. */
export function isComparable(
  { type }: AuthorizationDetail,
  { authorizationDetails: types }: DetailRules,
): boolean {
  return types.get(type)?.compare !== undefined;
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
  const left = [...granted];
  const narrowed = asked.map((detail) => {
    const found = findWithin(detail, left, rules);
    // what cannot be compared is a single thing, such as a payment: granted once, it is in a token once
    if (found !== undefined && !isComparable(detail, rules))
      left.splice(
        left.findIndex((each) => isSameJson(each, found)),
        1,
      );
    return found;
  });
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
  { authorizationDetails: types }: DetailRules,
): readonly AuthorizationDetail[] {
  const held = granted.filter(({ type }) => types.has(type) && registered?.includes(type) !== false);
  return held.length === granted.length ? granted : held;
}
