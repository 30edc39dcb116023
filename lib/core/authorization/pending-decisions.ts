import type { Request } from 'express';

import type { Selections } from '../authorization-details/selections.js';
import { createSessionFlash } from '../sessions/session-flash.js';

/** What a user has decided on a consent page. It waits in the session by these names for the GET after the form. */
export interface Decision {
  readonly decision: 'allow' | 'deny';
  /** The requested scopes that are allowed; empty if none is. */
  readonly scopes: readonly string[];
  /** The indexes of the authorization details that are allowed, if any were requested. */
  readonly details?: readonly number[] | undefined;
  readonly picks?: Selections | undefined;
  /** Whether the user wants to be asked the next time as well. */
  readonly isAskedEachTime?: true | undefined;
}

/** What a user has decided about a request, or that they do not go on with it. */
export type FinalDecision =
  | Decision
  | {
      readonly decision: 'cancel';
      readonly scopes: readonly [];
      readonly details?: undefined;
      readonly picks?: undefined;
    };

/** The user has allowed something of high risk to a client that nobody has verified, and is asked once more. */
export interface ConfirmationRequired {
  readonly toConfirm: readonly string[];
  /** The indexes of the authorization details to confirm. */
  readonly details?: readonly number[] | undefined;
  readonly picks?: Selections | undefined;
  readonly isAskedEachTime?: true | undefined;
}

/** A selection is missing, or was never offered: the user is asked again, with what the form has so far. */
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
  /** What the page said about it (`consent-client.ts`). */
  readonly digest: string;
}

interface StoredDecision {
  readonly shown: string;
  readonly outcome: FinalDecision | FormProblem;
}

const decisions = createSessionFlash<StoredDecision>({ member: 'oauthDecisions', max: 5 });

/**
 * Stores a decision, or why the form was rejected, in the session until the GET that follows the form. Two GETs at the
 * same moment may both find the decision: they have the effect of two equal forms.
 */
export function saveDecision(
  req: Request,
  { request, userId, digest }: DecisionKey,
  submitted: FinalDecision | FormProblem,
  now: Date,
): void {
  decisions.keep(req, { name: request, userId }, { value: { shown: digest, outcome: submitted }, now });
}

/** Whether the session has any decision. If not, the caller need not make a key. */
export const hasDecisions = decisions.hasAny;

/**
 * Takes the decision out of the session.
 *
 * @returns undefined if there is none about this request by this user; `outOfDate` if the page would say something
 *   else now
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
