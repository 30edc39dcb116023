import type { Request } from 'express';

import { hashSecret } from '../../shared/crypto/secrets.js';
import { isCookieSession } from './cookie-session.js';

/** The GET for which a value is stored, under any name, and the user who sends it: a session may outlive a login. */
export interface FlashKey {
  readonly name: string;
  /** Empty for a page that users see before they log in. */
  readonly userId: string;
}

export interface SessionFlashOptions {
  /** The member of the session with the values. */
  readonly member: 'oauthDecisions' | 'oauthRefusedForms' | 'oauthNotes';
  /** More values than anybody needs at the same time; the oldest is dropped first. */
  readonly max: number;
  /**
   * The size limit of one value, as JSON. In a session of cookie-session there is then one value, and a limit that its
   * cookie has room for. Default: none.
   */
  readonly maxBytes?: number;
}

interface FlashEntry<Value> {
  readonly name: string;
  readonly userId: string;
  readonly value: Value;
  /** Milliseconds since 1970: a session store writes JSON. */
  readonly expiresAt: number;
}

/** Milliseconds between the response to a form and the request that a browser then sends at once. */
const LIFE = 60_000;
/** Base64 makes the value a third longer, and the site's values are in the cookie, too: browsers drop 4 KB and more. */
const COOKIE_BYTES = 1536;

/**
 * Stores a value in the session between a form and the GET after it: for this user and this GET, once. If that GET
 * comes twice at the same moment, a session store may return the value to both.
 */
export function createSessionFlash<Value>({ member, max, maxBytes = Infinity }: SessionFlashOptions) {
  const storedIn = (req: Request): readonly FlashEntry<Value>[] => {
    const stored = sessionOf(req)?.[member];
    return Array.isArray(stored) ? (stored as readonly FlashEntry<Value>[]) : [];
  };
  const liveIn = (req: Request, now: Date) =>
    storedIn(req).filter((entry: FlashEntry<Value> | null) => (entry?.expiresAt ?? 0) > now.getTime());
  const store = (req: Request, all: readonly FlashEntry<Value>[]): void => {
    const session = sessionOf(req);
    if (session !== undefined && all.length > 0) session[member] = all;
    else delete session?.[member];
  };
  const find = (req: Request, { name }: FlashKey, now: Date): FlashEntry<Value> | undefined => {
    const live = liveIn(req, now);
    if (live.length === 0) return undefined;
    const hash = hashSecret(name);
    return live.find((entry) => entry.name === hash);
  };
  return {
    /**
     * @param entry `life`: milliseconds, by default a minute
     * @returns false if the value is too large for a session: then nothing is stored
     */
    keep(
      req: Request,
      { name, userId }: FlashKey,
      { value, now, life = LIFE }: { readonly value: Value; readonly now: Date; readonly life?: number },
    ): boolean {
      const isInCookie = maxBytes < Infinity && isCookieSession(sessionOf(req));
      const limit = isInCookie ? Math.min(maxBytes, COOKIE_BYTES) : maxBytes;
      if (Buffer.byteLength(JSON.stringify(value)) > limit) return false;
      const entry = { name: hashSecret(name), userId, value, expiresAt: now.getTime() + life };
      const others = liveIn(req, now).filter((other) => other.name !== entry.name);
      store(req, [...others, entry].slice(isInCookie ? -1 : -max));
      return true;
    },
    hasAny: (req: Request) => storedIn(req).length > 0,
    /** Returns the value and leaves it in the session. */
    peek(req: Request, key: FlashKey, now: Date): Value | undefined {
      const entry = find(req, key, now);
      return entry?.userId === key.userId ? entry.value : undefined;
    },
    /** Returns the value and removes it from the session. */
    take(req: Request, key: FlashKey, now: Date): Value | undefined {
      const entry = find(req, key, now);
      // expired entries are removed as well
      const left = liveIn(req, now).filter((other) => other !== entry);
      if (left.length < storedIn(req).length) store(req, left);
      // the value of another user is dropped
      return entry?.userId === key.userId ? entry.value : undefined;
    },
  };
}

/** Absent if the site identifies its users without a session. */
function sessionOf(req: Request): Partial<Record<SessionFlashOptions['member'], unknown>> | undefined {
  const { session } = req as { readonly session?: Partial<Record<SessionFlashOptions['member'], unknown>> };
  return session;
}
