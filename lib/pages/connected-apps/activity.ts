import { isDeepStrictEqual } from 'node:util';

import type { ClientStore } from '../../core/clients/client-store.js';
import type { Audit } from '../../core/observability/audit.js';
import type { AuditEntry } from '../../core/observability/audit-log.js';
import type { MessageKey } from '../../messages/index.js';
import type { DisplayTime, Translator } from '../rendering/translator.js';

/** Events that are read: those of the user, so that the work is bounded however busy the application is. */
const MAX_READ = 500;
/** Lines that are shown. */
const MAX_ENTRIES = 10;
/** Milliseconds. */
const LATELY = 30 * 86_400_000;

/** What a user is told, by event; for a refresh, the tokens that it gave. */
const REPORTED: Readonly<Record<string, MessageKey>> = {
  'token.issued': 'authorization.didGetAccess',
  'token.revoked': 'authorization.didGiveBack',
  'consent.given': 'authorization.didAllow',
  'consent.denied': 'authorization.didDeny',
  'grant.narrowed': 'authorization.didNarrow',
  'grant.rebound': 'authorization.didRebind',
  'client.reported': 'authorization.didReport',
  'code.replayed': 'authorization.didReplay',
  'refresh.reused': 'authorization.didReplay',
};
/** For `grant.revoked` it depends on the reason. */
const ENDED: Readonly<Record<string, MessageKey>> = {
  user: 'authorization.didDisconnect',
  host: 'authorization.didEnd',
};

/** What happened, once or several times in a row from the same address and through the same parties. */
export interface ActivityEntry {
  readonly key: MessageKey;
  readonly time: Date;
  readonly address: string | undefined;
  readonly times: number;
  /** The names of those through whom it was done, the latest first. */
  readonly through: readonly string[];
}

export interface ActivityView {
  readonly time: DisplayTime;
  readonly text: string;
  readonly times: string | undefined;
  readonly address: string | undefined;
  /** Absent: by itself. */
  readonly through: string | undefined;
}

/**
 * What an application did with somebody's account lately, the newest first. What others have got by its tokens is of
 * its grants, so it is in the list, with their names. Without a user: what was done by or to a client that acts for
 * nobody.
 */
export async function findActivity(
  audit: Audit,
  { userId, clientId, now }: { readonly userId?: string; readonly clientId: string; readonly now: Date },
): Promise<readonly ActivityEntry[]> {
  const since = new Date(now.getTime() - LATELY);
  const by = userId === undefined ? { clientId } : { userId };
  const entries = await audit.find({ ...by, since, limit: MAX_READ });
  const grantIds = new Set(
    entries.flatMap((entry) => (entry.clientId === clientId ? (entry.grantId ?? []) : [])),
  );
  const isOfApp = (entry: AuditEntry) =>
    entry.clientId === clientId || (entry.grantId !== undefined && grantIds.has(entry.grantId));
  const acts: ActivityEntry[] = [];
  for (const entry of entries.filter(isOfApp)) {
    const key = keyOf(entry);
    const last = acts.at(-1);
    if (key === undefined) continue;
    const through = throughOf(entry, clientId);
    if (last?.key === key && last.address === entry.ip && isDeepStrictEqual(last.through, through))
      acts[acts.length - 1] = { ...last, times: last.times + 1 };
    else if (acts.length < MAX_ENTRIES)
      acts.push({ key, time: entry.time, address: entry.ip, times: 1, through });
    else break;
  }
  return acts;
}

/** Who acted (RFC 8693 §4.1), and who got the token, if that was not the application itself. */
function throughOf({ clientId, actors = [] }: AuditEntry, ownId: string): readonly string[] {
  const all = clientId === undefined ? actors : [...actors, clientId];
  return [...new Set(all)].filter((name) => name !== ownId);
}

/**
 * The clients among them by their names; others are called what their issuer calls them. One command if there are any.
 */
export async function withClientNames(
  acts: readonly ActivityEntry[],
  { clients }: { readonly clients: Pick<ClientStore, 'findNames'> },
): Promise<readonly ActivityEntry[]> {
  const ids = [...new Set(acts.flatMap(({ through }) => through))];
  if (ids.length === 0) return acts;
  const found = await clients.findNames(ids);
  const nameOf = (id: string) => found.find(({ clientId }) => clientId === id)?.name ?? id;
  return acts.map((act) => ({ ...act, through: act.through.map(nameOf) }));
}

function keyOf({ type, reason = '' }: AuditEntry): MessageKey | undefined {
  const [table, name] = type === 'grant.revoked' ? [ENDED, reason] : [REPORTED, type];
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** The address from which it last got access itself: a server, or the device that it runs on. */
export function lastAddressOf(acts: readonly ActivityEntry[]): string | undefined {
  return acts.find(({ key, through }) => key === 'authorization.didGetAccess' && through.length === 0)
    ?.address;
}

export function describeActivity(
  acts: readonly ActivityEntry[],
  { text, moment }: Translator,
): readonly ActivityView[] {
  return acts.map(({ key, time, address, times, through }) => ({
    time: moment(time),
    text: text(key),
    times: times > 1 ? text('authorization.times', { count: times }) : undefined,
    address,
    through: through.length > 0 ? through.join(', ') : undefined,
  }));
}
