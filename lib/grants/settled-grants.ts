import { setTimeout as delay } from 'node:timers/promises';

import { OAuthError } from '../errors.js';
import { createWorkQueue } from '../limits/work-queue.js';
import type { GrantStore } from './grant-store.js';

/** How many steps can wait to be settled; further ones end as they would without this. */
const MOST_STEPS = 1000;
/** How many are settled at once: a database that comes back has others to serve. */
const AT_ONCE = 4;
/** Milliseconds between two tries while the database does not answer. */
const PAUSE = 500;
/** Milliseconds until further tries: a command sent before a connection broke may be carried out a little later. */
const LATER = [2000, 10_000] as const;
/** Milliseconds after which a database that does not answer is no longer asked. */
const MOST_PATIENCE = 10 * 60_000;

/** Undoes a step whose outcome is unknown, if it was done; says whether it was. */
type TakeBack = () => Promise<boolean>;

export interface SettledGrants<Store extends GrantStore> {
  readonly grants: Store;
  /** Stops the work in the background. */
  readonly close: () => void;
}

/**
 * A store whose steps are either done or not done, as far as clients can tell. If the database does not answer a step
 * that uses up a code or a refresh token, the client gets a 503 and is to try again. If the step was done all the same,
 * it is undone as soon as the database answers, because nobody was given its tokens; otherwise the second try would
 * look like a replay and end the grant. In this process it is undone before the second try; for tries at other
 * processes, within half a second after the database is back.
 */
export function settleGrants<Store extends GrantStore>(grants: Store): SettledGrants<Store> {
  const open = new Map<string, TakeBack>();
  const inTurn = createWorkQueue({ name: 'steps to settle', atOnce: AT_ONCE, waiting: MOST_STEPS });
  let isClosed = false;

  const watch = async (grantId: string, takeBack: TakeBack): Promise<void> => {
    const end = Date.now() + MOST_PATIENCE;
    const later = [...LATER];
    for (let pause: number | undefined = PAUSE; pause !== undefined;) {
      // this must not keep alive a process that has nothing else to do
      await delay(pause, undefined, { ref: false });
      if (isClosed || open.get(grantId) !== takeBack || Date.now() > end) break;
      const outcome = await inTurn.run(takeBack).then(
        (isTakenBack) => (isTakenBack ? 'taken back' : 'not done'),
        () => 'unknown' as const,
      );
      if (outcome === 'taken back') break;
      pause = outcome === 'unknown' ? PAUSE : later.shift();
    }
    if (open.get(grantId) === takeBack) open.delete(grantId);
  };

  const settling = async <T>(grantId: string, step: Promise<T>, takeBack: TakeBack): Promise<T> => {
    try {
      return await step;
    } catch (error) {
      if (isUnanswered(error) && open.size < MOST_STEPS && !isClosed) {
        open.set(grantId, takeBack);
        void watch(grantId, takeBack);
      }
      throw error;
    }
  };
  const settled = async (grantId: string): Promise<void> => {
    const isTakenBack = await open.get(grantId)?.();
    if (isTakenBack === true) open.delete(grantId);
  };

  return {
    grants: {
      ...grants,
      async find(grantId) {
        await settled(grantId);
        return grants.find(grantId);
      },
      async findOfCode(grantId) {
        await settled(grantId);
        return grants.findOfCode(grantId);
      },
      async pollDeviceCode(device, now) {
        await settled(device.grantId);
        return grants.pollDeviceCode(device, now);
      },
      redeemCode: (grant, codeHash, tokens) =>
        settling(grant.grantId, grants.redeemCode(grant, codeHash, tokens), () =>
          grants.takeBackFirstTokens(grant, tokens),
        ),
      redeemDeviceCode: (grant, codeHash, tokens) =>
        settling(grant.grantId, grants.redeemDeviceCode(grant, codeHash, tokens), () =>
          grants.takeBackFirstTokens(grant, tokens),
        ),
      rotateRefreshToken: (grant, refreshToken, tokens) =>
        settling(grant.grantId, grants.rotateRefreshToken(grant, refreshToken, tokens), () =>
          grants.takeBackRotation(grant, tokens),
        ),
    },
    close() {
      isClosed = true;
      open.clear();
    },
  };
}

/** Whether the database did not answer. The error of a full queue has no cause, and its command was never sent. */
function isUnanswered(error: unknown): boolean {
  return (
    error instanceof OAuthError && error.error === 'temporarily_unavailable' && error.cause !== undefined
  );
}
