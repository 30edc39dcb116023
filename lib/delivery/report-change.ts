import { createHash } from 'node:crypto';

import type {
  Emit,
  EventData,
  EventName,
  ReportChange,
  ReportedChange,
} from '../core/observability/events.js';
import { addSeconds } from '../shared/date.js';
import { toOAuthError } from '../shared/errors.js';
import { buildMessage } from './new-messages.js';
import type { Outbox } from './outbox.js';

/** The endpoint of reports in the outbox; no receiver of webhooks can have this name. */
export const UNREPORTED = 'unreported changes';
/** Seconds after a change in which its own process reports it; then any process does. */
const PATIENCE = 60;
/** The cause of an ended grant, by the reason of `grant.revoked`: an event of its own, emitted first. */
const CAUSES: Readonly<Record<string, readonly [EventName, EventData]>> = {
  refresh_reused: ['refresh.reused', {}],
  code_replayed: ['code.replayed', {}],
  device_code_replayed: ['code.replayed', {}],
  refresh_token_revoked: ['token.revoked', { tokenType: 'refresh_token' }],
};

/** @param outbox left out if no receiver gets changes */
export function createReportChange(outbox?: Outbox): ReportChange {
  return async (change, { now = new Date(), emit }, apply, dataOf = () => ({})) => {
    const report = buildMessage(
      { name: UNREPORTED },
      { type: change.type, payload: JSON.stringify({ ...change, now }) },
      addSeconds(now, PATIENCE),
    );
    // a report that stays is processed again, with the same message ids
    const forget = () => outbox?.acknowledge(UNREPORTED, [report._id]).catch(() => undefined);
    await outbox?.add([report]);
    try {
      const changed = await apply(now);
      const isChanged = changed !== null && changed !== false;
      const data = isChanged ? dataOf(changed as NonNullable<typeof changed>) : null;
      // if a message is not stored, the report stays, and the change is reported again
      if (data === null || (await emitChange({ ...data, ...change }, now, emit))) await forget();
      return changed;
    } catch (error) {
      // if the database has not responded, the change may have been made all the same
      if (toOAuthError(error).status < 500) await forget();
      throw error;
    }
  };
}

/**
 * Emits the events of a change, always with the same ids and the same time.
 *
 * @returns whether all messages about them are stored
 */
export async function emitChange(
  { type, ...data }: ReportedChange,
  time: Date,
  emit: Emit,
): Promise<boolean> {
  const { reason = '', ...others } = data;
  const [cause, more] = CAUSES[reason] ?? [];
  const seconds = Math.floor(time.getTime() / 1000).toString(16);
  const emitOne = async (name: EventName, index: number, said: EventData) => {
    const of = JSON.stringify([name, data.grantId ?? data.clientId, time]);
    const hash = createHash('sha256').update(of).digest('hex').slice(0, 15);
    // sorts by time, as the ids of the audit do
    const id = `${seconds.padStart(8, '0')}${index}${hash}`;
    return (await emit(name, { ...said, id, time } as Parameters<Emit>[1])) ?? true;
  };
  const stored = await Promise.all([
    cause === undefined || emitOne(cause, 0, { ...others, ...more }),
    emitOne(type, 1, data),
  ]);
  return stored.every(Boolean);
}
