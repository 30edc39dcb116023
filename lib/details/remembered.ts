import type { AuthorizationDetail } from '../protocol/authorization-details.js';
import type { Settings } from '../settings/settings.js';
import { isComparable, isWithin } from './compare-details.js';
import { type AskedFor, questionsOf } from './offers.js';
import type { Bound } from './picks.js';

/** What was asked for, and what of it the person has left. */
export interface DecidedBound {
  readonly asked: Pick<AskedFor, 'scopes' | 'authorizationDetails'>;
  readonly bound: Bound;
}

type Rules = Pick<Settings, 'authorizationDetails' | 'choices'>;

/** The newest ones: each is compared with what is asked for. */
const MOST_DETAILS = 20;

/** What is remembered after a decision, all of it: of the choices that were asked those that were made now. */
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
 * Nothing of a type of which something was refused, but for what is allowed now. Only what its type can compare: that
 * somebody has paid once is no word on the same payment a second time.
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
  const kept = before.filter(
    (detail) => isComparable(detail, rules) && !isRefused(detail.type) && !isWithin(detail, fresh, rules),
  );
  return [...kept, ...fresh].slice(-MOST_DETAILS);
}
