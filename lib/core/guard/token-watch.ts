import { hashSecret } from '../../shared/crypto/secrets.js';
import { OAuthError } from '../../shared/errors.js';
import type { AccessToken } from './access-token.js';
import { invalidToken } from './verify-access-token.js';

export interface TokenWatchOptions {
  /** Looks at a token again, as the guard does for a call. @throws OAuthError */
  readonly look: (token: string, now: Date) => Promise<AccessToken>;
  /** Seconds after which each token of an open connection is looked at again. */
  readonly recheck: number;
  /** The grant of a token, by which changes are told. Default: not known. */
  readonly grantIdOf?: (token: string, now: Date) => Promise<string | undefined>;
}

/** A connection that a token has opened. */
export interface Opened {
  readonly auth: AccessToken;
  /** Whether the token would still be let in where it has opened the connection. */
  readonly isEnough: (auth: AccessToken) => boolean;
}

/** Ends what tokens have opened when they end. */
export interface TokenWatch {
  /** The signal fires when the token ends; call `release` when the connection is closed. */
  open(opened: Opened): { readonly signal: AbortSignal; readonly release: () => void };
  /** A grant has changed, or, without an id, any of them may have. */
  changed(grantId?: string): void;
}

interface Connection extends Opened {
  readonly abort: (reason: OAuthError) => void;
}

/** All connections of one token, which is looked at once for all of them. */
interface Group {
  readonly key: string;
  readonly token: string;
  readonly expiresAt: number;
  readonly connections: Set<Connection>;
  grantId?: string | undefined;
  /** Since when nobody could look, in milliseconds. */
  blindSince?: number;
  /** Set while it is looked at; true if it changed meanwhile. */
  looking?: { changed: boolean };
}

/** Milliseconds: expiry is noticed that much later at most. */
const TICK = 1000;
/** Milliseconds in which changes are gathered, so that many at once are looked up together. */
const GATHERED = 20;
/** Tokens that are looked at together; the database is asked with a command for all of them. */
const BATCH = 200;
/** Milliseconds for which a connection goes on while nobody can look at its token. */
const MAX_BLIND = 60_000;

/** One timer for all connections, which runs only while there are some. */
export function createTokenWatch(options: TokenWatchOptions): TokenWatch {
  const { look, recheck, grantIdOf } = options;
  const groups = new Map<string, Group>();
  const byGrant = new Map<string, Set<Group>>();
  const unknown = new Set<Group>();
  const due = new Set<Group>();
  let ticker: NodeJS.Timeout | undefined;
  let gathering: NodeJS.Timeout | undefined;
  let lookedAt = 0;

  const drop = (group: Group): void => {
    groups.delete(group.key);
    due.delete(group);
    const ofGrant = group.grantId === undefined ? undefined : byGrant.get(group.grantId);
    ofGrant?.delete(group);
    if (ofGrant?.size === 0) byGrant.delete(group.grantId!);
    if (groups.size > 0) return;
    clearInterval(ticker);
    ticker = undefined;
  };
  const endAll = (group: Group, reason: OAuthError): void => {
    drop(group);
    for (const { abort } of group.connections) abort(reason);
    group.connections.clear();
  };

  const compare = (group: Group, auth: AccessToken): void => {
    delete group.blindSince;
    for (const connection of group.connections) {
      if (connection.isEnough(auth)) continue;
      group.connections.delete(connection);
      connection.abort(invalidToken('it allows less than what it has opened needs'));
    }
    if (group.connections.size === 0) drop(group);
  };
  const lookAt = async (group: Group): Promise<void> => {
    if (group.looking !== undefined) {
      group.looking.changed = true;
      return;
    }
    const looking = { changed: false };
    group.looking = looking;
    try {
      compare(group, await look(group.token, new Date()));
    } catch (error) {
      if (error instanceof OAuthError && error.status < 500) return endAll(group, error);
      group.blindSince ??= performance.now();
      // what nobody can look at must not go on for ever
      if (performance.now() - group.blindSince > MAX_BLIND)
        endAll(group, invalidToken('nobody can look at it', error));
    } finally {
      delete group.looking;
      if (looking.changed && groups.has(group.key)) lookSoon(group);
    }
  };
  const lookAtDue = async (): Promise<void> => {
    const all = [...due];
    due.clear();
    for (let start = 0; start < all.length; start += BATCH)
      await Promise.all(all.slice(start, start + BATCH).map(lookAt));
  };
  const lookSoon = (group: Group): void => {
    due.add(group);
    gathering ??= setTimeout(() => {
      gathering = undefined;
      void lookAtDue();
    }, GATHERED).unref();
  };

  const tick = (): void => {
    const now = Date.now();
    for (const group of groups.values())
      if (group.expiresAt * 1000 <= now) endAll(group, invalidToken('expired'));
    if (performance.now() - lookedAt < recheck * 1000) return;
    lookedAt = performance.now();
    for (const group of groups.values()) lookSoon(group);
  };

  /** Until it is known whose token it is, each change may be one of its grant. */
  const findGrant = async (group: Group, find: NonNullable<typeof grantIdOf>): Promise<void> => {
    unknown.add(group);
    const grantId = await find(group.token, new Date()).catch(() => undefined);
    unknown.delete(group);
    if (grantId === undefined || groups.get(group.key) !== group) return;
    group.grantId = grantId;
    byGrant.set(grantId, (byGrant.get(grantId) ?? new Set()).add(group));
  };
  const begin = (key: string, { token, expiresAt = Infinity }: AccessToken): Group => {
    const group: Group = { key, token, expiresAt, connections: new Set() };
    groups.set(key, group);
    if (ticker === undefined) lookedAt = performance.now();
    ticker ??= setInterval(tick, TICK).unref();
    if (grantIdOf !== undefined) void findGrant(group, grantIdOf);
    return group;
  };

  return {
    open({ auth, isEnough }) {
      const controller = new AbortController();
      const key = hashSecret(auth.token);
      const group = groups.get(key) ?? begin(key, auth);
      const connection = { auth, isEnough, abort: (reason: OAuthError) => controller.abort(reason) };
      group.connections.add(connection);
      return {
        signal: controller.signal,
        release() {
          group.connections.delete(connection);
          if (group.connections.size === 0 && groups.get(key) === group) drop(group);
        },
      };
    },
    changed(grantId) {
      const changed = grantId === undefined ? groups.values() : (byGrant.get(grantId) ?? []);
      for (const group of changed) lookSoon(group);
      for (const group of unknown) lookSoon(group);
    },
  };
}
