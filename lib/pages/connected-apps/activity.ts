import type { Audit } from '../../core/observability/audit.js';
import type { AuditEntry } from '../../core/observability/audit-log.js';
import type { MessageKey } from '../../messages/index.js';
import type { DisplayTime, Translator } from '../rendering/translator.js';

/** Events that are read: those of the person, so that the work is bounded however busy the application is. */
const MAX_READ = 500;
/** Lines that are shown. */
const MAX_ENTRIES = 10;
/** Milliseconds. */
const LATELY = 30 * 86_400_000;

/** What a person is told, by event; for a refresh, the tokens that it gave. */
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

/** What happened, once or several times in a row from the same address. */
export interface ActivityEntry {
  readonly key: MessageKey;
  readonly time: Date;
  readonly address: string | undefined;
  readonly times: number;
}

export interface ActivityView {
  readonly time: DisplayTime;
  readonly text: string;
  readonly times: string | undefined;
  readonly address: string | undefined;
}

/** What an application did with somebody's account lately, the newest first. */
export async function findActivity(
  audit: Audit,
  { userId, clientId, now }: { readonly userId: string; readonly clientId: string; readonly now: Date },
): Promise<readonly ActivityEntry[]> {
  const since = new Date(now.getTime() - LATELY);
  const entries = await audit.find({ userId, since, limit: MAX_READ });
  const acts: ActivityEntry[] = [];
  for (const entry of entries.filter((each) => each.clientId === clientId)) {
    const key = keyOf(entry);
    const last = acts.at(-1);
    if (key === undefined) continue;
    if (last?.key === key && last.address === entry.ip)
      acts[acts.length - 1] = { ...last, times: last.times + 1 };
    else if (acts.length < MAX_ENTRIES) acts.push({ key, time: entry.time, address: entry.ip, times: 1 });
    else break;
  }
  return acts;
}

function keyOf({ type, reason = '' }: AuditEntry): MessageKey | undefined {
  const [table, name] = type === 'grant.revoked' ? [ENDED, reason] : [REPORTED, type];
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** The address from which it last got access: a server, or the device that it runs on. */
export function lastAddressOf(acts: readonly ActivityEntry[]): string | undefined {
  return acts.find(({ key }) => key === 'authorization.didGetAccess')?.address;
}

export function describeActivity(
  acts: readonly ActivityEntry[],
  { text, moment }: Translator,
): readonly ActivityView[] {
  return acts.map(({ key, time, address, times }) => ({
    time: moment(time),
    text: text(key),
    times: times > 1 ? text('authorization.times', { count: times }) : undefined,
    address,
  }));
}
