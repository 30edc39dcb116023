import type { Settings } from '../../settings/settings.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import { isComparable, matchDetails } from './compare-details.js';
import { type ChoiceRequest, listQuestions } from './selectable-choices.js';
import type { GrantConstraints } from './selections.js';

type Rules = Pick<Settings, 'authorizationDetails' | 'choices'>;

/** Only the newest details are stored, because each is compared with every request. */
const MAX_DETAILS = 20;

/** The stored consent after a decision: new answers replace those to the same questions. */
export function consentAfter(
  { authorizationDetails: before, choices, endsAt }: GrantConstraints,
  { requested, constraints }: { readonly requested: ChoiceRequest; readonly constraints: GrantConstraints },
  rules: Rules,
): Required<Omit<GrantConstraints, 'endsAt'>> & Pick<GrantConstraints, 'endsAt'> {
  const questions = listQuestions(requested, rules).filter(({ detail }) => detail === undefined);
  const stored = Object.entries(choices ?? {}).filter(
    ([name]) => !questions.some((question) => question.name === name),
  );
  const end = questions.some(({ choice }) => choice.lifetime !== undefined) ? constraints.endsAt : endsAt;
  return {
    authorizationDetails: detailsAfter(
      before,
      requested.authorizationDetails,
      constraints.authorizationDetails,
      rules,
    ),
    choices: { ...Object.fromEntries(stored), ...constraints.choices },
    ...(end && { endsAt: end }),
  };
}

/**
 * If the user refused a detail of a type, only the newly allowed details of that type are stored. A detail that its
 * type cannot compare is not stored: having paid once does not allow the same payment again.
 */
function detailsAfter(
  before: readonly AuthorizationDetail[] = [],
  requested: readonly AuthorizationDetail[] = [],
  allowed: readonly AuthorizationDetail[] = [],
  rules: Rules,
): readonly AuthorizationDetail[] {
  const countOf = (details: readonly AuthorizationDetail[], type: string) =>
    details.filter((detail) => detail.type === type).length;
  const isRefused = (type: string) => countOf(requested, type) > countOf(allowed, type);
  const fresh = allowed.filter((detail) => isComparable(detail, rules));
  const comparable = before.filter((detail) => isComparable(detail, rules) && !isRefused(detail.type));
  // a new detail replaces one stored detail that it covers, even if two equal ones are stored
  const covered = matchDetails(comparable, fresh, rules);
  const stored = comparable.filter((_detail, index) => covered[index] === undefined);
  return [...stored, ...fresh].slice(-MAX_DETAILS);
}
