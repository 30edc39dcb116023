import type { Request } from 'express';

import { consentDigest, type ConsentPrompt } from '../../core/authorization/consent-client.js';
import type { Decision, FormProblem } from '../../core/authorization/pending-decisions.js';
import { findSelectableChoices, questionsOf } from '../../core/authorization-details/selectable-choices.js';
import {
  detailsAtIndexes,
  findInvalidSelections,
  questionsFor,
} from '../../core/authorization-details/selections.js';
import { hasConfirmation } from '../../core/http/csrf.js';
import { listField, textField } from '../../core/http/form-fields.js';
import type { Settings } from '../../settings/settings.js';
import { consentRulesOf, hasHighRisk, readDecision, readSelections } from './decision.js';

/** What a consent page asked, and whom. */
export interface ConsentFormContext {
  readonly prompt: ConsentPrompt;
  readonly userId: string;
  /** The code of the device that waits for the answer, if one does. */
  readonly userCode?: string;
}

/**
 * Reads the form of a consent page, and of the one that asks a second time: only from there does an application that
 * nobody has checked get what can do harm. Whatever a form says, only what the user was offered can be picked.
 */
export async function readConsent(
  req: Request,
  form: unknown,
  requested: ConsentFormContext,
  siteSettings: Settings,
): Promise<Decision | FormProblem> {
  const { prompt, userId } = requested;
  const settings = consentRulesOf(siteSettings, prompt.client);
  // the client may have changed since the page was shown
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

  // what is allowed, with what was picked for it
  const questions = questionsFor(questionsOf(prompt, settings), ticked);
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

/** What a confirmation is about: one for less, for another request, or for another device does not count. */
export function confirmationDigest(
  { prompt, userCode = '' }: Omit<ConsentFormContext, 'userId'>,
  { scopes, details = [], picks = {} }: Pick<Decision, 'scopes' | 'details' | 'picks'>,
): string {
  return JSON.stringify([consentDigest(prompt), [...scopes].sort(), userCode, details, picks]);
}
