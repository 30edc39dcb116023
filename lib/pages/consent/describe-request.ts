import { expandClaimScopes } from '../../core/authorization/claim-scopes.js';
import type { ConsentPrompt } from '../../core/authorization/consent-client.js';
import type { ConfirmationRequired, SelectionRequired } from '../../core/authorization/pending-decisions.js';
import { findSelectableChoices, listQuestions } from '../../core/authorization-details/selectable-choices.js';
import type { Choices } from '../../settings/options/choice-options.js';
import type { Settings } from '../../settings/settings.js';
import { OPENID_SCOPES } from '../../shared/protocol/standard-claims.js';
import type { Translator } from '../rendering/translator.js';
import type { Locals } from '../rendering/views.js';
import { consentRulesOf, selectionFieldOf } from './decision.js';
import { describeChoice, hasNothing } from './describe-choices.js';
import { describeDetails } from './describe-details.js';
import { describeScopes } from './describe-scopes.js';

/** The user and their earlier consent. */
export interface ConsentUser {
  readonly user: Express.User;
  readonly userId: string;
  /** The scopes of the earlier consent. */
  readonly consented: readonly string[];
  readonly selectedBefore: Choices;
  /** The problem of the submitted form. */
  readonly problem: SelectionRequired | undefined;
}

/** The scopes, details and choices of a request (RFC 9396 §3.1). */
export async function describeRequest(
  requested: ConsentPrompt,
  { user, userId, consented, ...page }: ConsentUser,
  siteSettings: Settings,
  translator: Translator,
): Promise<Locals> {
  const { client, scopes, authorizationDetails = [] } = requested;
  const settings = consentRulesOf(siteSettings, client);
  const { given } = page.problem ?? {};
  const details = await describeDetails(authorizationDetails, settings, translator.locale, client);
  const rules = expandClaimScopes(settings, [...scopes, ...consented]);
  const described = describeScopes({ scopes, consented, ticked: given?.scopes }, rules, translator);
  const titles = details.map(({ title }) => title);
  const choosing = { user, userId, language: translator.locale };
  const offers = await findSelectableChoices(requested, choosing, settings);
  return {
    ...described,
    isSignIn: isSignIn(requested, settings),
    details: details.map((detail) => ({
      ...detail,
      isTicked: given?.details?.includes(detail.index) ?? detail.isTicked,
    })),
    detailsLegend: translator.text(described.groups.length > 0 ? 'consent.canInParticular' : 'consent.can'),
    isAllOrNothing: client.granularConsent === false && scopes.length + details.length > 1,
    hasOptionalScopes:
      described.hasOptionalScopes ||
      (scopes.length + details.length > 1 && details.some(({ isOptional, isHigh }) => isOptional && !isHigh)),
    hasHighRisk: described.hasHighRisk || details.some(({ isHigh, isOptional }) => isHigh && isOptional),
    // the choices in the user's language, without optional ones that offer nothing
    choices: offers
      .filter((offer) => !(offer.choice.optional && hasNothing(offer)))
      .map((offer) => describeChoice(offer, { ...page, translator, titles })),
  };
}

/** Whether the client only signs the user in, without access to an API or while the user is away. */
function isSignIn({ scopes, resources, authorizationDetails = [] }: ConsentPrompt, { openid }: Settings) {
  const ofIdentity: readonly string[] = OPENID_SCOPES.filter((scope) => scope !== 'offline_access');
  return (
    Boolean(openid) &&
    scopes.includes('openid') &&
    scopes.every((scope) => ofIdentity.includes(scope)) &&
    resources.length + authorizationDetails.length === 0
  );
}

/** The high-risk part of the request, which needs confirmation; the rest comes with it. */
export async function describeRisks(
  requested: ConsentPrompt,
  { toConfirm: granted, details: places = [], picks = {} }: ConfirmationRequired,
  settings: Settings,
  translator: Translator,
): Promise<Locals> {
  const { client, authorizationDetails = [] } = requested;
  const rules = expandClaimScopes(settings, granted);
  const { groups } = describeScopes({ scopes: granted, consented: [] }, rules, translator);
  const details = await describeDetails(authorizationDetails, settings, translator.locale, client);
  return {
    granted,
    grantedDetails: places,
    selected: listQuestions(requested, settings).flatMap((question) =>
      (picks[question.key] ?? []).map((value) => ({ field: selectionFieldOf(question), value })),
    ),
    risks: [
      ...groups.flatMap(({ scopes }) => scopes.filter(({ isHigh }) => isHigh)),
      ...details
        .filter(({ index, isHigh }) => isHigh && places.includes(index))
        .map(({ title, lines }) => ({ description: title, details: lines.join(' · ') })),
    ],
  };
}
