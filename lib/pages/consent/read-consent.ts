import type { Request } from 'express';

import { consentDigest, type ConsentPrompt } from '../../core/authorization/consent-client.js';
import type { Decision, FormProblem } from '../../core/authorization/pending-decisions.js';
import { findSelectableChoices, listQuestions } from '../../core/authorization-details/selectable-choices.js';
import {
  detailsAtIndexes,
  findInvalidSelections,
  questionsFor,
} from '../../core/authorization-details/selections.js';
import { hasConfirmation } from '../../core/http/csrf.js';
import { listField, textField } from '../../core/http/form-fields.js';
import type { Settings } from '../../settings/settings.js';
import { consentRulesOf, hasHighRisk, readDecision, readSelections } from './decision.js';

/** The question of a consent page, and its user. */
export interface ConsentFormContext {
  readonly prompt: ConsentPrompt;
  readonly userId: string;
  /** The user code of a device. */
  readonly userCode?: string;
}

/**
 * Reads the form of a consent page, or of its confirmation: an unverified application gets high-risk scopes only after
 * the confirmation. Choices are limited to the entries that the user was offered.
 */
export async function readConsent(
  req: Request,
  form: unknown,
  requested: ConsentFormContext,
  siteSettings: Settings,
): Promise<Decision | FormProblem> {
  const { prompt, userId } = requested;
  const settings = consentRulesOf(siteSettings, prompt.client);
  // the client may have changed since the page was displayed
  if (textField(form, 'shown') !== consentDigest(prompt)) return 'outOfDate';
  const { authorizationDetails = [] } = prompt;
  const ticked = readDecision(form, prompt.scopes, settings, authorizationDetails);
  if (ticked === undefined) return 'undecided';
  if (typeof ticked === 'string') return ticked;
  // without granular consent the page has no checkboxes, and its confirmation carries everything
  const isPart = (sent: number, requestedCount: number) => sent > 0 && sent < requestedCount;
  const isUnticked =
    isPart(listField(form, 'granted_scope').length, prompt.scopes.length) ||
    isPart(listField(form, 'detail').length, authorizationDetails.length);
  if (prompt.client.granularConsent === false && ticked.decision === 'allow' && isUnticked)
    return 'outOfDate';

  // the decision with the choices
  const questions = questionsFor(listQuestions(prompt, settings), ticked);
  let decision = ticked;
  if (ticked.decision === 'allow' && questions.length > 0) {
    const picks = readSelections(form, questions);
    const offers = await findSelectableChoices(prompt, { user: req.user!, userId }, settings);
    const toPick = findInvalidSelections(questionsFor(offers, ticked), picks);
    decision = { ...ticked, picks };
    const { decision: _allow, ...given } = decision;
    if (toPick.length > 0) return { toPick, given };
  }
  if (prompt.client.isVerified) return decision;
  const allowed = detailsAtIndexes(authorizationDetails, decision.details);
  if (!hasHighRisk(settings, decision.scopes, allowed)) return decision;
  const isConfirmed = hasConfirmation(req, userId, confirmationDigest(requested, decision));
  const { decision: _allow, scopes: toConfirm, ...rest } = decision;
  return isConfirmed ? decision : { toConfirm, ...rest };
}

/** What a confirmation covers: no other scopes, request or device. */
export function confirmationDigest(
  { prompt, userCode = '' }: Omit<ConsentFormContext, 'userId'>,
  { scopes, details = [], picks = {} }: Pick<Decision, 'scopes' | 'details' | 'picks'>,
): string {
  return JSON.stringify([consentDigest(prompt), [...scopes].sort(), userCode, details, picks]);
}
