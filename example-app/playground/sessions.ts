import { randomBytes } from 'node:crypto';

import { csrfSync } from 'csrf-sync';
import type { Request, RequestHandler, Response } from 'express';
import { LRUCache } from 'lru-cache';

import type { Run } from './runs.js';

/** The data of one visitor. */
export interface PlaygroundSession {
  readonly id: string;
  /** By the name of the grant. */
  readonly runs: Map<string, Run>;
  csrfToken?: string;
}

export interface PlaygroundSessions {
  /** The visitor's session; a new one if there is none. */
  open(req: Request, res: Response): PlaygroundSession;
  find(req: Request): PlaygroundSession | undefined;
  /** Must follow each change: it measures the session's memory again. */
  keep(session: PlaygroundSession): void;
  /** Value of the hidden field `csrf_token`. */
  formTokenOf(req: Request): string;
  /** Whether the form was made for this visitor. */
  isOwnForm(req: Request): boolean;
}

export interface SessionLimits {
  readonly sessions: number;
  /** Characters of all recordings. */
  readonly size: number;
  /** Milliseconds without a visit. */
  readonly ttl: number;
}

/**
 * The photo site's session would not do: the login, between a request and its response, renews it. Sessions are in
 * memory, up to these limits: at the limit, a new visitor replaces the one who was longest away.
 */
const LIMITS: SessionLimits = { sessions: 1000, size: 30_000_000, ttl: 30 * 60_000 };
const COOKIE = 'playground.sid';
const ID = /(?:^|;\s*)playground\.sid=([\w-]{43})(?:;|$)/;

export function createPlaygroundSessions(
  isHttps: boolean,
  { sessions: max, size: maxSize, ttl }: SessionLimits = LIMITS,
): PlaygroundSessions {
  const sessions = new LRUCache<string, PlaygroundSession>({
    max,
    maxSize,
    ttl,
    updateAgeOnGet: true,
    sizeCalculation: sizeOf,
  });

  const find = (req: Request) => {
    const [, id] = ID.exec(req.headers.cookie ?? '') ?? [];
    return id === undefined ? undefined : sessions.get(id);
  };
  const open = (req: Request, res: Response) => {
    const existing = find(req);
    if (existing !== undefined) return existing;
    const session: PlaygroundSession = { id: randomBytes(32).toString('base64url'), runs: new Map() };
    sessions.set(session.id, session);
    res.cookie(COOKIE, session.id, { httpOnly: true, sameSite: 'lax', secure: isHttps, path: '/playground' });
    res.locals.playground = session;
    return session;
  };
  const sessionOf = (req: Request) =>
    (req.res?.locals.playground as PlaygroundSession | undefined) ?? find(req);
  const { generateToken, isRequestValid } = csrfSync({
    getTokenFromRequest: (req) => (req.body as { csrf_token?: string } | undefined)?.csrf_token,
    getTokenFromState: (req) => sessionOf(req)?.csrfToken,
    storeTokenInState: (req, token) => {
      const session = sessionOf(req);
      if (session !== undefined) session.csrfToken = String(token);
    },
  });

  return {
    open,
    find,
    keep(session) {
      // the cache does not measure an existing entry again
      sessions.delete(session.id);
      sessions.set(session.id, session);
    },
    formTokenOf: (req) => generateToken(req),
    isOwnForm: (req) => sessionOf(req) !== undefined && isRequestValid(req),
  };
}

/** Keeps a visitor's pages out of caches, and their addresses out of other sites' logs. */
export const keepPrivate: RequestHandler = (_req, res, next) => {
  res.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
  next();
};

function sizeOf({ runs }: PlaygroundSession): number {
  let size = 500;
  for (const { exchanges } of runs.values()) size += JSON.stringify(exchanges).length;
  return size;
}
