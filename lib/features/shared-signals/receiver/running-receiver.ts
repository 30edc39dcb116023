import type { DeliveryOutcome } from '../../../core/delivery/attempt.js';
import { createDeliveryWorker } from '../../../core/delivery/delivery-worker.js';
import type { WebhookMessage } from '../../../core/delivery/outbox.js';
import { notifyHost } from '../../../core/observability/report.js';
import type { Server } from '../../../server/server.js';
import { urlOf } from '../../../settings/endpoint-urls.js';
import { messageOf, unableForTheMoment } from '../../../shared/errors.js';
import { createActOnEvent } from './act-on-event.js';
import { RECEIVED } from './intake.js';
import { createPollWorker, type PollWorker } from './poll-worker.js';
import { createReceiverParts, type ReceiverParts } from './receiver-parts.js';
import type { SecurityEvent } from './security-event-token.js';
import { createTransmitterClient, type TransmitterClient } from './transmitter-client.js';

/** Seconds after which an event on which nobody could act is given up. */
const GIVE_UP_AFTER = 86_400;
/** Milliseconds that the functions of the site may take. */
const TIMEOUT = 30_000;

export interface RunningReceiver {
  /** The streams of this site at its transmitters, by their issuers. */
  readonly clients: ReadonlyMap<string, TransmitterClient>;
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
  const clients = createClients(server, parts);
  const pollers = createPollers(server, parts, clients);

  return {
    clients,
    async close() {
      await Promise.all(pollers.map((poller) => poller.close()));
      events.off('signal.received', wake);
      await worker.close();
    },
  };
}

function createClients(
  { settings }: Server,
  { receiver, apis, states }: ReceiverParts,
): ReadonlyMap<string, TransmitterClient> {
  const pushUrl = urlOf(settings, 'ssf-events');
  return new Map(
    receiver.transmitters.map((transmitter) => {
      const api = apis.get(transmitter.issuer)!;
      return [transmitter.issuer, createTransmitterClient({ transmitter, receiver, api, states, pushUrl })];
    }),
  );
}

function createPollers(
  { settings, events }: Server,
  { receiver, apis, take }: ReceiverParts,
  clients: ReadonlyMap<string, TransmitterClient>,
): readonly PollWorker[] {
  return receiver.transmitters
    .filter(({ delivery }) => delivery === 'poll')
    .map(({ issuer }) =>
      createPollWorker({
        issuer,
        api: apis.get(issuer)!,
        client: clients.get(issuer)!,
        take,
        emit: events.emit,
        onProblem: (problem, cause) =>
          notifyHost(settings.onError, unableForTheMoment(`polling ${issuer}: ${problem}`, cause), CONTEXT),
      }),
    );
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
