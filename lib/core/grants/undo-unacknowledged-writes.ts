import { setTimeout as delay } from 'node:timers/promises';

import { OAuthError } from '../../shared/errors.js';
import { withTimeout } from '../../shared/limits/deadline.js';
import { createWorkQueue } from '../../shared/limits/work-queue.js';
import type { Grant, TokenWrite } from './grant.js';
import type { GrantBefore, GrantStore } from './grant-store.js';

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

/** Undoes a step whose outcome is unknown, if it was done; says whether it was. */
type UndoStep = () => Promise<boolean>;

/** A step that gives a grant these tokens, and how it is undone. */
interface TrackedWrite {
  readonly grant: GrantBefore;
  readonly tokens: TokenWrite;
  readonly undoStep: UndoStep;
}

export interface TrackedGrants<Store extends GrantStore> {
  readonly grants: Store;
  /** Stops the work in the background. */
  readonly close: () => void;
}

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
 * Another process cannot answer the second try from the sealed response (tokens/resends.ts) in place of that: without
 * `tokens.reuseGrace` it cannot tell a lost answer from a code that a thief presents again, and RFC 6749 §4.1.2 decides
 * for the latter. A note that tells the two apart needs the same database as the undoing, and would be a second write
 * for each token.
 */
export function undoUnacknowledgedWrites<Store extends GrantStore>(grants: Store): TrackedGrants<Store> {
  const open = new Map<string, UndoStep>();
  const queue = createWorkQueue({ name: 'steps to settle', atOnce: AT_ONCE, waiting: MAX_STEPS });
  let isClosed = false;

  const watch = async (grantId: string, undoStep: UndoStep): Promise<void> => {
    const end = Date.now() + MAX_PATIENCE;
    const isOver = (): boolean => isClosed || open.get(grantId) !== undoStep || Date.now() > end;
    await undo(() => queue.run(undoStep), isOver);
    if (open.get(grantId) === undoStep) open.delete(grantId);
  };

  const track = async (
    step: () => Promise<boolean>,
    { grant, tokens, undoStep }: TrackedWrite,
  ): Promise<boolean> => {
    try {
      return await step();
    } catch (error) {
      if (!isUnanswered(error) || isClosed) throw error;
      const repeat = async () => (await step()) || grants.confirmTokens(grant, tokens);
      try {
        return await withTimeout(REPEAT_TIME, repeat, () => error);
      } catch {
        if (open.size < MAX_STEPS) {
          open.set(grant.grantId, undoStep);
          void watch(grant.grantId, undoStep);
        }
        throw error;
      }
    }
  };
  const undoPending = async (grantId: string): Promise<void> => {
    const isUndone = await open.get(grantId)?.();
    if (isUndone === true) open.delete(grantId);
  };

  return {
    grants: {
      ...grants,
      async find(grantId) {
        await undoPending(grantId);
        return grants.find(grantId);
      },
      async findOfCode(grantId) {
        await undoPending(grantId);
        return grants.findOfCode(grantId);
      },
      async pollDeviceCode(device, now) {
        await undoPending(device.grantId);
        return grants.pollDeviceCode(device, now);
      },
      redeemCode: (grant, codeHash, tokens) =>
        track(() => grants.redeemCode(grant, codeHash, tokens), {
          grant,
          tokens,
          undoStep: () => grants.undoFirstTokens(grant, tokens),
        }),
      redeemDeviceCode: (grant, codeHash, tokens) =>
        track(() => grants.redeemDeviceCode(grant, codeHash, tokens), {
          grant,
          tokens,
          undoStep: () => grants.undoFirstTokens(grant, tokens),
        }),
      storeRefresh: (grant, refreshToken, tokens) =>
        track(() => grants.storeRefresh(grant, refreshToken, tokens), {
          grant,
          tokens,
          undoStep: () => grants.undoRotation(grant, tokens),
        }),
    },
    close() {
      isClosed = true;
      open.clear();
    },
  };
}

/** Tries until the step is undone, or was looked for often enough; the pauses grow while the database is away. */
async function undo(undoStep: UndoStep, isOver: () => boolean): Promise<void> {
  const later = [...LATER];
  let unknownPause = FIRST_PAUSE;
  for (let pause: number | undefined = FIRST_PAUSE; pause !== undefined;) {
    // this must not keep alive a process that has nothing else to do
    await delay(pause, undefined, { ref: false });
    if (isOver()) return;
    const isUndone = await undoStep().catch(() => undefined);
    if (isUndone === true) return;
    if (isUndone === false) pause = later.shift();
    else pause = unknownPause = Math.min(2 * unknownPause, MAX_PAUSE);
  }
}

/** Whether the database did not answer. The error of a full queue has no cause, and its command was never sent. */
function isUnanswered(error: unknown): error is OAuthError {
  return (
    error instanceof OAuthError && error.error === 'temporarily_unavailable' && error.cause !== undefined
  );
}

/**
 * The grant as it is now, if it was used up when it was read but that step was undone since, as another process does if
 * it did not learn the outcome of the step (undo-unacknowledged-writes.ts). The request begins again with it.
 */
export async function reloadIfUndone(
  grants: Pick<GrantStore, 'find'>,
  read: Grant,
  isUsedUp: (grant: Grant) => boolean,
): Promise<Grant | undefined> {
  if (!isUsedUp(read)) return undefined;
  const grant = await grants.find(read.grantId);
  return grant === null || isUsedUp(grant) ? undefined : grant;
}
