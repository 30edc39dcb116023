import type { JsonCall } from '../../../shared/outbound/safe-fetch.js';
import type { SubjectIdentifier } from '../../../shared/protocol/subject-identifier.js';
import type { StreamStatus } from '../../../storage/other/signal-streams.js';
import { ENDING_EVENTS, POLL_METHOD, PUSH_METHOD, SUPPORTED_EVENTS } from '../event-types.js';
import type { TrustedTransmitter } from '../options.js';
import type { ReceiverParts } from './intake.js';
import type { TransmitterMetadata } from './transmitter-api.js';

type EndpointName = Extract<keyof TransmitterMetadata, `${string}_endpoint`>;

/** The configuration of a stream, as its transmitter returns it. (Shared Signals Framework §8.1.1) */
export interface ReadStream {
  readonly stream_id: string;
  readonly iss: string;
  readonly aud: string | readonly string[];
  readonly delivery: { readonly method: string; readonly endpoint_url?: string };
  readonly events_delivered?: readonly string[];
  readonly events_requested?: readonly string[];
  readonly events_supported?: readonly string[];
  readonly description?: string;
}

/** The members of a stream that a receiver can choose. */
export interface StreamRequest {
  /** The URIs of the requested events. Default: the events on which this site acts. */
  readonly events?: readonly string[];
  readonly description?: string;
}

/**
 * This site's streams at a transmitter. Each function calls the transmitter's management API with an access token.
 *
 * @throws Error if the response is missing or invalid
 * @see Shared Signals Framework §8.1
 */
export interface TransmitterClient {
  /** Creates a stream, pushed or polled as the options say. */
  createStream(request?: StreamRequest): Promise<ReadStream>;
  readStreams(): Promise<readonly ReadStream[]>;
  readStream(streamId: string): Promise<ReadStream>;
  /** Changes only the members of the request. (§8.1.1.3) */
  updateStream(streamId: string, request: StreamRequest): Promise<ReadStream>;
  /** Replaces the stream by the result of `createStream` with this request. (§8.1.1.4) */
  replaceStream(streamId: string, request?: StreamRequest): Promise<ReadStream>;
  readStatus(streamId: string): Promise<{ readonly status: StreamStatus; readonly reason?: string }>;
  updateStatus(streamId: string, status: StreamStatus, reason?: string): Promise<void>;
  addSubject(streamId: string, subject: SubjectIdentifier): Promise<void>;
  removeSubject(streamId: string, subject: SubjectIdentifier): Promise<void>;
  /** Requests a verification event, which arrives as `signal.received` if the stream works. */
  verify(streamId: string): Promise<void>;
  deleteStream(streamId: string): Promise<void>;
}

/** @param pushUrl the address of this site for pushes */
export function createTransmitterClient(
  transmitter: TrustedTransmitter,
  { receiver, apis, createState }: ReceiverParts,
  pushUrl: string,
): TransmitterClient {
  const { issuer, audience, authorization } = transmitter;
  const api = apis.get(issuer)!;

  const urlOf = async (name: EndpointName, streamId?: string): Promise<string> => {
    const url = (await api.metadata())[name];
    if (url === undefined) throw new Error(`${issuer} has no ${name}`);
    const target = new URL(url);
    if (streamId !== undefined) target.searchParams.set('stream_id', streamId);
    return target.href;
  };
  const call = async (call: JsonCall, ...expected: readonly number[]): Promise<unknown> => {
    const { status, body } = await api.call(call);
    if (expected.includes(status)) return body;
    throw new Error(`${issuer} answered ${call.method} ${new URL(call.url).pathname} with status ${status}`);
  };
  const post = async (name: EndpointName, body: object): Promise<void> => {
    await call({ method: 'POST', url: await urlOf(name), body }, 200, 202, 204);
  };
  /** §8.1.1.1: MUST check that `iss` is the issuer of the metadata; SHOULD check `aud`. */
  const checked = (stream: unknown): ReadStream => {
    const { iss, aud, stream_id: id, delivery } = (stream ?? {}) as Partial<ReadStream>;
    if (iss !== issuer) throw new Error(`the stream is not one of ${issuer}`);
    if (![aud ?? []].flat().some((one) => audience.includes(one)))
      throw new Error(
        `the stream of ${issuer} is for ${String(aud)}, which is not the audience in the options`,
      );
    if (typeof id !== 'string' || typeof delivery?.method !== 'string')
      throw new Error(`${issuer} answered a stream without stream_id or delivery`);
    return stream as ReadStream;
  };

  const configure = async (method: 'POST' | 'PATCH' | 'PUT', body: object): Promise<ReadStream> => {
    const url = await urlOf('configuration_endpoint');
    return checked(await call({ method, url, body }, method === 'POST' ? 201 : 200));
  };
  const wholeStream = ({ events, description }: StreamRequest): object => ({
    delivery:
      transmitter.delivery === 'poll'
        ? { method: POLL_METHOD }
        : { method: PUSH_METHOD, endpoint_url: pushUrl, authorization_header: authorization },
    events_requested: events ?? (receiver.onSignal === undefined ? [...ENDING_EVENTS] : SUPPORTED_EVENTS),
    description,
  });

  return {
    createStream: (request = {}) => configure('POST', wholeStream(request)),
    updateStream: (streamId, { events, description }) =>
      configure('PATCH', { stream_id: streamId, events_requested: events, description }),
    replaceStream: (streamId, request = {}) =>
      configure('PUT', { stream_id: streamId, ...wholeStream(request) }),
    async readStream(streamId) {
      const url = await urlOf('configuration_endpoint', streamId);
      const stream = checked(await call({ method: 'GET', url }, 200));
      if (stream.stream_id !== streamId) throw new Error(`${issuer} answered another stream`);
      return stream;
    },
    async readStreams() {
      const body = await call({ method: 'GET', url: await urlOf('configuration_endpoint') }, 200);
      if (!Array.isArray(body)) throw new Error(`${issuer} did not answer a list of streams`);
      return body.map(checked);
    },
    async readStatus(streamId) {
      const url = await urlOf('status_endpoint', streamId);
      const { status, reason } = (await call({ method: 'GET', url }, 200)) as {
        readonly status: StreamStatus;
        readonly reason?: string;
      };
      return reason === undefined ? { status } : { status, reason };
    },
    updateStatus: (streamId, status, reason) =>
      post('status_endpoint', { stream_id: streamId, status, reason }),
    addSubject: (streamId, subject) => post('add_subject_endpoint', { stream_id: streamId, subject }),
    removeSubject: (streamId, subject) => post('remove_subject_endpoint', { stream_id: streamId, subject }),
    verify: (streamId) =>
      post('verification_endpoint', { stream_id: streamId, state: createState(issuer, streamId) }),
    async deleteStream(streamId) {
      await call({ method: 'DELETE', url: await urlOf('configuration_endpoint', streamId) }, 204);
    },
  };
}
