import { hashSecret } from '../../shared/crypto/secrets.js';
import { OAuthError } from '../../shared/errors.js';
import type { AccessToken } from './access-token.js';
import { unavailable } from './unavailable.js';
import { invalidToken } from './verify-access-token.js';

export interface TokenWatchOptions {
  /** Verifies a token again, as the guard does for a call, but uses no cached result. @throws OAuthError */
  readonly recheck: (token: string, now: Date) => Promise<AccessToken>;
  /** Seconds after which each token of an open connection is checked again. */
  readonly interval: number;
  /** The grant of a token, by which changes are reported. Default: not known. */
  readonly grantIdOf?: (token: string, now: Date) => Promise<string | undefined>;
}

/** A connection that a token has opened. */
export interface WatchedConnection {
  readonly auth: AccessToken;
  /** When the check began that has let it in, by `performance.now()`. */
  readonly checkedAt: number;
  /** Whether the token would still be let in where it has opened the connection. */
  readonly isStillAllowed: (auth: AccessToken) => boolean;
}

/** Ends what tokens have opened when they end. */
export interface TokenWatch {
  /** The signal fires when the token ends; call `unwatch` when the connection is closed. */
  watch(connection: WatchedConnection): { readonly signal: AbortSignal; readonly unwatch: () => void };
  /** A grant has changed, or, without an id, any of them may have. */
  changed(grantId?: string): void;
}

interface Connection extends WatchedConnection {
  readonly abort: (reason: OAuthError) => void;
}

/** All connections of one token, which is checked once for all of them. */
interface Group {
  readonly key: string;
  readonly token: string;
  /** Seconds since 1970; a user can bring it forward. */
  expiresAt: number;
  readonly connections: Set<Connection>;
  grantId?: string | undefined;
  /** Since when the token could not be checked, in milliseconds. */
  unreachableSince?: number;
  /** Set while the token is checked; `isOutdated` if its grant changed meanwhile. */
  running?: { isOutdated: boolean };
}

/** Milliseconds: expiry is noticed that much later at most. */
const TICK = 1000;
/** Milliseconds for which tokens to check are collected, so that many changes at once cost few commands. */
const COLLECTING = 20;
/** Tokens that are checked together: one command of the database for all of them. */
const BATCH = 200;
/** Milliseconds for which a connection goes on while its token cannot be checked. */
const MAX_UNREACHABLE = 60_000;

/** The tokens of open connections, by themselves and by their grants. */
interface Registry {
  readonly all: ReadonlyMap<string, Group>;
  readonly add: (group: Group) => void;
  readonly drop: (group: Group) => void;
  /** Those of a grant, and those of which nobody knows the grant yet; without an id all. */
  readonly of: (grantId: string | undefined) => readonly Group[];
}

function createRegistry({ grantIdOf }: Pick<TokenWatchOptions, 'grantIdOf'>): Registry {
  const all = new Map<string, Group>();
  const byGrant = new Map<string, Set<Group>>();
  const unknown = new Set<Group>();

  const findGrant = async (group: Group, find: NonNullable<typeof grantIdOf>): Promise<void> => {
    unknown.add(group);
    const grantId = await find(group.token, new Date()).catch(() => undefined);
    unknown.delete(group);
    if (grantId === undefined || all.get(group.key) !== group) return;
    group.grantId = grantId;
    byGrant.set(grantId, (byGrant.get(grantId) ?? new Set()).add(group));
  };
  return {
    all,
    add(group) {
      all.set(group.key, group);
      if (grantIdOf !== undefined) void findGrant(group, grantIdOf);
    },
    drop(group) {
      if (all.get(group.key) === group) all.delete(group.key);
      const { grantId } = group;
      const ofGrant = grantId === undefined ? undefined : byGrant.get(grantId);
      ofGrant?.delete(group);
      if (grantId !== undefined && ofGrant?.size === 0) byGrant.delete(grantId);
    },
    of: (grantId) =>
      grantId === undefined ? [...all.values()] : [...(byGrant.get(grantId) ?? []), ...unknown],
  };
}

function endAll({ connections }: Group, reason: OAuthError): void {
  for (const { abort } of connections) abort(reason);
  connections.clear();
}

