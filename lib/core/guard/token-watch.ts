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

/** Ends those connections for which the token is no longer enough. */
function endUnfit({ connections }: Group, auth: AccessToken): void {
  for (const connection of connections) {
    if (connection.isEnough(auth)) continue;
    connections.delete(connection);
    connection.abort(invalidToken('it allows less than what it has opened needs'));
  }
}

/** Looks at tokens soon, many together. */
function createLooking({ look }: Pick<TokenWatchOptions, 'look'>, { all, drop }: Registry) {
  const due = new Set<Group>();
  let gathering: NodeJS.Timeout | undefined;

  const lookAt = async (group: Group): Promise<void> => {
    if (group.looking !== undefined) return void (group.looking.changed = true);
    const looking = { changed: false };
    group.looking = looking;
    try {
      endUnfit(group, await look(group.token, new Date()));
      delete group.blindSince;
    } catch (error) {
      group.blindSince ??= performance.now();
      const isBlind = !(error instanceof OAuthError) || error.status >= 500;
      if (!isBlind) endAll(group, error);
      // what nobody can look at must not go on for ever
      else if (performance.now() - group.blindSince > MAX_BLIND)
        endAll(group, invalidToken('nobody can look at it', error));
    } finally {
      delete group.looking;
      if (group.connections.size === 0) drop(group);
      else if (looking.changed) lookSoon(group);
    }
  };
  const lookAtDue = async (): Promise<void> => {
    const groups = [...due].filter((group) => all.get(group.key) === group);
    due.clear();
    for (let start = 0; start < groups.length; start += BATCH)
      await Promise.all(groups.slice(start, start + BATCH).map(lookAt));
  };
  const lookSoon = (group: Group): void => {
    due.add(group);
    gathering ??= setTimeout(() => {
      gathering = undefined;
      void lookAtDue();
    }, GATHERED).unref();
  };
  return lookSoon;
}

/** One timer for all connections, which runs only while there are some. */
export function createTokenWatch(options: TokenWatchOptions): TokenWatch {
  const registry = createRegistry(options);
  const lookSoon = createLooking(options, registry);
  let ticker: NodeJS.Timeout | undefined;
  let lookedAt = 0;

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
    } else if (performance.now() - lookedAt >= options.recheck * 1000) {
      lookedAt = performance.now();
      for (const group of registry.all.values()) lookSoon(group);
    }
  };
  const begin = (key: string, { token, expiresAt = Infinity }: AccessToken): Group => {
    const group: Group = { key, token, expiresAt, connections: new Set() };
    registry.add(group);
    if (ticker === undefined) lookedAt = performance.now();
    ticker ??= setInterval(tick, TICK).unref();
    return group;
  };

  return {
    open({ auth, isEnough }) {
      const controller = new AbortController();
      const key = hashSecret(auth.token);
      const group = registry.all.get(key) ?? begin(key, auth);
      const connection = { auth, isEnough, abort: (reason: OAuthError) => controller.abort(reason) };
      group.connections.add(connection);
      return {
        signal: controller.signal,
        release() {
          group.connections.delete(connection);
          if (group.connections.size === 0) registry.drop(group);
        },
      };
    },
    changed(grantId) {
      for (const group of registry.of(grantId)) lookSoon(group);
    },
  };
}
