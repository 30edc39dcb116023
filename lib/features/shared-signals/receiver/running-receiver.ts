import type { DeliveryOutcome } from '../../../core/delivery/attempt.js';
import { createDeliveryWorker } from '../../../core/delivery/delivery-worker.js';
import type { WebhookMessage } from '../../../core/delivery/outbox.js';
import { notifyHost } from '../../../core/observability/report.js';
import type { Server } from '../../../server/server.js';
import { messageOf, unableForTheMoment } from '../../../shared/errors.js';
import { createActOnEvent } from './act-on-event.js';
import { RECEIVED } from './intake.js';
import { createReceiverParts } from './receiver-parts.js';
import type { SecurityEvent } from './security-event-token.js';

/** Seconds after which an event on which nobody could act is given up. */
const GIVE_UP_AFTER = 86_400;
/** Milliseconds that the functions of the host may take. */
const TIMEOUT = 30_000;

export interface RunningReceiver {
  /** Resolves once nothing is being done. */
  close(): Promise<void>;
}

/** Acts on the events that were taken, in any process, until it has succeeded. */
export function createRunningReceiver(server: Server): RunningReceiver {
  const { settings, models, events } = server;
  const parts = createReceiverParts(server);
  const act = createActOnEvent(server, parts);
  const report = (detail: string, cause?: unknown): void =>
    notifyHost(settings.onError, unableForTheMoment(detail, cause), CONTEXT);

  const worker = createDeliveryWorker({
    endpoint: { name: RECEIVED, url: '', timeout: TIMEOUT, giveUpAfter: GIVE_UP_AFTER },
    attempt: ({ payload }: WebhookMessage) => outcomeOf(() => act(JSON.parse(payload) as SecurityEvent)),
    outbox: models.inbox,
    onProblem: (problem) =>
      problem !== undefined && report(`a received event was not acted on, and is tried again: ${problem}`),
    onGivenUp(_reason, count) {
      report(`${count} received events were given up`);
      events.emit('signal.failed', { reason: 'received', count });
    },
    onAway: (cause) => report('the database did not answer', cause),
  });
  const wake = (): void => worker.wake();
  events.on('signal.received', wake);

  return {
    async close() {
      events.off('signal.received', wake);
      await worker.close();
    },
  };
}

const CONTEXT = { requestId: '', endpoint: 'ssf-events' } as const;

async function outcomeOf(work: () => Promise<void>): Promise<DeliveryOutcome> {
  try {
    await work();
    return {};
  } catch (error) {
    return { problem: messageOf(error) };
  }
}
