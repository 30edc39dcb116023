import { grantEventData } from '../core/grants/grant.js';
import type { EventData, ReportedChange } from '../core/observability/events.js';
import { createBackgroundReport } from '../core/observability/report.js';
import { createDeliveryWorker } from '../delivery/delivery-worker.js';
import { emitChange, UNREPORTED } from '../delivery/report-change.js';
import { messageOf } from '../shared/errors.js';
import type { Server } from './server.js';

/** Emits the events of changes whose process has died before it reported them, at the start and at intervals. */
export function createUnreportedChanges({ settings, models, events }: Server) {
  const report = createBackgroundReport(settings.onError, 'events');
  const worker = createDeliveryWorker({
    endpoint: { name: UNREPORTED, timeout: settings.advanced.databaseTimeout },
    async attempt({ payload }) {
      const { now, ...change } = JSON.parse(payload) as ReportedChange & { readonly now: string };
      try {
        const { type, grantId = '', clientId = '' } = change;
        const isThen = (time: Date | undefined) => time?.getTime() === new Date(now).getTime();
        // the data of the event; undefined if the change was not made
        let data: EventData | undefined;
        if (type === 'client.blocked') {
          const client = await models.clients.find(clientId);
          if (isThen(client?.blocked?.at)) data = { userId: client?.ownerId };
        } else {
          const grant = await models.grants.find(grantId);
          const isMade =
            type === 'token.issued'
              ? // a token beyond the limit ends at the moment when it is made
                isThen(grant?.createdAt) && !isThen(grant?.revokedAt)
              : isThen(type === 'token.blocked' ? grant?.blockedAt : grant?.revokedAt);
          if (grant && isMade) data = grantEventData(grant);
        }
        const isStored =
          data === undefined || (await emitChange({ ...data, ...change }, new Date(now), events.emit));
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
