import type { Request } from 'express';

import { type Decision, isHighRisk, readDecision } from '../../authorization/decision.js';
import type { FormProblem } from '../../authorization/kept-decisions.js';
import { digestOf, type Shown } from '../../authorization/shown.js';
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
  const decision = readDecision(form, shown.scopes, settings);
  if (decision === undefined) return 'undecided';
  if (typeof decision === 'string' || !needsConfirmation(shown.client, decision.scopes, settings))
    return decision;
  const isConfirmed = hasConfirmation(req, userId, confirmationOf(asked, decision.scopes));
  const { isAskedEachTime } = decision;
  return isConfirmed ? decision : { toConfirm: decision.scopes, ...(isAskedEachTime && { isAskedEachTime }) };
}

/** What a confirmation is about: another one than for fewer scopes, for another request, or for another device. */
export function confirmationOf(
  { shown, userCode = '' }: Omit<AskedConsent, 'userId'>,
  scopes: readonly string[],
): string {
  return JSON.stringify([digestOf(shown), [...scopes].sort(), userCode]);
}

function needsConfirmation(
  client: Shown['client'],
  scopes: readonly string[],
  settings: Pick<Settings, 'scopes'>,
): boolean {
  return !isShownAsVerified(client) && scopes.some((scope) => isHighRisk(settings, scope));
}
