import type { Emit } from '../../../core/observability/events.js';
import type { Server } from '../../../server/server.js';
import { createGrantId } from '../../../shared/crypto/secrets.js';
import { invalidRequest, type OAuthError } from '../../../shared/errors.js';
import { insertWithinLimit } from '../../../shared/limits/insert-within-limit.js';
import type { SignalStream, StreamStatus } from '../../../storage/other/signal-streams.js';
import { STREAM_UPDATED, VERIFICATION } from '../event-types.js';
import { describeStream, invalid, readSuppliedByReceiver, transmitterOf } from './stream-configuration.js';
import { endpointOf, outboxPartOf, storeSignals } from './stream-messages.js';

/** Maximum number of a client's streams; each event reads all of them. */
const MAX_STREAMS = 10;

/** §8.1.1.3: members that only the transmitter supplies; an update may repeat, but not change them. */
const TRANSMITTER_SUPPLIED = [
  'iss',
  'aud',
  'events_supported',
  'events_delivered',
  'min_verification_interval',
];

type Body = Readonly<Record<string, unknown>>;

/** The operations of a receiver on its streams. (Shared Signals Framework §8.1) */
export function createStreamService(server: Server) {
  const { models, events } = server;
  const { signalStreams: streams, outbox } = models;
  const { receivers, minVerificationInterval } = transmitterOf(server);

  /** Sets the status of the stream; enabling it sends its pending events. */
  const setStatus = async (stream: SignalStream, status: StreamStatus, reason: string | undefined) => {
    await streams.update(stream._id, { status, reason });
    // §8.1.2.1: events of a disabled stream are discarded
    if (status === 'disabled') await outbox.discard(outboxPartOf(stream));
    if (status === 'enabled')
      await outbox.transfer(outboxPartOf(stream), { endpoint: endpointOf(stream), nextAt: new Date() });
    events.emit('stream.changed', { clientId: stream.clientId, reason: status });
  };

  return {
    setStatus,
    /** @throws OAuthError with status 409 if the client has the maximum number */
    async create(clientId: string, body: Body, emit: Emit) {
      const id = createGrantId();
      const receiver = receivers.find((entry) => entry.clientId === clientId);
      const stream: SignalStream = {
        _id: id,
        clientId,
        audience: receiver?.audience ?? clientId,
        // §8.1.1.1: without `delivery` the stream is polled
        delivery: POLLED,
        status: 'enabled',
        createdAt: new Date(),
        ...(await readSuppliedByReceiver(id, body, server)),
      };
      await insertWithinLimit({
        max: MAX_STREAMS,
        count: async () => (await streams.listOf(clientId)).length,
        insert: () => streams.insert(stream),
        remove: () => streams.remove(id),
        tooMany: () =>
          invalidRequest(`a client has at most ${MAX_STREAMS} streams`, 'stream_invalid', { status: 409 }),
      });
      emit('stream.changed', { clientId, reason: 'created' });
      return describeStream(stream, server, true);
    },
    /** @throws OAuthError with status 404 if the client has no such stream */
    async find(clientId: string, streamId: unknown): Promise<SignalStream> {
      const stream = typeof streamId === 'string' && streamId !== '' ? await streams.find(streamId) : null;
      // the streams of another client are unknown to this one
      if (stream?.clientId === clientId) return stream;
      throw unknownStream();
    },
    /**
     * With `isReplaced`, omitted members are deleted (§8.1.1.4): without `delivery` the stream is polled, as a new one.
     */
    async update(stream: SignalStream, body: Body, isReplaced: boolean, emit: Emit) {
      const described = await describeStream(stream, server, true);
      const canonical = (value: unknown) =>
        JSON.stringify(Array.isArray(value) ? [...(value as unknown[])].sort() : [value]);
      const altered = TRANSMITTER_SUPPLIED.find(
        (name) => body[name] !== undefined && canonical(body[name]) !== canonical(described[name]),
      );
      if (altered !== undefined) throw invalid(`${altered} is not what the transmitter has said`);
      const supplied = await readSuppliedByReceiver(stream._id, body, server);
      const changes = isReplaced
        ? { delivery: POLLED, eventsRequested: undefined, description: undefined, ...supplied }
        : supplied;
      const changed = Object.keys(changes).length === 0 ? stream : await streams.update(stream._id, changes);
      if (changed === null) throw unknownStream();
      if (endpointOf(changed) !== endpointOf(stream))
        await outbox.transfer(outboxPartOf(stream), { endpoint: endpointOf(changed), nextAt: new Date() });
      emit('stream.changed', { clientId: stream.clientId, reason: 'configuration' });
      return describeStream(changed, server, true);
    },
    async remove(stream: SignalStream, emit: Emit) {
      await streams.remove(stream._id);
      await outbox.discard(outboxPartOf(stream));
      emit('stream.changed', { clientId: stream.clientId, reason: 'deleted' });
    },
    /** Sets the status on the site's behalf, and notifies the receiver (§8.1.5). */
    async setStatusByTransmitter(stream: SignalStream, status: StreamStatus, reason: string | undefined) {
      if (status === stream.status) return;
      await setStatus(stream, status, reason);
      // §8.1.5: a stopped stream delivers this event, and no other
      const signal = signalAbout(stream, STREAM_UPDATED, { status, reason });
      await storeSignals(server, [signal], { emit: events.emit });
    },
    /** @throws OAuthError with status 429 if the last verification is too recent */
    async verify(stream: SignalStream, state: string | undefined, emit: Emit) {
      const now = new Date();
      const notAfter = new Date(now.getTime() - minVerificationInterval * 1000);
      if (!(await streams.verify(stream._id, now, notAfter)))
        throw invalidRequest(
          `a stream is verified once in ${minVerificationInterval} seconds`,
          'rate_limited',
          { status: 429, headers: { 'Retry-After': String(minVerificationInterval) } },
        );
      await storeSignals(server, [signalAbout(stream, VERIFICATION, { state })], { emit });
    },
  };
}

const POLLED = { method: 'poll' } as const;

/** The subject of an event about a stream is the stream (§8.1.4.1, §8.1.5). */
function signalAbout(stream: SignalStream, type: string, event: object) {
  return { stream, type, subject: { format: 'opaque', id: stream._id }, event, txn: createGrantId() };
}

function unknownStream(): OAuthError {
  return invalidRequest('there is no such stream', 'stream_unknown', { status: 404 });
}
