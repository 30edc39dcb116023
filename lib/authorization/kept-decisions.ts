import type { Request } from 'express';

import { hashSecret } from '../crypto/secrets.js';
import type { Decision } from './decision.js';

/** What a person has decided about a request, or that they do not go on with it. */
export type Outcome = Decision | { readonly decision: 'cancel'; readonly scopes: readonly [] };

/** Whose decision it is, and about what. */
export interface DecisionKey {
  /** The request by its name, as text. */
  readonly request: string;
  readonly userId: string;
}

interface KeptDecision {
  readonly request: string;
  readonly userId: string;
  readonly outcome: Outcome;
  /** Milliseconds since 1970: a session store keeps JSON. */
  readonly expiresAt: number;
}

/** What is kept in the session beside what Passport keeps there. */
interface DecisionSession {
  session: { oauthDecisions?: unknown };
}

/** More requests than anybody answers at the same time; the oldest goes first. */
const MAX_DECISIONS = 5;
/** Milliseconds between the answer to a form and the request that a browser sends at once. */
const LIFE = 60_000;

/**
 * Keeps a decision in the session until the GET that follows the form: for this person and this request, once. Where
 * two requests of one session come at the same moment, the session store may let both have it; that is what to decide
 * twice would be.
 */
export function keepDecision(req: Request, key: DecisionKey, outcome: Outcome, now: Date): void {
  const request = hashSecret(key.request);
  const others = keptDecisions(req, now).filter((kept) => kept.request !== request);
  const kept: KeptDecision = { request, userId: key.userId, outcome, expiresAt: now.getTime() + LIFE };
  (req as unknown as DecisionSession).session.oauthDecisions = [...others, kept].slice(-MAX_DECISIONS);
}

/** Takes the decision out of the session; undefined if there is none about this request by this person. */
export function takeDecision(req: Request, key: DecisionKey, now: Date): Outcome | undefined {
  const kept = keptDecisions(req, now);
  if (kept.length === 0) return undefined;
  const request = hashSecret(key.request);
  const found = kept.find((candidate) => candidate.request === request);
  if (found === undefined) return undefined;
  (req as unknown as DecisionSession).session.oauthDecisions = kept.filter(
    (candidate) => candidate !== found,
  );
  return found.userId === key.userId ? found.outcome : undefined;
}

function keptDecisions(req: Request, now: Date): readonly KeptDecision[] {
  const { oauthDecisions: kept } = (req as unknown as DecisionSession).session;
  if (!Array.isArray(kept)) return [];
  const isLive = (candidate: KeptDecision | undefined) => (candidate?.expiresAt ?? 0) > now.getTime();
  return (kept as readonly KeptDecision[]).filter(isLive);
}
