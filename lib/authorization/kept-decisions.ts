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
  /** What the page said of it (shown.ts). */
  readonly shown: string;
}

interface KeptDecision {
  readonly request: string;
  readonly userId: string;
  readonly shown: string;
  readonly outcome: Outcome;
  /** Milliseconds since 1970: a session store keeps JSON. */
  readonly expiresAt: number;
}

/** What is kept in the session beside what Passport keeps there. */
interface DecisionSession {
  /** Absent where the host knows its people without one: then no page of ours has asked them. */
  readonly session?: { oauthDecisions?: unknown };
}

/** More requests than anybody answers at the same time; the oldest goes first. */
const MAX_DECISIONS = 5;
/** Milliseconds between the answer to a form and the request that a browser sends at once. */
const LIFE = 60_000;

/**
 * Keeps a decision in the session until the GET that follows the form: for this person and this request, once. If that
 * GET comes twice at the same moment, a session store may give it to both: as if the person had decided twice.
 */
export function keepDecision(req: Request, key: DecisionKey, outcome: Outcome, now: Date): void {
  const request = hashSecret(key.request);
  const others = keptDecisions(req, now).filter((kept) => kept.request !== request);
  const kept: KeptDecision = { ...key, request, outcome, expiresAt: now.getTime() + LIFE };
  setDecisions(req, [...others, kept].slice(-MAX_DECISIONS));
}

/** Whether there is anything to take: most requests come without, and need no key. */
export function hasDecisions(req: Request): boolean {
  return sessionOf(req)?.oauthDecisions !== undefined;
}

/**
 * Takes the decision out of the session.
 *
 * @returns undefined if there is none about this request by this person; `outOfDate` if it was about what the request
 * does not mean any more
 */
export function takeDecision(req: Request, key: DecisionKey, now: Date): Outcome | 'outOfDate' | undefined {
  const kept = keptDecisions(req, now);
  if (kept.length === 0) return undefined;
  const request = hashSecret(key.request);
  const found = kept.find((candidate) => candidate.request === request);
  if (found === undefined) return undefined;
  setDecisions(
    req,
    kept.filter((candidate) => candidate !== found),
  );
  if (found.userId !== key.userId) return undefined;
  return found.shown === key.shown ? found.outcome : 'outOfDate';
}

function keptDecisions(req: Request, now: Date): readonly KeptDecision[] {
  const kept = sessionOf(req)?.oauthDecisions;
  if (!Array.isArray(kept)) return [];
  const isLive = (candidate: KeptDecision | undefined) => (candidate?.expiresAt ?? 0) > now.getTime();
  return (kept as readonly KeptDecision[]).filter(isLive);
}

function setDecisions(req: Request, decisions: readonly KeptDecision[]): void {
  const session = sessionOf(req);
  if (session !== undefined) session.oauthDecisions = decisions;
}

function sessionOf(req: Request): DecisionSession['session'] {
  return (req as unknown as DecisionSession).session;
}
