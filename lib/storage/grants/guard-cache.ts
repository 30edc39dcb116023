import type { Model } from 'mongoose';

import type { GuardedGrant } from '../../core/grants/grant.js';
import { findAccessToken } from '../../core/grants/stored-access-token.js';
import { serverOptionError } from '../../settings/table/parse-options.js';
import type { PresentedToken } from '../../shared/crypto/secrets.js';
import { waitAtMax } from '../../shared/limits/deadline.js';
import { createCache } from '../../shared/lru-cache.js';
import { createGrantChanges, UnfitDeployment } from './change-stream.js';
import type { Grants } from './grant-collection.js';

/** Maximum number of cached grants: with their tokens some 30 MB. */
const SIZE = 10_000;
/** Seconds after which a grant is read again, in case the stream has missed a change. */
const LIFE = 300;

/** Operations that change nothing that the guard reads. */
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
 * Operations whose first argument is the id of the changed grant. An object as the first argument has it as `grantId`;
 * any other operation may change any grant.
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

/** Called with the id of each changed grant; without an id any grant may have changed. */
type OnChange = (grantId?: string) => void;

/**
 * Caches the grants that the guard has read. A change by this process clears its grant at once, a change by another
 * process as soon as the change stream reports it. While the stream is silent, each grant is read every time.
 */
export function createGuardCache<T>(
  grants: Grants,
  model: Model<T>,
  {
    isOn,
    timeout,
    onFailure,
  }: {
    /** Otherwise nothing is cached. */
    readonly isOn: boolean;
    /** Milliseconds that a command may take. */
    readonly timeout: number;
    /** Gets the error that makes the cache useless; not called at each attempt. */
    readonly onFailure: ((error: unknown) => void) | undefined;
  },
) {
  const listeners: OnChange[] = [];
  const onChange = (listener: OnChange): void => void listeners.push(listener);
  const done = () => Promise.resolve();
  if (!isOn) return { grants, onChange, isListening: () => false, ready: done, close: done };

  const cache = createCache<GuardedGrant>({ size: SIZE, ttl: LIFE });
  /** Grants that are being read; if one is cleared meanwhile, the read may be older than the change. */
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
    // checked before the read, because later changes will be reported
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
    const marker = {};
    reading.set(id, marker);
    try {
      const grant = await grants.findForGuard(presented);
      // a missing grant may exist the next moment
      if (grant !== null && reading.get(id) === marker) cache.set(id, grant);
      return grant;
    } finally {
      if (reading.get(id) === marker) reading.delete(id);
    }
  };

  const changing = Object.entries(grants)
    .filter(([name]) => !READING.has(name))
    .map(([name, operation]) => [
      name,
      async (...args: unknown[]): Promise<unknown> => {
        try {
          return await (operation as (...args: unknown[]) => unknown)(...args);
        } finally {
          // even after a failure: an unacknowledged command may still be executed
          const [first] = args as [string | { readonly grantId?: string }];
          forget(typeof first === 'object' ? first.grantId : BY_ID.has(name) ? first : undefined);
        }
      },
    ]);

  return {
    grants: { ...grants, ...(Object.fromEntries(changing) as Partial<Grants>), findForGuard },
    onChange,
    /** Whether the stream reports changes now. */
    isListening: changes.isListening,
    /** Resolves when the stream reports changes. @throws TypeError if this MongoDB has no suitable change streams */
    ready: () =>
      changes.ready().catch((error: unknown) => {
        throw explain(error);
      }),
    // if the database hangs, closing the stream takes half a minute
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
