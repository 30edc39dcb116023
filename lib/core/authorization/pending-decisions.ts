import type { Request } from 'express';

import type { Selections } from '../authorization-details/selections.js';
import { createSessionFlash } from '../sessions/session-flash.js';

/** A user's decision on a consent page. The session stores these members for the GET after the form. */
export interface Decision {
  readonly decision: 'allow' | 'deny';
  /** The allowed scopes of the request; may be empty. */
  readonly scopes: readonly string[];
  /** The indexes of the allowed authorization details, if any were requested. */
  readonly details?: readonly number[] | undefined;
  readonly picks?: Selections | undefined;
  /** Whether the user wants to be asked again the next time. */
  readonly isAskedEachTime?: true | undefined;
}

/** A user's decision about a request, or to cancel it. */
export type FinalDecision =
  | Decision
  | {
      readonly decision: 'cancel';
      readonly scopes: readonly [];
      readonly details?: undefined;
      readonly picks?: undefined;
    };

/** The user allowed something of high risk to an unverified client, and has to confirm it. */
export interface ConfirmationRequired {
  readonly toConfirm: readonly string[];
  /** The indexes of the authorization details to confirm. */
  readonly details?: readonly number[] | undefined;
  readonly picks?: Selections | undefined;
  readonly isAskedEachTime?: true | undefined;
}

/** A selection is missing, or was never offered: the page asks again, with the earlier input. */
export interface SelectionRequired {
  readonly toPick: readonly string[];
  readonly given: Omit<Decision, 'decision'>;
}

export type FormProblem =
  'outOfDate' | 'undecided' | 'nothingTicked' | 'tooManyClients' | ConfirmationRequired | SelectionRequired;

export function isProblem(submitted: FinalDecision | FormProblem | undefined): submitted is FormProblem {
  if (typeof submitted !== 'object') return submitted !== undefined;
  return 'toConfirm' in submitted || 'toPick' in submitted;
}

export interface DecisionKey {
  /** The query of GET /authorize for the request. */
  readonly request: string;
  readonly userId: string;
  /** The digest of the page (`consent-client.ts`). */
  readonly digest: string;
}

interface StoredDecision {
  readonly shown: string;
  readonly outcome: FinalDecision | FormProblem;
}

const decisions = createSessionFlash<StoredDecision>({ member: 'oauthDecisions', max: 5 });

/**
 * Stores a decision, or the problem of a rejected form, in the session until the GET that follows the form. Two GETs at
 * the same moment may both read the decision: they have the effect of two equal forms.
 */
export function saveDecision(
  req: Request,
  { request, userId, digest }: DecisionKey,
  submitted: FinalDecision | FormProblem,
  now: Date,
): void {
  decisions.keep(req, { name: request, userId }, { value: { shown: digest, outcome: submitted }, now });
}

/** Whether the session has any decision. Otherwise the caller need not make a key. */
export const hasDecisions = decisions.hasAny;

/**
 * Removes the decision from the session and returns it.
 *
 * @returns undefined without a decision by this user about this request; `outOfDate` if the page has changed since
 */
export function consumeDecision(
  req: Request,
  { request, userId, digest }: DecisionKey,
  now: Date,
): FinalDecision | FormProblem | undefined {
  const stored = decisions.take(req, { name: request, userId }, now);
  if (stored === undefined) return undefined;
  return stored.shown === digest ? stored.outcome : 'outOfDate';
}
