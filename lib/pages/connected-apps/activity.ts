import { isDeepStrictEqual } from 'node:util';

import type { Audit } from '../../core/observability/audit.js';
import type { MessageKey } from '../../messages/index.js';
import type { Stores } from '../../storage/stores.js';
import type { AccountContext, Visit } from '../account-pages.js';
import type { Translator } from '../rendering/translator.js';

/** Maximum number of events that are read for one page. */
const MAX_READ = 500;
/** Maximum number of lines on the page. */
const MAX_ENTRIES = 10;
/** Milliseconds. */
const LATELY = 30 * 86_400_000;

/** The messages by event type; for a refresh the event of its new tokens. */
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
  // a revoked grant, with the reason
  'grant.revoked user': 'authorization.didDisconnect',
  'grant.revoked host': 'authorization.didEnd',
};

/**
 * The recent activity of an application in a user's account, the newest first. Tokens that others got by exchange
 * belong to the application's grants, so the list includes them, with the names of those clients or actors. Undefined
 * if the audit is off or fails: the rest of the page does not need it.
 *
 * @param of without a user: activity by or on a client that acts for no user; `except` is left out
 */
export async function findActivity(
  {
    settings,
    audit,
    models,
    report,
    endpoint,
  }: AccountContext & { readonly audit: Audit; readonly models: Stores },
  { req, res, now }: Visit,
  of: { readonly userId: string | undefined; readonly clientId: string; readonly except?: MessageKey },
) {
  const { userId, clientId, except } = of;
  if (!settings.audit) return undefined;
  try {
    const since = new Date(now.getTime() - LATELY);
    const by = userId === undefined ? { clientId } : { userId };
    const entries = await audit.find({ ...by, since, limit: MAX_READ });
    const grantIds = new Set(
      entries.flatMap((entry) => (entry.clientId === clientId ? (entry.grantId ?? []) : [])),
    );
    // each event, or several in a row from the same address and parties
    const acts: {
      key: MessageKey;
      time: Date;
      address: string | undefined;
      times: number;
      through: readonly string[];
    }[] = [];
    for (const { type, reason = '', ip, time, grantId, actors = [], ...entry } of entries) {
      if (entry.clientId !== clientId && (grantId === undefined || !grantIds.has(grantId))) continue;
      const name = type === 'grant.revoked' ? `${type} ${reason}` : type;
      const key = Object.hasOwn(REPORTED, name) ? REPORTED[name] : undefined;
      if (key === undefined || key === except) continue;
      // the actors (RFC 8693 §4.1) and the recipient of the token, unless it is the application; the latest first
      const all = new Set([...actors, entry.clientId ?? clientId]);
      const through = [...all].filter((actor) => actor !== clientId);
      const last = acts.at(-1);
      if (last?.key === key && last.address === ip && isDeepStrictEqual(last.through, through))
        last.times += 1;
      else if (acts.length < MAX_ENTRIES) acts.push({ key, time, address: ip, times: 1, through });
      else break;
    }
    const ids = [...new Set(acts.flatMap(({ through }) => through))];
    const clients = ids.length === 0 ? [] : await models.clients.findNames(ids);
    const names = new Map(clients.map((client) => [client.clientId, client.name]));
    return acts.map((act) => ({ ...act, through: act.through.map((id) => names.get(id) ?? id) }));
  } catch (failure) {
    report(failure, { endpoint, req, res });
    return undefined;
  }
}

export function describeActivity(
  acts: Awaited<ReturnType<typeof findActivity>>,
  { text, moment }: Translator,
) {
  return acts?.map(({ key, time, address, times, through }) => ({
    time: moment(time),
    text: text(key),
    times: times > 1 ? text('authorization.times', { count: times }) : undefined,
    address,
    through: through.length > 0 ? through.join(', ') : undefined,
  }));
}
