import type { Server } from '../../../server/server.js';
import { urlOf } from '../../../settings/endpoint-urls.js';
import type { Settings } from '../../../settings/settings.js';
import { requireEnabled } from '../../../settings/table/require-enabled.js';
import { seal, unseal } from '../../../shared/crypto/seal.js';
import { invalidRequest, type OAuthError } from '../../../shared/errors.js';
import { checkTarget } from '../../../shared/outbound/safe-fetch.js';
import { isObject } from '../../../shared/schema.js';
import type { SignalStream, StreamChanges, StreamDelivery } from '../../../storage/other/signal-streams.js';
import { POLL_METHOD, PUSH_METHOD, SUPPORTED_EVENTS } from '../event-types.js';
import type { TransmitterSettings } from '../options.js';

const MAX_EVENTS = 100;
const MAX_TEXT = 1024;
/** §8.1.1: the transmitter MAY truncate a description. */
const MAX_DESCRIPTION = 500;

type Body = Readonly<Record<string, unknown>>;

export function transmitterOf({ settings }: Server): TransmitterSettings {
  const { transmitter } = requireEnabled(settings.sharedSignals, 'sharedSignals');
  return requireEnabled(transmitter, 'sharedSignals.transmitter');
}

/** The key that seals a stream's Authorization header in the database, one for each stream. */
export function headerKeyOf(streamId: string, { serverSecret: secret }: Settings) {
  return { secret, owner: streamId, purpose: 'authorization header of a stream' };
}

function pollUrlOf(streamId: string, settings: Settings): string {
  return `${urlOf(settings, 'ssf')}/poll/${streamId}`;
}

/** The supported events that the receiver has requested. */
export function eventsDelivered({ eventsRequested }: SignalStream): readonly string[] {
  return SUPPORTED_EVENTS.filter((type) => eventsRequested?.includes(type) ?? true);
}

/**
 * The configuration of a stream (§8.1.1).
 *
 * @param hasSecret whether it includes the receiver's header, which an update has to repeat
 */
export async function describeStream(
  stream: SignalStream,
  server: Server,
  hasSecret: boolean,
): Promise<Body> {
  const { settings } = server;
  const { _id: id, audience, eventsRequested, description, delivery } = stream;
  const isPolled = delivery.method === 'poll';
  const sealed = isPolled || !hasSecret ? undefined : delivery.authorizationHeader;
  return {
    stream_id: id,
    iss: settings.issuer,
    aud: audience,
    delivery: isPolled
      ? { method: POLL_METHOD, endpoint_url: pollUrlOf(id, settings) }
      : {
          method: PUSH_METHOD,
          endpoint_url: delivery.endpointUrl,
          authorization_header:
            sealed === undefined ? undefined : await unseal(sealed, headerKeyOf(id, settings)),
        },
    events_supported: SUPPORTED_EVENTS,
    events_requested: eventsRequested,
    events_delivered: eventsDelivered(stream),
    min_verification_interval: transmitterOf(server).minVerificationInterval,
    description,
  };
}

/**
 * The members of the body that a receiver may supply.
 *
 * @throws OAuthError invalid_request
 */
export async function readSuppliedByReceiver(
  streamId: string,
  body: Body,
  server: Server,
): Promise<StreamChanges> {
  const { events_requested: events, description, delivery } = body;
  const supplied: { -readonly [Name in keyof StreamChanges]: StreamChanges[Name] } = {};
  if (events !== undefined) {
    const isList =
      Array.isArray(events) && events.length <= MAX_EVENTS && events.every((type) => isText(type));
    if (!isList) throw invalid(`events_requested must be a list of at most ${MAX_EVENTS} URIs`);
    // §8.1.1: unsupported values are ignored
    supplied.eventsRequested = [...new Set(events)];
  }
  if (description !== undefined) {
    if (typeof description !== 'string') throw invalid('description must be text');
    supplied.description = description.slice(0, MAX_DESCRIPTION);
  }
  if (delivery !== undefined) supplied.delivery = await readDelivery(streamId, delivery, server);
  return supplied;
}

async function readDelivery(streamId: string, delivery: unknown, server: Server): Promise<StreamDelivery> {
  if (!isObject(delivery)) throw invalid('delivery must be an object');
  const { method, endpoint_url: url, authorization_header: header } = delivery;
  if (method === POLL_METHOD) {
    if (url !== undefined && url !== pollUrlOf(streamId, server.settings))
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
    // checks only the URL; each push checks the resolved address
    checkTarget(target, transmitterOf(server));
  } catch (cause) {
    throw invalid('delivery.endpoint_url must be an https: URL on the public internet', cause);
  }
  if (header === undefined) return { method: 'push', endpointUrl };
  const authorizationHeader = readText('delivery.authorization_header', header);
  // a line break would begin another header
  if (!/^[\x20-\x7e]+$/.test(authorizationHeader))
    throw invalid('delivery.authorization_header must be one line of ASCII');
  const sealed = await seal(authorizationHeader, headerKeyOf(streamId, server.settings));
  return { method: 'push', endpointUrl, authorizationHeader: sealed };
}

function readText(name: string, value: unknown): string {
  if (!isText(value)) throw invalid(`${name} must be text of at most ${MAX_TEXT} characters`);
  return value;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_TEXT;
}

/** An error about an invalid request to the management API. */
export function invalid(description: string, cause?: unknown): OAuthError {
  return invalidRequest(description, 'stream_invalid', { cause });
}
