import { createDeliveryWorker } from '../core/delivery/delivery-worker.js';
import { GIVE_UP_AFTER } from '../core/delivery/new-messages.js';
import { emitChange, type ReportedChange, UNREPORTED } from '../core/delivery/report-change.js';
import { grantEventData } from '../core/grants/grant.js';
import type { EventData } from '../core/observability/events.js';
import { createBackgroundReport } from '../core/observability/report.js';
import { messageOf } from '../shared/errors.js';
import type { Server } from './server.js';

/** Emits the events of changes whose process has died before it has told of them; it looks at the start and later. */
export function createUnreportedChanges({ settings, models, events }: Server) {
  const report = createBackgroundReport(settings.onError, 'events');
  const worker = createDeliveryWorker({
    endpoint: {
      name: UNREPORTED,
      url: '',
      timeout: settings.advanced.databaseTimeout,
      giveUpAfter: GIVE_UP_AFTER,
    },
    async attempt({ payload }) {
      const { now, ...change } = JSON.parse(payload) as ReportedChange & { readonly now: string };
      try {
        const data = await findData(change, new Date(now), models);
        const isStored =
          data === null || (await emitChange({ ...data, ...change }, new Date(now), events.emit));
        return isStored ? {} : { problem: 'the messages about a change could not be stored' };
      } catch (error) {
        return { problem: messageOf(error) };
      }
    },
    outbox: models.outbox,
    onProblem: (problem) => problem !== undefined && report(`reports of changes: ${problem}`),
    onGivenUp: (_reason, count) => count > 0 && report(`reports of changes: ${count} were given up`),
    onAway: (cause) => report('reports of changes: the database did not answer', cause),
  });
  worker.wake();
  return worker;
}

/** What the event says; null if the change was not made. */
async function findData(
  { type, grantId = '', clientId = '' }: ReportedChange,
  now: Date,
  { grants, clients }: Server['models'],
): Promise<EventData | null> {
  const isThen = (time: Date | undefined) => time?.getTime() === now.getTime();
  if (type === 'client.blocked') {
    const client = await clients.find(clientId);
    return isThen(client?.blocked?.at) ? { userId: client?.ownerId } : null;
  }
  const grant = await grants.find(grantId);
  const isChanged =
    type === 'token.issued'
      ? // one that was too much ends at the moment when it is made
        isThen(grant?.createdAt) && !isThen(grant?.revokedAt)
      : isThen(type === 'token.blocked' ? grant?.blockedAt : grant?.revokedAt);
  return grant && isChanged ? grantEventData(grant) : null;
}
