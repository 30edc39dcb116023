import { withSingleClaims } from '../../core/authorization/claim-scopes.js';
import type { Shown } from '../../core/authorization/consent-digest.js';
import type { ToConfirm, ToPick } from '../../core/authorization/pending-decisions.js';
import { questionsOf } from '../../core/authorization-details/offers.js';
import { fieldOf } from '../../core/authorization-details/picks.js';
import type { Choices } from '../../settings/features/choice-options.js';
import type { Settings } from '../../settings/settings.js';
import type { Locals } from '../rendering/views.js';
import type { Words } from '../rendering/words.js';
import { describeChoices } from './describe-choices.js';
import { describeDetails, type ShownDetail } from './describe-details.js';
import { describeScopes } from './describe-scopes.js';

/** Who is asked, and what they have said before. */
export interface AskedPerson {
  readonly user: Express.User;
  readonly userId: string;
  /** The scopes that they have allowed the client before. */
  readonly remembered: readonly string[];
  readonly pickedBefore: Choices;
  /** What was wrong with what they have just sent. */
  readonly problem: ToPick | undefined;
}

/** Scopes, details and choices together (RFC 9396 §3.1). */
export async function describeAsked(
  asked: Shown,
  { user, userId, remembered, ...page }: AskedPerson,
  settings: Settings,
  words: Words,
): Promise<Locals> {
  const { client, scopes, authorizationDetails = [] } = asked;
  const { given } = page.problem ?? {};
  const about = { language: words.locale, client };
  const details = await describeDetails(authorizationDetails, settings, about);
  const rules = withSingleClaims(settings, [...scopes, ...remembered]);
  const described = describeScopes({ scopes, remembered, ticked: given?.scopes }, rules, words);
  const isTickable = ({ isOptional, isHigh }: ShownDetail) => isOptional && !isHigh;
  const titles = details.map(({ title }) => title);
  return {
    ...described,
    details: details.map((detail) => ({
      ...detail,
      isTicked: given?.details?.includes(detail.index) ?? detail.isTicked,
    })),
    detailsLegend: words.text(described.groups.length > 0 ? 'consent.canInParticular' : 'consent.can'),
    hasOptionalScopes:
      described.hasOptionalScopes || (scopes.length + details.length > 1 && details.some(isTickable)),
    hasHighRisk: described.hasHighRisk || details.some(({ isHigh, isOptional }) => isHigh && isOptional),
    choices: await describeChoices(asked, { user, userId }, { ...page, settings, words, titles }),
  };
}

/** The part of what is to be confirmed that can do harm; the rest goes along with it. */
export async function describeRisks(
  asked: Shown,
  { toConfirm: granted, details: places = [], picks = {} }: ToConfirm,
  settings: Settings,
  words: Words,
): Promise<Locals> {
  const { client, authorizationDetails = [] } = asked;
  const rules = withSingleClaims(settings, granted);
  const { groups } = describeScopes({ scopes: granted, remembered: [] }, rules, words);
  const about = { language: words.locale, client };
  const details = await describeDetails(authorizationDetails, settings, about);
  return {
    granted,
    grantedDetails: places,
    picked: questionsOf(asked, settings).flatMap((question) =>
      (picks[question.key] ?? []).map((value) => ({ field: fieldOf(question), value })),
    ),
    risks: [
      ...groups.flatMap(({ scopes }) => scopes.filter(({ isHigh }) => isHigh)),
      ...details
        .filter(({ index, isHigh }) => isHigh && places.includes(index))
        .map(({ title, lines }) => ({ description: title, details: lines.join(' · ') })),
    ],
  };
}
