import type { Server } from '../../server/server.js';
import { option, type OptionsOf, required } from '../../settings/table/option.js';
import { parseOptions, suggest } from '../../settings/table/parse-options.js';
import { oneOf, recordOf, text } from '../../settings/table/shapes.js';
import { isSubject, type SubjectIdentifier } from '../../shared/protocol/subject-identifier.js';
import * as z from '../../shared/schema.js';
import type { StreamStatus } from '../../storage/other/signal-streams.js';
import { type SignalName, URIS } from './event-types.js';
import { createRunningReceiver } from './receiver/running-receiver.js';
import type { TransmitterClient } from './receiver/transmitter-client.js';
import { checkEvent } from './transmitter/check-event.js';
import { createRunningTransmitter } from './transmitter/running-transmitter.js';
import { transmitterOf } from './transmitter/stream-configuration.js';
import { createStreamService } from './transmitter/stream-service.js';

const emitOptions = {
  /** A user of this site; the subject identifier depends on the receiver. */
  userId: option({ shape: () => text('the id of a user, as text') }),
  /** Or a subject with the same identifier for all receivers (RFC 9493). */
  subject: option({
    shape: () =>
      z.custom<SubjectIdentifier>(isSubject, "a subject identifier, such as { format: 'email', email }"),
  }),
  /** The claims of the event: `{ credential_type: 'password', change_type: 'update' }`. Default: none. */
  event: option({ shape: () => recordOf(z.unknown(), 'an object of claims'), default: {} }),
  /** The same text for all events of one cause. Default: a new one. (RFC 8417 §2.2) */
  txn: option({ shape: () => text('a text') }),
};

/** An event that only the site can report. */
export type EmittedSignal = OptionsOf<typeof emitOptions>;

const statusOptions = {
  streamId: required({ shape: () => text('the id of a stream') }),
  status: required({ shape: () => oneOf(['enabled', 'paused', 'disabled']) }),
  reason: option({ shape: () => text('a short text') }),
};

/** A stream of events to another service. */
export interface ListedStream {
  readonly streamId: string;
  readonly clientId: string;
  readonly status: StreamStatus;
  readonly reason?: string | undefined;
  readonly description?: string | undefined;
}

/** Shared signals to other services and from them. */
export interface SharedSignals {
  /**
   * Reports an event that only your site knows: `emit('account-disabled', { userId })`, `emit('credential-change', {
   * userId, event: { credential_type: 'password', change_type: 'update' } })`. Resolves once the event is stored, to
   * the number of streams that get it. The end of all access of a user is reported without a call.
   *
   * @throws TypeError if there is no such event, something is missing, or `sharedSignals.transmitter` is off
   * @see CAEP 1.0 §3, RISC 1.0 §2
   */
  emit(name: SignalName, signal: EmittedSignal): Promise<number>;
  /**
   * The streams of all receivers.
   *
   * @throws TypeError if `sharedSignals.transmitter` is off
   */
  streams(): Promise<ListedStream[]>;
  /**
   * Pauses, disables or enables a stream, and notifies its receiver. False if there is no such stream.
   *
   * @throws TypeError if an option is wrong, or `sharedSignals.transmitter` is off
   * @see Shared Signals Framework §8.1.2, §8.1.5
   */
  updateStatus(update: OptionsOf<typeof statusOptions>): Promise<boolean>;
  /**
   * This site's streams at a trusted transmitter, by its issuer.
   *
   * @throws TypeError if the issuer is none of `sharedSignals.receiver.transmitters`
   */
  transmitter(issuer: string): TransmitterClient;
}

export function createSharedSignals(server: Server) {
  const { sharedSignals } = server.settings;
  const isTransmitter = sharedSignals && sharedSignals.transmitter;
  const isReceiver = sharedSignals && sharedSignals.receiver;
  const running = isTransmitter ? createRunningTransmitter(server) : undefined;
  const receiver = isReceiver ? createRunningReceiver(server) : undefined;
  const service = isTransmitter ? createStreamService(server) : undefined;
  const { signalStreams } = server.models;

  const registry: SharedSignals = {
    async emit(name, signal) {
      const type = URIS.get(name);
      if (type === undefined)
        throw new TypeError(
          `sharedSignals.emit: there is no event '${String(name)}'; ${suggest(name, [...URIS.keys()])}`,
        );
      const { userId, subject, event, txn } = parseOptions('sharedSignals.emit', emitOptions, signal);
      if ((userId === undefined) === (subject === undefined))
        throw new TypeError('sharedSignals.emit: name a userId, or a subject');
      const claims = {
        event_timestamp: Math.floor(Date.now() / 1000),
        reason_admin: NEEDS_REASON.has(name) ? { en: `The site has reported ${name}` } : undefined,
        ...event,
      };
      checkEvent(name, claims);
      if (running === undefined) throw isOff('emit', 'transmitter');
      return running.publish({ type, userId, subject, event: claims, txn });
    },
    async streams() {
      if (service === undefined) throw isOff('streams', 'transmitter');
      const clientIds = transmitterOf(server).receivers.map(({ clientId }) => clientId);
      return (await signalStreams.listAll(clientIds)).map((stream) => {
        const { _id: streamId, clientId, status, reason, description } = stream;
        return { streamId, clientId, status, reason, description };
      });
    },
    async updateStatus(update) {
      if (service === undefined) throw isOff('updateStatus', 'transmitter');
      const { streamId, status, reason } = parseOptions('sharedSignals.updateStatus', statusOptions, update);
      const stream = await signalStreams.find(streamId);
      if (stream === null) return false;
      await service.setStatusByTransmitter(stream, status, reason);
      return true;
    },
    transmitter(issuer) {
      const client = receiver?.clients.get(issuer);
      if (client !== undefined) return client;
      if (receiver === undefined) throw isOff('transmitter', 'receiver');
      throw new TypeError(
        `sharedSignals.transmitter: '${issuer}' is none of sharedSignals.receiver.transmitters; there are ${[...receiver.clients.keys()].join(', ')}`,
      );
    },
  };
  return {
    registry,
    /** Stores pending events, and resolves once none is being sent. */
    async close() {
      await Promise.all([running?.close(), receiver?.close()]);
    },
  };
}

/** CAEP Interoperability Profile §3: `reason_admin` MUST NOT be empty. */
const NEEDS_REASON: ReadonlySet<string> = new Set([
  'session-revoked',
  'credential-change',
  'device-compliance-change',
]);

function isOff(name: string, member: string): TypeError {
  return new TypeError(`sharedSignals.${name}: write the option sharedSignals: { ${member}: { … } }`);
}
