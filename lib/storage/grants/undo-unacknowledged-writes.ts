import { setTimeout as delay } from 'node:timers/promises';

import type { TokenWrite } from '../../core/grants/grant.js';
import type { GrantBefore } from '../../core/grants/grant-store.js';
import { OAuthError } from '../../shared/errors.js';
import { withTimeout } from '../../shared/limits/deadline.js';
import { createWorkQueue } from '../../shared/limits/work-queue.js';
import type { Grants } from './grant-collection.js';

/** How many steps can wait to be settled; further ones end as they would without this. */
const MAX_STEPS = 1000;
/** How many are settled at once: a database that comes back has others to serve. */
const AT_ONCE = 4;
/** Milliseconds in which a request that got no answer asks again what became of its step, before its 503. */
const REPEAT_TIME = 2000;
/** Milliseconds until the first try to undo a step. */
const FIRST_PAUSE = 50;
/** Milliseconds between two tries while the database does not answer; each pause is twice as long as the one before. */
const MAX_PAUSE = 500;
/** Milliseconds until further tries: a command sent before a connection broke may be carried out a little later. */
const LATER = [2000, 10_000] as const;
/** Milliseconds after which a database that does not answer is no longer asked. */
const MAX_PATIENCE = 10 * 60_000;

/**
 * A store whose steps are either done or not done, as far as clients can tell. If the database does not answer a step
 * that uses up a code or a refresh token, the step is repeated at once. Repeating the step does no harm: the step is
 * conditional, and its own tokens tell whether it was done before. So a lost answer is found again, and the client gets
 * its tokens with the first request.
 *
 * Only if the database does not answer that either, the client gets a 503 and is to try again. If the step was done all
 * the same, it is undone as soon as the database answers, because nobody was given its tokens; otherwise the second try
 * would look like a replay and end the grant. A second try in this process first undoes the step. For tries in other
 * processes the step is undone in the background.
 *
 * Another process cannot answer the second try from the sealed response (`core/grants/tokens/lost-responses.ts`) in
 * place of that: without `tokens.reuseGrace` it cannot tell a lost answer from a code that a thief presents again, and
 * RFC 6749 §4.1.2 decides for the latter. A note that tells the two apart needs the same database as the undoing, and
 * would be a second write for each token.
 */
export function undoUnacknowledgedWrites(grants: Grants) {
  /** Undoes the open step of a grant, if it was done; says whether it was. */
  const open = new Map<string, () => Promise<boolean>>();
  const queue = createWorkQueue({ name: 'steps to settle', atOnce: AT_ONCE, waiting: MAX_STEPS });
  let isClosed = false;

  /** Tries until the step is undone, or was looked for often enough; the pauses grow while the database is away. */
  const undoLater = async (grant: GrantBefore, tokens: TokenWrite): Promise<void> => {
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
      // this must not keep alive a process that has nothing else to do
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
    grant: GrantBefore,
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
    /** Stops the work in the background. */
    close() {
      isClosed = true;
      open.clear();
    },
  };
}
