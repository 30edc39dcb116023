import type { Request } from 'express';

import { hashSecret } from '../../shared/crypto/secrets.js';
import { isCookieSession } from './cookie-session.js';

/** The GET that something is kept for, by any name, and the user who makes it: a session may outlive a login. */
export interface FlashKey {
  readonly name: string;
  /** Empty for a page that users see before anybody is known. */
  readonly userId: string;
}

export interface SessionFlashOptions {
  /** Its name in the session. */
  readonly member: 'oauthDecisions' | 'oauthRefusedForms' | 'oauthNotes';
  /** More than anybody has open at the same time; the oldest is dropped first. */
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
  /** Milliseconds since 1970: a session store keeps JSON. */
  readonly expiresAt: number;
}

/** Milliseconds that may pass between the answer to a form and the request that a browser sends at once. */
const LIFE = 60_000;
/** Base64 makes it longer by a third, and the site's own values are there, too: browsers drop a cookie above 4 KB. */
const COOKIE_BYTES = 1536;

/**
 * Keeps something in the session between a form and the GET after it: for this user and this GET, once. If that GET
 * comes twice at the same moment, a session store may give it to both.
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
     * @returns false if the value is too large for a session: then nothing is kept
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
    /** Gives it and leaves it in the session. */
    peek(req: Request, key: FlashKey, now: Date): Value | undefined {
      const entry = find(req, key, now);
      return entry?.userId === key.userId ? entry.value : undefined;
    },
    /** Gives it and removes it from the session. */
    take(req: Request, key: FlashKey, now: Date): Value | undefined {
      const entry = find(req, key, now);
      // expired entries are removed as well: nobody comes for them any more
      const left = liveIn(req, now).filter((other) => other !== entry);
      if (left.length < storedIn(req).length) store(req, left);
      // another user's is dropped
      return entry?.userId === key.userId ? entry.value : undefined;
    },
  };
}

/** Absent if the site knows its users without a session: then no page of ours has asked them. */
function sessionOf(req: Request): Partial<Record<SessionFlashOptions['member'], unknown>> | undefined {
  const { session } = req as { readonly session?: Partial<Record<SessionFlashOptions['member'], unknown>> };
  return session;
}