/** Ends the connections that the token may no longer have open. */
function endUnfit({ connections }: Group, auth: AccessToken): void {
  for (const connection of connections) {
    if (connection.isStillAllowed(auth)) continue;
    connections.delete(connection);
    connection.abort(invalidToken('it allows less than what it has opened needs'));
  }
}

/** @returns schedules the recheck of one token, together with others that are due at the same time */
function createScheduler(
  { recheck }: Pick<TokenWatchOptions, 'recheck'>,
  { all, drop }: Registry,
): (group: Group) => void {
  const due = new Set<Group>();
  let collecting: NodeJS.Timeout | undefined;

  const recheckGroup = async (group: Group): Promise<void> => {
    if (group.running !== undefined) return void (group.running.isOutdated = true);
    const running = { isOutdated: false };
    group.running = running;
    try {
      const auth = await recheck(group.token, new Date());
      endUnfit(group, auth);
      group.expiresAt = auth.expiresAt ?? Infinity;
      delete group.unreachableSince;
    } catch (error) {
      group.unreachableSince ??= performance.now();
      const isUnreachable = !(error instanceof OAuthError) || error.status >= 500;
      if (!isUnreachable) endAll(group, error);
      // fail closed: a token that nobody can check must not keep anything open for ever
      else if (performance.now() - group.unreachableSince > MAX_UNREACHABLE)
        endAll(group, unavailable('the token could not be checked for too long', error));
    } finally {
      delete group.running;
      if (group.connections.size === 0) drop(group);
      else if (running.isOutdated) scheduleRecheck(group);
    }
  };
  const recheckDue = async (): Promise<void> => {
    const groups = [...due].filter((group) => all.get(group.key) === group);
    due.clear();
    for (let start = 0; start < groups.length; start += BATCH)
      await Promise.all(groups.slice(start, start + BATCH).map(recheckGroup));
  };
  const scheduleRecheck = (group: Group): void => {
    due.add(group);
    collecting ??= setTimeout(() => {
      collecting = undefined;
      void recheckDue();
    }, COLLECTING).unref();
  };
  return scheduleRecheck;
}

/** One timer for all connections, which runs only while there are some. */
export function createTokenWatch(options: TokenWatchOptions): TokenWatch {
  const registry = createRegistry(options);
  const scheduleRecheck = createScheduler(options, registry);
  let ticker: NodeJS.Timeout | undefined;
  let recheckedAt = 0;
  let changedAt = -Infinity;

  const tick = (): void => {
    const now = Date.now();
    for (const group of registry.all.values()) {
      if (group.expiresAt * 1000 > now) continue;
      endAll(group, invalidToken('expired'));
      registry.drop(group);
    }
    if (registry.all.size === 0) {
      clearInterval(ticker);
      ticker = undefined;
    } else if (performance.now() - recheckedAt >= options.interval * 1000) {
      recheckedAt = performance.now();
      for (const group of registry.all.values()) scheduleRecheck(group);
    }
  };
  const begin = (key: string, { token, expiresAt = Infinity }: AccessToken): Group => {
    const group: Group = { key, token, expiresAt, connections: new Set() };
    registry.add(group);
    if (ticker === undefined) recheckedAt = performance.now();
    ticker ??= setInterval(tick, TICK).unref();
    return group;
  };

  return {
    watch({ auth, checkedAt, isStillAllowed }) {
      const controller = new AbortController();
      const key = hashSecret(auth.token);
      const group = registry.all.get(key) ?? begin(key, auth);
      const abort = (reason: OAuthError) => controller.abort(reason);
      const connection = { auth, checkedAt, isStillAllowed, abort };
      group.connections.add(connection);
      // a route may read its signal late, and a change meanwhile was told to nobody
      if (changedAt >= checkedAt) scheduleRecheck(group);
      return {
        signal: controller.signal,
        unwatch() {
          group.connections.delete(connection);
          if (group.connections.size === 0) registry.drop(group);
        },
      };
    },
    changed(grantId) {
      changedAt = performance.now();
      for (const group of registry.of(grantId)) scheduleRecheck(group);
    },
  };
}
