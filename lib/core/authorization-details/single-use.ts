import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import { type DetailRules, matchToGranted } from './compare-details.js';

/** The details of a grant, and which of them have been used. */
export interface UsableDetails {
  readonly authorizationDetails?: readonly AuthorizationDetail[] | undefined;
  readonly usedDetails?: readonly number[] | undefined;
}

export function usableOf(grant: {
  readonly authorization: Pick<UsableDetails, 'authorizationDetails'>;
  readonly usedDetails?: readonly number[];
}): UsableDetails {
  return { authorizationDetails: grant.authorization.authorizationDetails, usedDetails: grant.usedDetails };
}

export function isSingleUse(
  { type }: AuthorizationDetail,
  { authorizationDetails: types }: DetailRules,
): boolean {
  return types.get(type)?.singleUse === true;
}

/**
 * The places of the granted details that these would use up; undefined if one of them has been used already. It goes by
 * what the user has allowed, so a token that was narrowed or refreshed gives nobody a second use.
 */
export function indexesToUse(
  details: readonly AuthorizationDetail[],
  { authorizationDetails: granted = [], usedDetails: used = [] }: UsableDetails,
  rules: DetailRules,
): readonly number[] | undefined {
  const left = [...granted.entries()].filter(([place]) => !used.includes(place));
  const matches = matchToGranted(
    details,
    left.map(([, detail]) => detail),
    rules,
  );
  const indexes = matches.flatMap((match) => (match === undefined ? [] : [left[match.place]![0]]));
  return indexes.length === details.length ? indexes : undefined;
}

/** Those of a token that can still be used. */
export function unusedDetails(
  details: readonly AuthorizationDetail[],
  grant: UsableDetails,
  rules: DetailRules,
): readonly AuthorizationDetail[] {
  // most grants have used none
  if (grant.usedDetails === undefined || grant.usedDetails.length === 0) return details;
  return details.filter(
    (detail) => !isSingleUse(detail, rules) || indexesToUse([detail], grant, rules) !== undefined,
  );
}
