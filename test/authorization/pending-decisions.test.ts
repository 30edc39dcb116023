import { describe, expect, it } from '@jest/globals';
import type { Request } from 'express';

import { consumeDecision, saveDecision } from '../../lib/core/authorization/pending-decisions.js';

const NOW = new Date('2026-01-01T00:00:00Z');
const ALLOWED = { decision: 'allow', scopes: ['read'] } as const;
const ADA = { request: 'client_id=a&state=1', userId: 'ada', digest: 'print.example' };

const sessionOf = (session: object = {}) => ({ session }) as unknown as Request;
/** As every session store returns it. */
const reloaded = (req: Request) =>
  sessionOf(JSON.parse(JSON.stringify((req as unknown as { session: object }).session)) as object);

describe('a stored decision', () => {
  it('a stored decision is used by its request, once', () => {
    const req = sessionOf();
    saveDecision(req, ADA, ALLOWED, NOW);
    const next = reloaded(req);
    expect(consumeDecision(next, ADA, NOW)).toEqual(ALLOWED);
    expect(consumeDecision(reloaded(next), ADA, NOW)).toBeUndefined();
  });

  it('a stored decision is not used by another request', () => {
    const req = sessionOf();
    saveDecision(req, ADA, ALLOWED, NOW);
    expect(consumeDecision(req, { ...ADA, request: 'client_id=a&state=2' }, NOW)).toBeUndefined();
    expect(consumeDecision(req, ADA, NOW)).toEqual(ALLOWED);
  });

  it('a stored decision is deleted when another user in the session asks for it', () => {
    const req = sessionOf();
    saveDecision(req, ADA, ALLOWED, NOW);
    expect(consumeDecision(req, { ...ADA, userId: 'grace' }, NOW)).toBeUndefined();
    expect(consumeDecision(req, ADA, NOW)).toBeUndefined();
  });

  it('a stored decision is outOfDate if its page would differ now, and is deleted', () => {
    const req = sessionOf();
    saveDecision(req, ADA, ALLOWED, NOW);
    expect(consumeDecision(req, { ...ADA, digest: 'evil.example' }, NOW)).toBe('outOfDate');
    expect(consumeDecision(req, ADA, NOW)).toBeUndefined();
  });

  it('a stored decision is the last of several about a request', () => {
    const req = sessionOf();
    saveDecision(req, ADA, ALLOWED, NOW);
    saveDecision(req, ADA, { decision: 'deny', scopes: [] }, NOW);
    expect(consumeDecision(req, ADA, NOW)).toEqual({ decision: 'deny', scopes: [] });
    expect(consumeDecision(req, ADA, NOW)).toBeUndefined();
  });

  it('a stored decision is used within a minute', () => {
    const req = sessionOf();
    saveDecision(req, ADA, ALLOWED, NOW);
    expect(consumeDecision(reloaded(req), ADA, new Date(NOW.getTime() + 60_000))).toBeUndefined();
    expect(consumeDecision(req, ADA, new Date(NOW.getTime() + 59_999))).toEqual(ALLOWED);
  });

  it('a stored decision is evicted by too many others', () => {
    const req = sessionOf();
    const keys = Array.from({ length: 6 }, (_, index) => ({ ...ADA, request: `state=${index}` }));
    for (const key of keys) saveDecision(req, key, ALLOWED, NOW);
    expect(keys.map((key) => consumeDecision(req, key, NOW) !== undefined)).toEqual([
      false,
      true,
      true,
      true,
      true,
      true,
    ]);
  });

  it('a stored decision has its request as a hash, to keep the session small', () => {
    const req = sessionOf();
    saveDecision(req, { ...ADA, request: 'x'.repeat(6000) }, ALLOWED, NOW);
    expect(JSON.stringify((req as unknown as { session: object }).session).length).toBeLessThan(250);
  });

  it.each([[undefined], [null], ['text'], [{}], [[]], [[null]], [['text']]])(
    'a stored decision is missing if the session has %j in its place',
    (oauthDecisions) => {
      expect(consumeDecision(sessionOf({ oauthDecisions }), ADA, NOW)).toBeUndefined();
    },
  );

  it('a stored decision is missing without a session', () => {
    expect(consumeDecision({} as Request, ADA, NOW)).toBeUndefined();
  });

  it('a look for a stored decision writes nothing to the session', () => {
    const session = {};
    consumeDecision(sessionOf(session), ADA, NOW);
    expect(session).toEqual({});
  });
});
