import type { AuthorizationDetail } from '../protocol/authorization-details.js';
import type { Settings } from '../settings/settings.js';
import { isWithin } from './compare-details.js';

type DetailRules = Pick<Settings, 'authorizationDetails'>;

/** The newest ones: each is compared with what is asked for. */
const MOST_REMEMBERED = 20;

/** What a person has decided about details. */
export interface DecidedDetails {
  readonly asked: readonly AuthorizationDetail[];
  readonly allowed: readonly AuthorizationDetail[];
}

/**
 * Whether the person has allowed all of these before. Only what its type can compare: that somebody has paid once is no
 * word on the same payment a second time.
 */
export function areRemembered(
  asked: readonly AuthorizationDetail[],
  remembered: readonly AuthorizationDetail[] = [],
  rules: DetailRules,
): boolean {
  return asked.every((detail) => isComparable(detail, rules) && isWithin(detail, remembered, rules));
}

/** What is remembered after a decision: nothing of a type of which something was refused, but for what is allowed now. */
export function rememberedAfter(
  before: readonly AuthorizationDetail[] = [],
  { asked, allowed }: DecidedDetails,
  rules: DetailRules,
): readonly AuthorizationDetail[] {
  const refused = new Set(asked.filter((detail) => !allowed.includes(detail)).map(({ type }) => type));
  const fresh = allowed.filter((detail) => isComparable(detail, rules));
  const kept = before.filter(
    (detail) => isComparable(detail, rules) && !refused.has(detail.type) && !isWithin(detail, fresh, rules),
  );
  return [...kept, ...fresh].slice(-MOST_REMEMBERED);
}

function isComparable({ type }: AuthorizationDetail, { authorizationDetails: types }: DetailRules): boolean {
  return types.get(type)?.compare !== undefined;
}
