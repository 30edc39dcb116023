import type { OnError } from '../../settings/options/on-error.js';
import { createCache } from '../../shared/lru-cache.js';
import { createStoredLater } from '../observability/stored-later.js';
import type { GuardedGrant } from './grant.js';
import type { GrantStore } from './grant-store.js';

/** Notes the day on which each token of a user's own programs was last used, and from which address. */
export interface NamedTokenUses {
  /** Costs nothing at that moment, whatever becomes of it. */
  note(grant: Pick<GuardedGrant, 'grantId' | 'namedToken'>, use: TokenUse): void;
  /** Whether something waits to be stored of one of these tokens. */
  isWaiting(grantIds: readonly string[]): boolean;
  /** Stores what waits of these tokens, before they are listed; resolves in any case. */
  flush(grantIds: readonly string[]): Promise<void>;
  /** Stores what waits, and ends; resolves in any case. */
  close(): Promise<void>;
}

export interface TokenUse {
  readonly now: Date;
  readonly address?: string | undefined;
}

export interface NamedTokenUsesOptions {
  readonly grants: Pick<GrantStore, 'noteNamedTokenUse'>;
  readonly onError?: OnError | undefined;
  /** Milliseconds that a use waits to be stored. Default: five minutes. */
  readonly interval?: number;
}

interface WaitingUse {
  readonly grantId: string;
  readonly day: Date;
  readonly address: string | undefined;
}

/** Tokens whose day is known to be stored, and those that wait: more are noted at their next use. */
const MAX_KNOWN = 10_000;
const MAX_WAITING = 1000;
const DAY = 86_400_000;

/**
 * Stores the days beside the requests, as those of client secrets are: one command for each token, day and process. No
 * call waits for one, and none fails by it.
 */
export function createNamedTokenUses({
  grants,
  onError,
  interval = 300_000,
}: NamedTokenUsesOptions): NamedTokenUses {
  const known = createCache<Date>({ size: MAX_KNOWN });
  const later = createStoredLater<WaitingUse>({
    interval,
    store: ({ grantId, ...use }) => grants.noteNamedTokenUse(grantId, use),
    onLost: ({ grantId }) => void known.delete(grantId),
    onError,
    failure: { endpoint: 'guard', detail: 'the day on which a token was last used could not be stored' },
  });

  return {
    note({ grantId, namedToken }, { now, address }) {
      const day = new Date(Math.floor(now.getTime() / DAY) * DAY);
      const waiting = later.waiting.get(grantId);
      const stored = known.get(grantId) ?? namedToken?.lastUsedOn;
      const isNews =
        waiting === undefined
          ? stored === undefined || stored < day
          : address !== undefined && waiting.address !== address;
      if (!isNews || (waiting === undefined && later.waiting.size >= MAX_WAITING)) return;
      known.set(grantId, day);
      later.set(grantId, { grantId, day, address });
    },
    isWaiting: (grantIds) => grantIds.some((grantId) => later.waiting.has(grantId)),
    flush: (grantIds) => later.flush(({ grantId }) => grantIds.includes(grantId)),
    close: later.close,
  };
}
