import type { Request } from 'express';

import { type Decision, isHighRisk, readDecision } from '../../authorization/decision.js';
import type { FormProblem } from '../../authorization/kept-decisions.js';
import { digestOf, type Shown } from '../../authorization/shown.js';
import { detailsIn, isHighRiskDetail, readTicks } from '../../details/allowed-details.js';
import { hasConfirmation } from '../../http/csrf.js';
import type { Settings } from '../../settings/settings.js';
import { isShownAsVerified } from './describe-client.js';

/** What a consent page asked, and whom. */
export interface AskedConsent {
  readonly shown: Shown;
  readonly userId: string;
  /** The code of the device that waits for the answer, if one does. */
  readonly userCode?: string;
}

/**
 * Reads the form of a consent page, and of the one that asks a second time: an application that nobody has checked gets
 * what can do harm only from there.
 */
export function readConsent(
  req: Request,
  form: unknown,
  { asked, settings }: { readonly asked: AskedConsent; readonly settings: Settings },
): Decision | FormProblem {
  const { shown, userId } = asked;
  // the client may have changed since the page was shown
  if ((form as { readonly shown?: unknown }).shown !== digestOf(shown)) return 'outOfDate';
  const { authorizationDetails = [] } = shown;
  const decision = readDecision(
    form,
    shown.scopes,
    settings,
    readTicks(form, authorizationDetails, settings),
  );
  if (decision === undefined) return 'undecided';
  if (typeof decision === 'string' || !needsConfirmation(shown, decision, settings)) return decision;
  const isConfirmed = hasConfirmation(req, userId, confirmationOf(asked, decision));
  const { scopes: toConfirm, details, isAskedEachTime } = decision;
  return isConfirmed
    ? decision
    : { toConfirm, ...(details && { details }), ...(isAskedEachTime && { isAskedEachTime }) };
}

/** What a confirmation is about: another one than for less, for another request, or for another device. */
export function confirmationOf(
  { shown, userCode = '' }: Omit<AskedConsent, 'userId'>,
  { scopes, details = [] }: Pick<Decision, 'scopes' | 'details'>,
): string {
  return JSON.stringify([digestOf(shown), [...scopes].sort(), userCode, details]);
}

function needsConfirmation(
  { client, authorizationDetails = [] }: Shown,
  { scopes, details }: Decision,
  settings: Pick<Settings, 'scopes' | 'authorizationDetails'>,
): boolean {
  if (isShownAsVerified(client)) return false;
  return (
    scopes.some((scope) => isHighRisk(settings, scope)) ||
    detailsIn(authorizationDetails, details).some((detail) => isHighRiskDetail(settings, detail))
  );
}
