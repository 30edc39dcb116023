import type { PresentedToken } from '../../shared/crypto/secrets.js';
import { createCache } from '../../shared/lru-cache.js';
import type { GuardedGrant } from './grant.js';
import type { GrantStore } from './grant-store.js';
import { findAccessToken } from './stored-access-token.js';

export interface GrantCacheOptions {
  readonly size: number;
  /** Seconds after which a grant is read again in any case. */
  readonly life: number;
  /** Whether all changes by other processes are known, except those of the last moment. */
  readonly isCurrent: () => boolean;
  /** Told of each change, after what was remembered is forgotten; without an id it may be any grant. Default: nobody. */
  readonly onChange?: (grantId?: string) => void;
}

type Reading =
  | 'find'
  | 'findOfCode'
  | 'findForGuard'
  | 'countLive'
  | 'usageOf'
  | 'findExchangers'
  | 'findActors'
  | 'listConnected'
  | 'listClients'
  | 'findConnectedClients'
  | 'listNamedTokens'
  | 'countNamedTokens'
  | 'findNamedToken'
  | 'findNamedTokens'
  | 'listInvitedTokens'
  // what these change, the guard does not read
  | 'leaseExpiring'
  | 'endReminder'
  | 'noteNamedTokenUse';
type Changing = Exclude<keyof GrantStore, Reading>;
/** Which grant an operation changes; undefined: it may be any. */
type Changed = {
  readonly [Name in Changing]: (...given: Parameters<GrantStore[Name]>) => string | undefined;
};

const ofGrant = ({ grantId }: { readonly grantId: string }) => grantId;
const ofId = (id: string) => id;
const ofAny = () => undefined;

/** Every operation that changes a grant is here: the compiler complains if a new one is missing. */
const CHANGED: Changed = {
  insert: ofGrant,
  remove: ofId,
  insertAll: ofAny,
  redeemCode: ofGrant,
  revokeReplayedCode: ofId,
  revokeAccessToken: ofGrant,
  useDetails: ofGrant,
  revokeAll: ofAny,
  revokeScopes: ofAny,
  changeChoices: ofAny,
  endSignIn: ofAny,
  blockAll: ofAny,
  unblockAll: ofAny,
  pollDeviceCode: ofGrant,
  decideDeviceCode: ofId,
  exchangeToken: ofGrant,
  storeRefresh: ofGrant,
  markResent: ofId,
  endResend: ofId,
  revokeReusedRefreshToken: ofId,
  revokeByRefreshToken: ofGrant,
  confirmTokens: ofGrant,
  undoFirstTokens: ofGrant,
  undoRotation: ofGrant,
  insertNamedToken: ofGrant,
  rotateNamedToken: ofGrant,
  narrowNamedToken: ofGrant,
  setNamedTokenOwners: ofGrant,
  leaveNamedTokens: ofAny,
  blockNamedToken: ofId,
  explainBlock: ofId,
  unblockNamedToken: ofId,
  revokeNamedToken: ofId,
  revokeLeakedToken: ofGrant,
};

/**
 * Remembers the grants that the guard has read. It forgets at once those that this process changes, and those that
 * others change as soon as it is told. While it cannot know of such changes, it reads the grant every time.
 */
export function withGrantCache(
  grants: GrantStore,
  { size, life, isCurrent, onChange = () => undefined }: GrantCacheOptions,
): {
  readonly grants: GrantStore;
  readonly forget: (grantId: string) => void;
  readonly forgetAll: () => void;
} {
  const cache = createCache<GuardedGrant>({ size, ttl: life });
  /** Grants that are being read; one that is forgotten meanwhile may have been read before it changed. */
  const reading = new Map<string, object>();

  const forget = (grantId: string): void => {
    cache.delete(grantId);
    reading.delete(grantId);
    onChange(grantId);
  };
  const forgetAll = (): void => {
    cache.clear();
    reading.clear();
    onChange();
  };

  const read = async (presented: PresentedToken): Promise<GuardedGrant | null> => {
    // asked before the read, because later changes will be reported
    if (!isCurrent()) return grants.findForGuard(presented);
    const { grantId: id } = presented;
    const own = {};
    reading.set(id, own);
    try {
      const found = await grants.findForGuard(presented);
      // a grant that does not exist may exist the next moment
      if (found !== null && reading.get(id) === own) cache.set(id, found);
      return found;
    } finally {
      if (reading.get(id) === own) reading.delete(id);
    }
  };

  const forgetting = <Name extends Changing>(name: Name) => {
    const operation = grants[name] as (...given: unknown[]) => Promise<unknown>;
    const changed = CHANGED[name] as (...given: unknown[]) => string | undefined;
    return async (...given: unknown[]): Promise<unknown> => {
      try {
        return await operation(...given);
      } finally {
        // also if it failed: a command that was not answered in time may still be carried out
        const id = changed(...given);
        if (id === undefined) forgetAll();
        else forget(id);
      }
    };
  };
  const names = Object.keys(CHANGED) as Changing[];
  const changing = Object.fromEntries(names.map((name) => [name, forgetting(name)]));

  return {
    grants: {
      ...grants,
      ...(changing as Pick<GrantStore, Changing>),
      async findForGuard(presented) {
        const known = isCurrent() ? cache.get(presented.grantId) : undefined;
        // A cached grant can only let a token in. A token that it would refuse is read again: another process may have
        // added it a moment ago, or unblocked the client
        const isGood =
          known !== undefined &&
          known.revokedAt === undefined &&
          known.blockedAt === undefined &&
          findAccessToken(known, presented.hash) !== undefined;
        return isGood ? known : read(presented);
      },
    },
    forget,
    forgetAll,
  };
}
