import { createBackgroundReport } from '../../../core/observability/report.js';
import { createDeliveryWorker, type DeliveryOutcome } from '../../../delivery/delivery-worker.js';
import { DELIVERY_TIMEOUT } from '../../../delivery/new-messages.js';
import type { WebhookMessage } from '../../../delivery/outbox.js';
import { createThrottledSend, NotTaken } from '../../../delivery/throttled-send.js';
import type { Server } from '../../../server/server.js';
import { unseal } from '../../../shared/crypto/seal.js';
import { addSeconds } from '../../../shared/date.js';
import { post } from '../../../shared/outbound/safe-fetch.js';
import { STREAM_UPDATED } from '../event-types.js';
import { headerKeyOf, transmitterOf } from './stream-configuration.js';
import { endpointOf, outboxPartOf, PUSHES, signEvent, type StreamEvent } from './stream-messages.js';

/** Seconds until a stopped stream is checked again; enabling a stream makes its messages due at once. */
const STOPPED = 600;

/**
 * Pushes security event tokens from the outbox of webhooks: until the receiver accepts them, in order for each subject,
 * with growing pauses.
 *
 * @see RFC 8935 §2
 */
export function createPushSender(server: Server) {
  const { models, settings, events } = server;
  const { receivers, allowPrivateAddresses } = transmitterOf(server);
  const { outbox, signalStreams } = models;
  const throttled = createThrottledSend();
  const report = createBackgroundReport(settings.onError, 'ssf');

  const attempt = async (message: WebhookMessage, now: Date): Promise<DeliveryOutcome> => {
    const { streamId } = JSON.parse(message.payload) as StreamEvent;
    const stream = await signalStreams.find(streamId);
    // the stream was deleted
    if (stream === null) return {};
    const { _id: id, clientId, status, delivery } = stream;
    // a client that is no longer in `receivers` gets no more events; those of a blocked client wait
    const client = receivers.some((receiver) => receiver.clientId === clientId)
      ? await models.clients.find(clientId)
      : null;
    if (client === null) return {};
    // §8.1.2.1: events of a paused stream wait, events of a disabled stream are discarded
    const isOpen = status === 'enabled' || message.type === STREAM_UPDATED;
    if (client.blocked !== undefined || (!isOpen && status === 'paused'))
      return { later: addSeconds(now, STOPPED) };
    if (!isOpen) return {};
    if (delivery.method === 'poll') {
      await outbox.transfer(
        { ...outboxPartOf(stream), endpoint: PUSHES },
        { endpoint: endpointOf(stream), nextAt: now },
      );
      return {};
    }
    const { endpointUrl: url, authorizationHeader: sealed } = delivery;
    const push = async (): Promise<void> => {
      const body = await signEvent(message, stream, server);
      const headers: Record<string, string> = {
        'content-type': 'application/secevent+jwt',
        accept: 'application/json',
        'accept-language': 'en',
      };
      // SSF §6.1.1: MUST be present in every request
      if (sealed !== undefined) headers.authorization = await unseal(sealed, headerKeyOf(id, settings));
      // the receiver chooses the URL, so the limits for untrusted addresses apply
      const fetch = { url, clientId, standing: 'vouched', hasOwnPauses: true } as const;
      const { status } = await server.limitUntrustedFetch(fetch, () =>
        post(url, { headers, body }, { timeout: DELIVERY_TIMEOUT, allowPrivateAddresses }),
      );
      if (status < 200 || status > 299) throw new NotTaken(status);
    };
    return throttled(id, push);
  };

  return createDeliveryWorker({
    endpoint: { name: PUSHES, timeout: DELIVERY_TIMEOUT },
    attempt,
    outbox,
    atOnce: 16,
    onGivenUp(_reason, count) {
      if (count === 0) return;
      report(`shared signals: ${count} events were given up`);
      events.emit('signal.failed', { reason: 'given_up', count });
    },
    onAway: (cause) => report('shared signals: the database did not answer', cause),
  });
}
