import { OAuthError } from '../errors.js';

export interface WaitingRoomOptions {
  /** How many may wait. */
  readonly size: number;
  /** How many of them for the same thing. */
  readonly perKey: number;
}

/**
 * Waits for an answer of somebody else, unless too many do: what waiting requests hold in memory is bounded, however slow
 * the other side is and however many come meanwhile.
 *
 * @throws OAuthError temporarily_unavailable
 */
export type WaitingRoom = <T>(key: string, ask: () => Promise<T>) => Promise<T>;

export function createWaitingRoom({ size, perKey }: WaitingRoomOptions): WaitingRoom {
  const waiting = new Map<string, number>();
  let all = 0;

  return async (key, ask) => {
    const same = waiting.get(key) ?? 0;
    if (all >= size || same >= perKey) throw full(all, same);
    all += 1;
    waiting.set(key, same + 1);
    try {
      return await ask();
    } finally {
      all -= 1;
      const left = waiting.get(key)! - 1;
      if (left === 0) waiting.delete(key);
      else waiting.set(key, left);
    }
  };
}

function full(all: number, same: number): OAuthError {
  return new OAuthError(
    'temporarily_unavailable',
    'too many requests wait for the same answer, please try again',
    { headers: { 'Retry-After': '5' }, detail: `${all} wait for others, ${same} of them for the same` },
  );
}
