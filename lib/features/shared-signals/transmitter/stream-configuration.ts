import type { SignalStream, StreamChanges, StreamDelivery } from '../../../core/delivery/signal-streams.js';
import { OAuthError } from '../../../shared/errors.js';
import { checkTarget } from '../../../shared/outbound/safe-fetch.js';
import { POLL_METHOD, PUSH_METHOD, SUPPORTED_EVENTS } from '../event-types.js';

const MAX_EVENTS = 100;
const MAX_TEXT = 1024;
/** §8.1.1: the transmitter MAY truncate a description. */
const MAX_DESCRIPTION = 500;

/** What the configuration of a stream is made from, beside the stream. */
export interface ConfigurationContext {
  readonly issuer: string;
  readonly minVerificationInterval: number;
  readonly allowPrivateAddresses: boolean;
  readonly pollUrl: (streamId: string) => string;
  /** Encrypts the header of a stream for storage. */
  readonly seal: (streamId: string, header: string) => Promise<string>;
  readonly unseal: (streamId: string, sealed: string) => Promise<string>;
}

type Body = Readonly<Record<string, unknown>>;

/** What a stream delivers: what is supported and requested. */
export function eventsDelivered({ eventsRequested }: SignalStream): readonly string[] {
  return SUPPORTED_EVENTS.filter((type) => eventsRequested?.includes(type) ?? true);
}

/**
 * The configuration of a stream (§8.1.1).
 *
 * @param hasSecret whether the header of the receiver is in it: whoever may change it has to send it again
 */
export async function describeStream(
  stream: SignalStream,
  { issuer, minVerificationInterval, pollUrl, unseal }: ConfigurationContext,
  hasSecret: boolean,
): Promise<Body> {
  const { id, audience, eventsRequested, description, delivery } = stream;
  const isPolled = delivery.method === 'poll';
  const sealed = isPolled || !hasSecret ? undefined : delivery.authorizationHeader;
  return {
    stream_id: id,
    iss: issuer,
    aud: audience,
    delivery: isPolled
      ? { method: POLL_METHOD, endpoint_url: pollUrl(id) }
      : {
          method: PUSH_METHOD,
          endpoint_url: delivery.endpointUrl,
          authorization_header: sealed === undefined ? undefined : await unseal(id, sealed),
        },
    events_supported: SUPPORTED_EVENTS,
    events_requested: eventsRequested,
    events_delivered: eventsDelivered(stream),
    min_verification_interval: minVerificationInterval,
    description,
  };
}

/** What only the transmitter supplies; whoever sends it back must not have changed it (§8.1.1.3). */
const TRANSMITTER_SUPPLIED = [
  'iss',
  'aud',
  'events_supported',
  'events_delivered',
  'min_verification_interval',
];

/** @throws OAuthError invalid_request if a request says otherwise than the stream is */
export function checkSuppliedByTransmitter(body: Body, described: Body): void {
  const canonical = (value: unknown) =>
    JSON.stringify(Array.isArray(value) ? [...(value as unknown[])].sort() : [value]);
  const changed = TRANSMITTER_SUPPLIED.find(
    (name) => body[name] !== undefined && canonical(body[name]) !== canonical(described[name]),
  );
  if (changed !== undefined) throw invalid(`${changed} is not what the transmitter has said`);
}

/**
 * The members that a receiver supplies and that are there.
 *
 * @throws OAuthError invalid_request
 */
export async function readSuppliedByReceiver(
  streamId: string,
  body: Body,
  context: ConfigurationContext,
): Promise<StreamChanges> {
  const { events_requested: events, description, delivery } = body;
  const supplied: { -readonly [Name in keyof StreamChanges]: StreamChanges[Name] } = {};
  if (events !== undefined) {
    const isList =
      Array.isArray(events) && events.length <= MAX_EVENTS && events.every((type) => isText(type));
    if (!isList) throw invalid(`events_requested must be a list of at most ${MAX_EVENTS} URIs`);
    // §8.1.1: values that are not understood are ignored
    supplied.eventsRequested = [...new Set(events)];
  }
  if (description !== undefined) {
    if (typeof description !== 'string') throw invalid('description must be text');
    supplied.description = description.slice(0, MAX_DESCRIPTION);
  }
  if (delivery !== undefined) supplied.delivery = await readDelivery(streamId, delivery, context);
  return supplied;
}

async function readDelivery(
  streamId: string,
  given: unknown,
  { allowPrivateAddresses, pollUrl, seal }: ConfigurationContext,
): Promise<StreamDelivery> {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw invalid('delivery must be an object');
  const { method, endpoint_url: url, authorization_header: header } = given as Body;
  if (method === POLL_METHOD) {
    if (url !== undefined && url !== pollUrl(streamId))
      throw invalid('delivery.endpoint_url of a poll is supplied by the transmitter');
    return { method: 'poll' };
  }
  if (method !== PUSH_METHOD) throw invalid(`delivery.method must be ${PUSH_METHOD} or ${POLL_METHOD}`);
  const endpointUrl = readText('delivery.endpoint_url', url);
  if (!URL.canParse(endpointUrl)) throw invalid('delivery.endpoint_url must be a URL');
  const target = new URL(endpointUrl);
  if (target.username !== '' || target.password !== '' || target.hash !== '')
    throw invalid('delivery.endpoint_url must have no user name, password or fragment');
  try {
    // where it resolves to is checked at each push: here only what the URL itself says
    checkTarget(target, { allowPrivateAddresses });
  } catch (cause) {
    throw invalid('delivery.endpoint_url must be an https: URL on the public internet', cause);
  }
  if (header === undefined) return { method: 'push', endpointUrl };
  const authorizationHeader = readText('delivery.authorization_header', header);
  // a line end would begin another header
  if (!/^[\x20-\x7e]+$/.test(authorizationHeader))
    throw invalid('delivery.authorization_header must be one line of ASCII');
  return { method: 'push', endpointUrl, authorizationHeader: await seal(streamId, authorizationHeader) };
}

function readText(name: string, value: unknown): string {
  if (!isText(value)) throw invalid(`${name} must be text of at most ${MAX_TEXT} characters`);
  return value;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_TEXT;
}

/** A request to the management API that is wrong. */
export function invalid(description: string, cause?: unknown): OAuthError {
  return new OAuthError('invalid_request', description, { reason: 'stream_invalid', cause });
}
