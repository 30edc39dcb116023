import type { Settings } from '../../settings/settings.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import { isComparable, matchDetails } from './compare-details.js';
import { type ChoiceRequest, questionsOf } from './selectable-choices.js';
import type { GrantConstraints } from './selections.js';

/** What was asked for, and what the user has allowed of it. */
export interface DecidedConstraints {
  readonly requested: Pick<ChoiceRequest, 'scopes' | 'authorizationDetails'>;
  readonly constraints: GrantConstraints;
}

type Rules = Pick<Settings, 'authorizationDetails' | 'choices'>;

/** Only the newest are kept: each is compared with what is asked for. */
const MAX_DETAILS = 20;

/** All that is remembered after a decision: of the choices that were asked, the new answers. */
export function consentAfter(
  { authorizationDetails: before, choices, endsAt }: GrantConstraints,
  { requested, constraints }: DecidedConstraints,
  rules: Rules,
): Required<Omit<GrantConstraints, 'endsAt'>> & Pick<GrantConstraints, 'endsAt'> {
  const questions = questionsOf(requested, rules).filter(({ detail }) => detail === undefined);
  const stored = Object.entries(choices ?? {}).filter(
    ([name]) => !questions.some((question) => question.name === name),
  );
  const end = questions.some(({ choice }) => choice.lifetime !== undefined) ? constraints.endsAt : endsAt;
  return {
    authorizationDetails: detailsAfter(
      before,
      { requested: requested.authorizationDetails, allowed: constraints.authorizationDetails },
      rules,
    ),
    choices: { ...Object.fromEntries(stored), ...constraints.choices },
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
    requested = [],
    allowed = [],
  }: {
    readonly requested?: readonly AuthorizationDetail[] | undefined;
    readonly allowed?: readonly AuthorizationDetail[] | undefined;
  },
  rules: Rules,
): readonly AuthorizationDetail[] {
  const countOf = (details: readonly AuthorizationDetail[], type: string) =>
    details.filter((detail) => detail.type === type).length;
  const isRefused = (type: string) => countOf(requested, type) > countOf(allowed, type);
  const fresh = allowed.filter((detail) => isComparable(detail, rules));
  const comparable = before.filter((detail) => isComparable(detail, rules) && !isRefused(detail.type));
  // what was allowed twice is covered by one that is allowed now only once
  const covered = matchDetails(comparable, fresh, rules);
  const stored = comparable.filter((_detail, index) => covered[index] === undefined);
  return [...stored, ...fresh].slice(-MAX_DETAILS);
}
