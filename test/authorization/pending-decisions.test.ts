import { describe, expect, it } from '@jest/globals';
import type { Request } from 'express';

import { consumeDecision, saveDecision } from '../../lib/core/authorization/pending-decisions.js';

const NOW = new Date('2026-01-01T00:00:00Z');
const ALLOWED = { decision: 'allow', scopes: ['read'] } as const;
const ADA = { request: 'client_id=a&state=1', userId: 'ada', digest: 'print.example' };

const sessionOf = (session: object = {}) => ({ session }) as unknown as Request;
/** As every session store gives it back. */
const reloaded = (req: Request) =>
  sessionOf(JSON.parse(JSON.stringify((req as unknown as { session: object }).session)) as object);

describe('a kept decision', () => {
  it('is there for the request that follows, once', () => {
    const req = sessionOf();
    saveDecision(req, ADA, ALLOWED, NOW);
    const next = reloaded(req);
    expect(consumeDecision(next, ADA, NOW)).toEqual(ALLOWED);
    expect(consumeDecision(reloaded(next), ADA, NOW)).toBeUndefined();
  });

  it('is none about another request', () => {
    const req = sessionOf();
    saveDecision(req, ADA, ALLOWED, NOW);
    expect(consumeDecision(req, { ...ADA, request: 'client_id=a&state=2' }, NOW)).toBeUndefined();
    expect(consumeDecision(req, ADA, NOW)).toEqual(ALLOWED);
  });

  it('is none of another person in the same session, and is gone then', () => {
    const req = sessionOf();
    saveDecision(req, ADA, ALLOWED, NOW);
    expect(consumeDecision(req, { ...ADA, userId: 'grace' }, NOW)).toBeUndefined();
    expect(consumeDecision(req, ADA, NOW)).toBeUndefined();
  });

  it('is out of date where the request does not mean any more what was shown, and is gone then', () => {
    const req = sessionOf();
    saveDecision(req, ADA, ALLOWED, NOW);
    expect(consumeDecision(req, { ...ADA, digest: 'evil.example' }, NOW)).toBe('outOfDate');
    expect(consumeDecision(req, ADA, NOW)).toBeUndefined();
  });

  it('is the last one, if there were several about a request', () => {
    const req = sessionOf();
    saveDecision(req, ADA, ALLOWED, NOW);
    saveDecision(req, ADA, { decision: 'deny', scopes: [] }, NOW);
    expect(consumeDecision(req, ADA, NOW)).toEqual({ decision: 'deny', scopes: [] });
    expect(consumeDecision(req, ADA, NOW)).toBeUndefined();
  });

  it('is for the request at once, and not for later', () => {
    const req = sessionOf();
    saveDecision(req, ADA, ALLOWED, NOW);
    expect(consumeDecision(reloaded(req), ADA, new Date(NOW.getTime() + 60_000))).toBeUndefined();
    expect(consumeDecision(req, ADA, new Date(NOW.getTime() + 59_999))).toEqual(ALLOWED);
  });

  it('goes when there are more of them than anybody makes at a time', () => {
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

  it('keeps a session small: the request is in it by its hash', () => {
    const req = sessionOf();
    saveDecision(req, { ...ADA, request: 'x'.repeat(6000) }, ALLOWED, NOW);
    expect(JSON.stringify((req as unknown as { session: object }).session).length).toBeLessThan(250);
  });

  it.each([[undefined], [null], ['text'], [{}], [[]], [[null]], [['text']]])(
    'is none where a session holds %j instead',
    (oauthDecisions) => {
      expect(consumeDecision(sessionOf({ oauthDecisions }), ADA, NOW)).toBeUndefined();
    },
  );

  it('is none where there is no session', () => {
    expect(consumeDecision({} as Request, ADA, NOW)).toBeUndefined();
  });

  it('leaves a session as it was that has none: nothing is stored for a look', () => {
    const session = {};
    consumeDecision(sessionOf(session), ADA, NOW);
    expect(session).toEqual({});
  });
});
