import type { Emit } from '../../../core/observability/events.js';
import type { Server } from '../../../server/server.js';
import { requireEnabled } from '../../../settings/table/require-enabled.js';
import { loadJose } from '../../../shared/crypto/jose.js';
import { createSecret, equalText, hashSecret, tagOf } from '../../../shared/crypto/secrets.js';
import { addSeconds } from '../../../shared/date.js';
import { VERIFICATION } from '../event-types.js';
import { malformed, MAX_EVENT_AGE, refusedToken, verifyEventToken } from './security-event-token.js';
import { createTransmitterApi } from './transmitter-api.js';

/** The endpoint name of received events in the inbox. */
export const RECEIVED = 'shared signals';

/** The delivery of a token. */
export interface Arrival {
  /** The `Authorization` header of the push; undefined if missing. */
  readonly authorization?: string | undefined;
  /** The polled transmitter; undefined for a push. */
  readonly polledFrom?: string;
  readonly now: Date;
  readonly emit: Emit;
}

export type ReceiverParts = ReturnType<typeof createReceiverParts>;

export function createReceiverParts({ settings, models: { inbox } }: Server) {
  const { receiver: receiverOption } = requireEnabled(settings.sharedSignals, 'sharedSignals');
  const receiver = requireEnabled(receiverOption, 'sharedSignals.receiver');
  const { clockTolerance } = settings.security;
  /** The APIs of the transmitters, by issuer. */
  const apis = new Map(receiver.transmitters.map((entry) => [entry.issuer, createTransmitterApi(entry)]));

  /**
   * Shared Signals Framework §8.1.4: the `state` of a verification that this site requests has a tag, by which every
   * process recognizes it without a store.
   */
  const createState = (issuer: string, streamId: string, nonce = createSecret()): string =>
    `${nonce}.${tagOf(JSON.stringify(['verification state', issuer, streamId, nonce]), settings.serverSecret)}`;

  /**
   * Validates a security event token and stores its event, which is applied later, so that no transmitter waits. (RFC
   * 8935 §2)
   *
   * @throws OAuthError with a code of RFC 8935 §2.4; temporarily_unavailable if the transmitter should repeat it
   */
  const take = async (jwt: string, { authorization, polledFrom, now, emit }: Arrival): Promise<void> => {
    // unverified: the issuer only selects the keys
    const { decodeJwt } = await loadJose();
    let issuer: string | undefined;
    try {
      ({ iss: issuer } = decodeJwt(jwt));
    } catch (cause) {
      throw malformed('the body is no security event token', cause);
    }
    if (typeof issuer !== 'string') throw malformed('iss is missing');
    const transmitter = receiver.transmitters.find((entry) => entry.issuer === issuer);
    if (transmitter === undefined)
      throw refusedToken('invalid_issuer', 'the issuer is not trusted here', 'event_token_wrong_issuer', {
        detail: `iss ${issuer.slice(0, 200)} is none of sharedSignals.receiver.transmitters`,
      });

    // authenticates the sender first: a transmitter cannot deliver tokens of another one
    const { delivery, authorization: expected } = transmitter;
    const isPolled = polledFrom !== undefined;
    const isAuthentic =
      isPolled || expected === undefined || equalText(hashSecret(authorization ?? ''), hashSecret(expected));
    if (!isAuthentic)
      throw refusedToken('authentication_failed', 'the Authorization header is wrong', 'transmitter_unknown');
    if (isPolled ? polledFrom !== issuer : delivery !== 'push')
      throw refusedToken('access_denied', 'this issuer does not send here', 'event_token_not_expected', {
        detail: isPolled
          ? `${polledFrom} has handed out a token of ${issuer}`
          : `${issuer} is polled (sharedSignals.receiver.transmitters), and pushes nothing`,
      });
    const api = apis.get(issuer)!;
    const event = await verifyEventToken(jwt, transmitter, { api, clockTolerance, now });

    // Shared Signals Framework §8.1.4.1: a verification with a state responds to a request of this site
    const { state } = event.event;
    if (event.type === VERIFICATION && state !== undefined) {
      const text = typeof state === 'string' ? state : '';
      if (!equalText(text, createState(issuer, String(event.subject.id), text.split('.')[0])))
        throw refusedToken(
          'invalid_state',
          'the state is not the one that was sent',
          'event_token_malformed',
        );
    }

    // RFC 8417 §2: events of unknown types are ignored, without an error (Shared Signals Framework §9.3)
    const isNew =
      event.isKnown &&
      (await inbox.receive({
        // the same id for the same token, in each process and at each delivery
        _id: hashSecret(JSON.stringify([issuer, event.jti])),
        endpoint: RECEIVED,
        type: event.type,
        payload: JSON.stringify(event),
        createdAt: now,
        triedSince: now,
        attempts: 0,
        nextAt: now,
        expiresAt: addSeconds(now, MAX_EVENT_AGE + 2 * clockTolerance),
      }));
    if (isNew || !event.isKnown) emit('signal.received', { reason: event.type });
  };
  return { receiver, apis, take, createState };
}
