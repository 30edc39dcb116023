import type { Client } from '../clients/client.js';
import { OAuthError } from '../errors.js';
import { type AuthorizationDetail, isSameJson } from '../protocol/authorization-details.js';
import type { Settings } from '../settings/settings.js';

type DetailRules = Pick<Settings, 'authorizationDetails'>;

/** Whether a detail lies within one of those that were granted, as its type compares them (RFC 9396 §6.1). */
export function isWithin(
  asked: AuthorizationDetail,
  granted: readonly AuthorizationDetail[],
  { authorizationDetails: types }: DetailRules,
): boolean {
  const compare = types.get(asked.type)?.compare ?? isSameJson;
  return granted.some((each) => each.type === asked.type && compareBy(compare, asked, each));
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
    throw new OAuthError('server_error', 'the server met an unexpected condition', {
      detail: `compare of the authorization details type ${asked.type} threw`,
      cause,
    });
  }
}

/**
 * The details of a token: those that its request names, if they lie within what was granted, or all of that.
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
  if (asked.every((detail) => isWithin(detail, granted, rules))) return asked;
  throw new OAuthError(
    'invalid_authorization_details',
    'the authorization_details exceed what the resource owner granted',
    { reason: 'authorization_details_not_granted' },
  );
}

/**
 * Of details that were granted once those that may still be given: what the client's registration or this server has
 * lost since is lost for the grant, too.
 */
export function heldDetails(
  granted: readonly AuthorizationDetail[] = [],
  { authorizationDetailsTypes: registered }: Pick<Client, 'authorizationDetailsTypes'>,
  { authorizationDetails: types }: DetailRules,
): readonly AuthorizationDetail[] {
  const held = granted.filter(({ type }) => types.has(type) && registered?.includes(type) !== false);
  return held.length === granted.length ? granted : held;
}
