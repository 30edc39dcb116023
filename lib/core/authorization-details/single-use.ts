import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import { type DetailRules, matchToGranted } from './compare-details.js';

/** A grant's details, and the positions of the used ones. */
interface GrantWithDetails {
  readonly authorization: { readonly authorizationDetails?: readonly AuthorizationDetail[] };
  readonly usedDetails?: readonly number[];
}

export function isSingleUse(
  { type }: AuthorizationDetail,
  { authorizationDetails: types }: DetailRules,
): boolean {
  return types?.get(type)?.singleUse === true;
}

/**
 * The positions of the granted details that `details` would use up; undefined if one of them was used before. Positions
 * refer to the grant, so narrowing or refreshing a token gives nobody a second use.
 */
export function indexesToUse(
  details: readonly AuthorizationDetail[],
  { authorization, usedDetails: used = [] }: GrantWithDetails,
  rules: DetailRules,
): readonly number[] | undefined {
  const { authorizationDetails: granted = [] } = authorization;
  const left = [...granted.entries()].filter(([place]) => !used.includes(place));
  const matches = matchToGranted(
    details,
    left.map(([, detail]) => detail),
    rules,
  );
  const indexes = matches.flatMap((match) => (match === undefined ? [] : [left[match.place]![0]]));
  return indexes.length === details.length ? indexes : undefined;
}

/** The details of a token that can still be used. */
export function unusedDetails(
  details: readonly AuthorizationDetail[],
  grant: GrantWithDetails,
  rules: DetailRules,
): readonly AuthorizationDetail[] {
  // most grants have no used detail
  if (grant.usedDetails === undefined || grant.usedDetails.length === 0) return details;
  return details.filter(
    (detail) => !isSingleUse(detail, rules) || indexesToUse([detail], grant, rules) !== undefined,
  );
}
