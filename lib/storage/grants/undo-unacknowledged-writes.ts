import { setTimeout as delay } from 'node:timers/promises';

import type { TokenWrite } from '../../core/grants/grant.js';
import type { PreviousGrant } from '../../core/grants/grant-store.js';
import { OAuthError } from '../../shared/errors.js';
import { withTimeout } from '../../shared/limits/deadline.js';
import { createWorkQueue } from '../../shared/limits/work-queue.js';
import type { Grants } from './grant-collection.js';

/** Maximum number of unacknowledged writes; further ones are not undone. */
const MAX_STEPS = 1000;
/** How many are undone at once: a recovering database has other requests to serve. */
const AT_ONCE = 4;
/** Milliseconds in which a write without a response is repeated, before the 503. */
const REPEAT_TIME = 2000;
/** Milliseconds until the first attempt to undo a write. */
const FIRST_PAUSE = 50;
/** Maximum pause in milliseconds while the database does not respond; pauses double. */
const MAX_PAUSE = 500;
/** Milliseconds until further attempts: a command from a broken connection may be executed a little later. */
const LATER = [2000, 10_000] as const;
/** Milliseconds after which the attempts end if the database does not respond. */
const MAX_PATIENCE = 10 * 60_000;

/**
 * A store whose writes are either made or not made, as far as clients can tell. If the database does not respond to a
 * write that uses up a code or a refresh token, the write is repeated at once. The repetition does no harm: the write
 * is conditional, and its own tokens tell whether it was made before. So the client gets its tokens with the first
 * request even if the first response was lost.
 *
 * Only if the database does not respond to the repetition either, the client gets a 503 and has to try again. A write
 * that was made all the same is undone as soon as the database responds, because nobody got its tokens; otherwise the
 * client's next request would look like a replay and end the grant. A next request in this process first undoes the
 * write. For requests in other processes the write is undone in the background.
 *
 * Another process cannot use the sealed response (`core/grants/tokens/lost-responses.ts`) instead: without
 * `tokens.reuseGrace` it cannot distinguish a lost response from a replay by a thief, and RFC 6749 §4.1.2 decides for
 * the replay. A record that distinguishes them would need the same database, and would be a second write for each
 * token.
 */
export function undoUnacknowledgedWrites(grants: Grants) {
  /** Undoes the open write of a grant, if it was made; resolves to whether it was. */
  const open = new Map<string, () => Promise<boolean>>();
  const queue = createWorkQueue({ name: 'steps to settle', atOnce: AT_ONCE, waiting: MAX_STEPS });
  let isClosed = false;

  /** Tries until the write is undone, or was looked for often enough; the pauses grow while the database is away. */
  const undoLater = async (grant: PreviousGrant, tokens: TokenWrite): Promise<void> => {
    const { grantId } = grant;
    const forget = () => open.get(grantId) === tryNow && open.delete(grantId);
    const tryNow = async () => {
      const isUndone = await grants.undoTokens(grant, tokens);
      if (isUndone) forget();
      return isUndone;
    };
    open.set(grantId, tryNow);
    const end = Date.now() + MAX_PATIENCE;
    const later = [...LATER];
    let unknownPause = FIRST_PAUSE;
    for (let pause: number | undefined = FIRST_PAUSE; pause !== undefined;) {
      // the timer does not keep the process alive
      await delay(pause, undefined, { ref: false });
      if (isClosed || open.get(grantId) !== tryNow || Date.now() > end) break;
      const isUndone = await queue.run(tryNow).catch(() => undefined);
      if (isUndone === true) break;
      if (isUndone === false) pause = later.shift();
      else pause = unknownPause = Math.min(2 * unknownPause, MAX_PAUSE);
    }
    forget();
  };

  const track = async (
    grant: PreviousGrant,
    tokens: TokenWrite,
    step: () => Promise<boolean>,
  ): Promise<boolean> => {
    try {
      return await step();
    } catch (error) {
      // the error of a full queue has no cause, and its command was never sent
      const isUnanswered =
        error instanceof OAuthError && error.error === 'temporarily_unavailable' && error.cause !== undefined;
      if (!isUnanswered || isClosed) throw error;
      const repeat = async () => (await step()) || grants.confirmTokens(grant, tokens);
      try {
        return await withTimeout(REPEAT_TIME, repeat, () => error);
      } catch {
        if (open.size < MAX_STEPS) void undoLater(grant, tokens);
        throw error;
      }
    }
  };

  return {
    grants: {
      ...grants,
      async find(grantId) {
        await open.get(grantId)?.();
        return grants.find(grantId);
      },
      async findOfCode(grantId) {
        await open.get(grantId)?.();
        return grants.findOfCode(grantId);
      },
      async pollDeviceCode(device, now) {
        await open.get(device.grantId)?.();
        return grants.pollDeviceCode(device, now);
      },
      redeemCode: (grant, code, tokens) => track(grant, tokens, () => grants.redeemCode(grant, code, tokens)),
      storeRefresh: (grant, refreshToken, tokens) =>
        track(grant, tokens, () => grants.storeRefresh(grant, refreshToken, tokens)),
    } satisfies Grants,
    /** Stops the background work. */
    close() {
      isClosed = true;
      open.clear();
    },
  };
}
