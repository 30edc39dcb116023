import type { Model } from 'mongoose';

import type { GuardedGrant } from '../../core/grants/grant.js';
import { findAccessToken } from '../../core/grants/stored-access-token.js';
import { serverOptionError } from '../../settings/table/parse-options.js';
import type { PresentedToken } from '../../shared/crypto/secrets.js';
import { waitAtMax } from '../../shared/limits/deadline.js';
import { createCache } from '../../shared/lru-cache.js';
import { createGrantChanges, UnfitDeployment } from './change-stream.js';
import type { Grants } from './grant-collection.js';

/** Grants that a process remembers: with their tokens some 30 MB. */
const SIZE = 10_000;
/** Seconds after which a grant is read again in any case, also if the stream has missed a change unnoticed. */
const LIFE = 300;

/** Operations that change nothing the guard reads. */
const READING: ReadonlySet<string> = new Set<keyof Grants>([
  'find',
  'findOfCode',
  'findForGuard',
  'usageOf',
  'findExchangers',
  'findActors',
  'listLive',
  'listConnected',
  'listClients',
  'findConnectedClients',
  'listNamedTokens',
  'countNamedTokens',
  'findNamedToken',
  'findNamedTokens',
  'listInvitedTokens',
  'leaseExpiring',
  'endReminder',
  'noteNamedTokenUse',
]);
/**
 * Operations whose first argument is the id of the grant that they change. If it is an object, it has the id as
 * `grantId`; any other operation may change any grant.
 */
const BY_ID: ReadonlySet<string> = new Set<keyof Grants>([
  'revokeReplayedCode',
  'decideDeviceCode',
  'markResent',
  'endResend',
  'revokeReusedRefreshToken',
  'blockNamedToken',
  'explainBlock',
  'unblockNamedToken',
  'revokeNamedToken',
]);

/** Told of each change of a grant that is heard of; without an id it may be any. */
type OnChange = (grantId?: string) => void;

/**
 * Remembers the grants that the guard has read. It forgets at once those that this process changes, and those that
 * others change as soon as the change stream tells of it. While the stream is silent, it reads the grant every time.
 */
export function createGuardCache<T>(
  grants: Grants,
  model: Model<T>,
  {
    isOn,
    timeout,
    onFailure,
  }: {
    /** Otherwise nothing is remembered. */
    readonly isOn: boolean;
    /** Milliseconds that a command may take. */
    readonly timeout: number;
    /** Told why grants have to be read each time; not told at each try. */
    readonly onFailure: ((error: unknown) => void) | undefined;
  },
) {
  const listeners: OnChange[] = [];
  const onChange = (listener: OnChange): void => void listeners.push(listener);
  const done = () => Promise.resolve();
  if (!isOn) return { grants, onChange, isListening: () => false, ready: done, close: done };

  const cache = createCache<GuardedGrant>({ size: SIZE, ttl: LIFE });
  /** Grants that are being read; one that is forgotten meanwhile may have been read before it changed. */
  const reading = new Map<string, object>();
  const forget = (grantId?: string): void => {
    if (grantId === undefined) {
      cache.clear();
      reading.clear();
    } else {
      cache.delete(grantId);
      reading.delete(grantId);
    }
    for (const listener of listeners) listener(grantId);
  };
  const changes = createGrantChanges(model, {
    changed: forget,
    missed: () => forget(),
    failed: (error) => onFailure?.(explain(error)),
  });

  const findForGuard = async (presented: PresentedToken): Promise<GuardedGrant | null> => {
    // asked before the read, because later changes will be reported
    if (!changes.isCurrent()) return grants.findForGuard(presented);
    const { grantId: id } = presented;
    const cached = cache.get(id);
    // A cached grant can only let a token in. A token that it would refuse is read again: another process may have
    // added it a moment ago, or unblocked the client
    const isGood =
      cached !== undefined &&
      cached.revokedAt === undefined &&
      cached.blockedAt === undefined &&
      findAccessToken(cached, presented.hash) !== undefined;
    if (isGood) return cached;
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

  const changing = Object.entries(grants)
    .filter(([name]) => !READING.has(name))
    .map(([name, operation]) => [
      name,
      async (...given: unknown[]): Promise<unknown> => {
        try {
          return await (operation as (...given: unknown[]) => unknown)(...given);
        } finally {
          // also if it failed: a command that was not answered in time may still be carried out
          const [first] = given as [string | { readonly grantId?: string }];
          forget(typeof first === 'object' ? first.grantId : BY_ID.has(name) ? first : undefined);
        }
      },
    ]);

  return {
    grants: { ...grants, ...(Object.fromEntries(changing) as Partial<Grants>), findForGuard },
    onChange,
    /** Whether changes are heard now. */
    isListening: changes.isListening,
    /** Resolves when changes are heard. @throws TypeError if this MongoDB cannot tell of them */
    ready: () =>
      changes.ready().catch((error: unknown) => {
        throw explain(error);
      }),
    // if the database hangs, the stream waits for half a minute
    close: () => waitAtMax(timeout, changes.close()),
  };
}

function explain(error: unknown): unknown {
  if (!(error instanceof UnfitDeployment)) return error;
  return serverOptionError(
    'guard.cache',
    `${error.message}, so that nothing may be remembered; ${error.remedy}, or leave the option out`,
  );
}
