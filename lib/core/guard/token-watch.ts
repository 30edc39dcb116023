import { hashSecret } from '../../shared/crypto/secrets.js';
import { OAuthError } from '../../shared/errors.js';
import type { AccessToken } from './access-token.js';
import { invalidToken, unavailable } from './verify-access-token.js';

interface WatchedConnection {
  readonly auth: AccessToken;
  /** When the check of the token began, by `performance.now()`. */
  readonly checkedAt: number;
  /** Whether the token would still be let in where it opened the connection. */
  readonly isStillAllowed: (auth: AccessToken) => boolean;
}

/** All connections of one token, which are checked together. */
interface Group {
  readonly key: string;
  readonly token: string;
  /** Seconds since 1970; a user can bring it forward. */
  expiresAt: number;
  readonly connections: Set<{
    readonly isStillAllowed: (auth: AccessToken) => boolean;
    readonly abort: (reason: OAuthError) => void;
  }>;
  grantId?: string | undefined;
  /** Since when the token could not be checked, in milliseconds. */
  unreachableSince?: number;
  /** Set during a check; `isOutdated` if the grant changed meanwhile. */
  running?: { isOutdated: boolean };
}

/** Milliseconds: the maximum delay after a token's expiry. */
const TICK = 1000;
/** Milliseconds for which tokens to check are collected, so that many changes at once cost few commands. */
const COLLECTING = 20;
/** Tokens that are checked together, by one command of the database. */
const BATCH = 200;
/** Milliseconds for which a connection stays open while its token cannot be checked. */
const MAX_UNREACHABLE = 60_000;

export type TokenWatch = ReturnType<typeof createTokenWatch>;

/** Ends connections when their tokens end. One timer for all connections runs only while there are some. */
export function createTokenWatch(options: {
  /** Verifies a token again, as the guard does for a call, but without cached results. @throws OAuthError */
  readonly recheck: (token: string, now: Date) => Promise<AccessToken>;
  /** Seconds after which each token of an open connection is checked again. */
  readonly interval: number;
  /** Finds the grant of a token, whose id changes report. Default: unknown. */
  readonly grantIdOf?: (token: string, now: Date) => Promise<string | undefined>;
}) {
  const { recheck, interval, grantIdOf } = options;
  const all = new Map<string, Group>();
  const byGrant = new Map<string, Set<Group>>();
  /** Groups whose grant is not resolved yet. */
  const unresolved = new Set<Group>();
  const due = new Set<Group>();
  let collecting: NodeJS.Timeout | undefined;
  let ticker: NodeJS.Timeout | undefined;
  let recheckedAt = 0;
  let changedAt = -Infinity;

  const drop = (group: Group): void => {
    if (all.get(group.key) === group) all.delete(group.key);
    const { grantId } = group;
    if (grantId === undefined) return;
    const ofGrant = byGrant.get(grantId);
    ofGrant?.delete(group);
    if (ofGrant?.size === 0) byGrant.delete(grantId);
  };
  const endAll = ({ connections }: Group, reason: OAuthError): void => {
    for (const { abort } of connections) abort(reason);
    connections.clear();
  };

  const recheckGroup = async (group: Group): Promise<void> => {
    if (group.running !== undefined) return void (group.running.isOutdated = true);
    const running = { isOutdated: false };
    group.running = running;
    try {
      const auth = await recheck(group.token, new Date());
      for (const connection of group.connections) {
        if (connection.isStillAllowed(auth)) continue;
        group.connections.delete(connection);
        connection.abort(invalidToken('it allows less than what it has opened needs'));
      }
      group.expiresAt = auth.expiresAt ?? Infinity;
      delete group.unreachableSince;
    } catch (error) {
      group.unreachableSince ??= performance.now();
      const isUnreachable = !(error instanceof OAuthError) || error.status >= 500;
      if (!isUnreachable) endAll(group, error);
      // fail closed: a token that cannot be checked must not keep a connection open for ever
      else if (performance.now() - group.unreachableSince > MAX_UNREACHABLE)
        endAll(group, unavailable('the token could not be checked for too long', error));
    } finally {
      delete group.running;
      if (group.connections.size === 0) drop(group);
      else if (running.isOutdated) scheduleRecheck(group);
    }
  };
  /** Checks the group together with others that are due at the same time. */
  const scheduleRecheck = (group: Group): void => {
    due.add(group);
    collecting ??= setTimeout(async () => {
      collecting = undefined;
      const groups = [...due].filter((each) => all.get(each.key) === each);
      due.clear();
      for (let start = 0; start < groups.length; start += BATCH)
        await Promise.all(groups.slice(start, start + BATCH).map(recheckGroup));
    }, COLLECTING).unref();
  };

  const tick = (): void => {
    const now = Date.now();
    for (const group of all.values()) {
      if (group.expiresAt * 1000 > now) continue;
      endAll(group, invalidToken('expired'));
      drop(group);
    }
    if (all.size === 0) {
      clearInterval(ticker);
      ticker = undefined;
    } else if (performance.now() - recheckedAt >= interval * 1000) {
      recheckedAt = performance.now();
      for (const group of all.values()) scheduleRecheck(group);
    }
  };
  const begin = (key: string, { token, expiresAt = Infinity }: AccessToken): Group => {
    const group: Group = { key, token, expiresAt, connections: new Set() };
    all.set(key, group);
    if (ticker === undefined) recheckedAt = performance.now();
    ticker ??= setInterval(tick, TICK).unref();
    if (grantIdOf === undefined) return group;
    unresolved.add(group);
    const resolve = (grantId: string | undefined): void => {
      unresolved.delete(group);
      if (grantId === undefined || all.get(key) !== group) return;
      group.grantId = grantId;
      byGrant.set(grantId, (byGrant.get(grantId) ?? new Set()).add(group));
    };
    grantIdOf(token, new Date()).then(resolve, () => resolve(undefined));
    return group;
  };

  return {
    /** The signal fires when the token ends; call `unwatch` when the connection is closed. */
    watch({ auth, checkedAt, isStillAllowed }: WatchedConnection): {
      signal: AbortSignal;
      unwatch: () => void;
    } {
      const controller = new AbortController();
      const key = hashSecret(auth.token);
      const group = all.get(key) ?? begin(key, auth);
      const connection = { isStillAllowed, abort: (reason: OAuthError) => controller.abort(reason) };
      group.connections.add(connection);
      // a route may read its signal late, after a change that nobody received
      if (changedAt >= checkedAt) scheduleRecheck(group);
      return {
        signal: controller.signal,
        unwatch: () => {
          group.connections.delete(connection);
          if (group.connections.size === 0) drop(group);
        },
      };
    },
    /** Reports a change of a grant or, without an id, of any grant. */
    changed(grantId?: string) {
      changedAt = performance.now();
      const affected =
        grantId === undefined ? all.values() : [...(byGrant.get(grantId) ?? []), ...unresolved];
      for (const group of affected) scheduleRecheck(group);
    },
  };
}
