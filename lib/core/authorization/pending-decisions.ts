import type { Request } from 'express';

import type { Selections } from '../authorization-details/selections.js';
import { createSessionFlash } from '../sessions/session-flash.js';
import type { Decision } from './decision.js';

/** What a person has decided about a request, or that they do not go on with it. */
export type DecisionOutcome =
  | Decision
  | {
      readonly decision: 'cancel';
      readonly scopes: readonly [];
      readonly details?: undefined;
      readonly picks?: undefined;
    };

/** What is allowed does harm in the wrong hands, and nobody has checked the client: the person is asked once more. */
export interface ConfirmationRequired {
  readonly toConfirm: readonly string[];
  /** The places of the authorization details to confirm. */
  readonly details?: readonly number[];
  readonly picks?: Selections;
  readonly isAskedEachTime?: true;
}

/** A needed pick is missing, or was never offered: the person is asked again, with the answers so far. */
export interface SelectionRequired {
  /** The keys of the questions. */
  readonly toPick: readonly string[];
  readonly given: Omit<Decision, 'decision'>;
}

/** Why a form did not count, and the person is asked once more. */
export type FormProblem =
  'outOfDate' | 'undecided' | 'nothingTicked' | 'tooManyClients' | ConfirmationRequired | SelectionRequired;

export function isProblem(outcome: DecisionOutcome | FormProblem): outcome is FormProblem {
  return typeof outcome === 'string' || 'toConfirm' in outcome || 'toPick' in outcome;
}

/** Identifies a pending decision. */
export interface DecisionKey {
  /** The request by its name, as text. */
  readonly request: string;
  readonly userId: string;
  /** What the page said about it (shown.ts). */
  readonly digest: string;
}

interface StoredDecision {
  readonly shown: string;
  readonly outcome: DecisionOutcome | FormProblem;
}

const decisions = createSessionFlash<StoredDecision>({ member: 'oauthDecisions', max: 5 });

/**
 * Keeps a decision, or why there is none, in the session until the GET that follows the form. If two such GETs come at
 * the same moment and both find it, that is as if the person had decided twice.
 */
export function saveDecision(
  req: Request,
  { request, userId, digest }: DecisionKey,
  outcome: DecisionOutcome | FormProblem,
  now: Date,
): void {
  decisions.keep(req, { name: request, userId }, { value: { shown: digest, outcome }, now });
}

/** Whether there is anything to take: most requests have none, and need no key. */
export function hasDecisions(req: Request): boolean {
  return decisions.hasAny(req);
}

/**
 * Takes the decision out of the session.
 *
 * @returns undefined if there is none about this request by this person; `outOfDate` if it was about something that the
 * request no longer means
 */
export function consumeDecision(
  req: Request,
  { request, userId, digest }: DecisionKey,
  now: Date,
): DecisionOutcome | FormProblem | undefined {
  const stored = decisions.take(req, { name: request, userId }, now);
  if (stored === undefined) return undefined;
  return stored.shown === digest ? stored.outcome : 'outOfDate';
}
