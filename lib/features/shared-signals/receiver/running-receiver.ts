import { createBackgroundReport } from '../../../core/observability/report.js';
import { createDeliveryWorker } from '../../../delivery/delivery-worker.js';
import type { WebhookMessage } from '../../../delivery/outbox.js';
import type { Server } from '../../../server/server.js';
import { urlOf } from '../../../settings/endpoint-urls.js';
import { messageOf } from '../../../shared/errors.js';
import { createActOnEvent } from './act-on-event.js';
import { createReceiverParts, RECEIVED } from './intake.js';
import { createPollWorker } from './poll-worker.js';
import type { SecurityEvent } from './security-event-token.js';
import { createTransmitterClient, type TransmitterClient } from './transmitter-client.js';

/** Seconds until an event that fails repeatedly is dropped. */
const GIVE_UP_AFTER = 86_400;
/** Timeout of the site's functions in milliseconds. */
const TIMEOUT = 30_000;

/** Applies received events, in any process, and repeats failed ones. */
export function createRunningReceiver(server: Server) {
  const { settings, models, events } = server;
  const parts = createReceiverParts(server);
  const { receiver, apis, take } = parts;
  const act = createActOnEvent(server, parts);
  const report = createBackgroundReport(settings.onError, 'ssf-events');

  const worker = createDeliveryWorker({
    endpoint: { name: RECEIVED, timeout: TIMEOUT, giveUpAfter: GIVE_UP_AFTER },
    attempt: ({ payload }: WebhookMessage) =>
      act(JSON.parse(payload) as SecurityEvent).then(
        () => ({}),
        (error: unknown) => ({ problem: messageOf(error) }),
      ),
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

  const pushUrl = urlOf(settings, 'ssf-events');
  /** The clients for this site's streams at its transmitters, by issuer. */
  const clients = new Map<string, TransmitterClient>();
  const pollers: ReturnType<typeof createPollWorker>[] = [];
  for (const transmitter of receiver.transmitters) {
    const { issuer, delivery } = transmitter;
    const client = createTransmitterClient(transmitter, parts, pushUrl);
    clients.set(issuer, client);
    if (delivery !== 'poll') continue;
    pollers.push(
      createPollWorker({
        issuer,
        api: apis.get(issuer)!,
        client,
        take,
        emit: events.emit,
        onProblem: (problem, cause) => report(`polling ${issuer}: ${problem}`, cause),
      }),
    );
  }

  return {
    clients,
    async close() {
      await Promise.all(pollers.map((poller) => poller.close()));
      events.off('signal.received', wake);
      await worker.close();
    },
  };
}
