import type { Settings } from '../../settings/settings.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import { isComparable, matchDetails } from './compare-details.js';
import { type AskedFor, questionsOf } from './offers.js';
import type { Bound } from './picks.js';

/** What was asked for, and what the person has allowed of it. */
export interface DecidedBound {
  readonly asked: Pick<AskedFor, 'scopes' | 'authorizationDetails'>;
  readonly bound: Bound;
}

type Rules = Pick<Settings, 'authorizationDetails' | 'choices'>;

/** Only the newest are kept: each is compared with what is asked for. */
const MOST_DETAILS = 20;

/** All that is remembered after a decision: of the choices that were asked, the new answers. */
export function rememberedAfter(
  { authorizationDetails: before, choices, endsAt }: Bound,
  { asked, bound }: DecidedBound,
  rules: Rules,
): Required<Omit<Bound, 'endsAt'>> & Pick<Bound, 'endsAt'> {
  const questions = questionsOf(asked, rules).filter(({ detail }) => detail === undefined);
  const kept = Object.entries(choices ?? {}).filter(
    ([name]) => !questions.some((question) => question.name === name),
  );
  const end = questions.some(({ choice }) => choice.lifetime !== undefined) ? bound.endsAt : endsAt;
  return {
    authorizationDetails: detailsAfter(
      before,
      { asked: asked.authorizationDetails, allowed: bound.authorizationDetails },
      rules,
    ),
    choices: { ...Object.fromEntries(kept), ...bound.choices },
    ...(end && { endsAt: end }),
  };
}

/**
 * If something of a type was refused, only what is allowed now is kept of that type. Nothing is kept that its type
 * cannot compare: having paid once does not allow the same payment a second time.
 */
function detailsAfter(
  before: readonly AuthorizationDetail[] = [],
  {
    asked = [],
    allowed = [],
  }: {
    readonly asked?: readonly AuthorizationDetail[] | undefined;
    readonly allowed?: readonly AuthorizationDetail[] | undefined;
  },
  rules: Rules,
): readonly AuthorizationDetail[] {
  const countOf = (details: readonly AuthorizationDetail[], type: string) =>
    details.filter((detail) => detail.type === type).length;
  const isRefused = (type: string) => countOf(asked, type) > countOf(allowed, type);
  const fresh = allowed.filter((detail) => isComparable(detail, rules));
  const comparable = before.filter((detail) => isComparable(detail, rules) && !isRefused(detail.type));
  // what was allowed twice is covered by one that is allowed now only once
  const covered = matchDetails(comparable, fresh, rules);
  const kept = comparable.filter((_detail, index) => covered[index] === undefined);
  return [...kept, ...fresh].slice(-MOST_DETAILS);
}
