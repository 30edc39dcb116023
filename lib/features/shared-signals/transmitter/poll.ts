import type { Request } from 'express';

import type { WebhookMessage } from '../../../core/delivery/outbox.js';
import type { SignalStream } from '../../../core/delivery/signal-streams.js';
import { closeSignalOf } from '../../../core/http/close-signal.js';
import { notifyHost } from '../../../core/observability/report.js';
import type { Server } from '../../../server/server.js';
import { addSeconds } from '../../../shared/date.js';
import { OAuthError } from '../../../shared/errors.js';
import { sanitizeForLog } from '../../../shared/log-text.js';
import { STREAM_UPDATED } from '../event-types.js';
import { IN_BACKGROUND } from './report-failure.js';
import { invalid } from './stream-configuration.js';
import { endpointOf, signEvent } from './stream-messages.js';
import { createWaitingRoom } from './waiting-room.js';

type Body = Readonly<Record<string, unknown>>;

/** What a poll is answered. (RFC 8936 §2.3) */
export interface PollAnswer {
  /** The tokens by their `jti`. */
  readonly sets: Readonly<Record<string, string>>;
  readonly moreAvailable?: true;
}

/** Answers a poll of a stream (RFC 8936 §2.4, §2.5). @throws OAuthError invalid_request */
export type Poll = (stream: SignalStream, body: Body, req: Request) => Promise<PollAnswer>;

/** Tokens in one answer. */
const MAX_SETS = 100;
const MAX_ACKNOWLEDGED = 1000;
/** Seconds until a token that was not acknowledged is handed out again. */
const REDELIVERED_AFTER = 60;
/** Milliseconds that a poll waits for news. */
const HOLD = 25_000;

export function createPoll(server: Server): Poll {
  const { models, settings, signingKeys } = server;
  const { outbox, signalStreams } = models;
  const room = createWaitingRoom(server.events);

  /** Those that are handed out now are not handed out to another process as well. */
  const lease = async (messages: readonly WebhookMessage[], now: Date): Promise<WebhookMessage[]> => {
    const until = addSeconds(now, REDELIVERED_AFTER);
    const leased = await Promise.all(
      messages.map(async (message) => ((await outbox.lease(message, until)) ? message : undefined)),
    );
    return leased.filter((message) => message !== undefined);
  };
  const look = async (stream: SignalStream, max: number): Promise<PollAnswer> => {
    const now = new Date();
    // §8.1.2.1: a stream that was stopped transmits nothing but the news of that
    const only = stream.status === 'enabled' ? undefined : STREAM_UPDATED;
    const due = await outbox.findDue(endpointOf(stream), now, max + 1, only);
    const sets = await Promise.all(
      (await lease(due.slice(0, max), now)).map(
        async (message) =>
          [message.id, await signEvent(message, stream, { signingKeys, issuer: settings.issuer })] as const,
      ),
    );
    return { sets: Object.fromEntries(sets), ...(due.length > max && { moreAvailable: true }) };
  };

  return async (stream, body, req) => {
    const { maxEvents, returnImmediately, ack, errors } = readPoll(body);
    await outbox.acknowledge(endpointOf(stream), ack);
    // §2.2: setErrs is about tokens that were delivered
    const refused = await outbox.acknowledge(
      endpointOf(stream),
      errors.map(({ jti }) => jti),
    );
    const [first] = errors;
    if (refused > 0 && first !== undefined) reportRefused(server, stream, { count: refused, err: first.err });
    const until = Date.now() + HOLD;
    const closed = closeSignalOf(req);
    for (let current: SignalStream | null = stream; ; current = await signalStreams.find(stream.id)) {
      // deleted meanwhile
      if (current === null) return { sets: {} };
      const answer = await look(current, maxEvents);
      const isNews = Object.keys(answer.sets).length > 0 || answer.moreAvailable === true;
      if (isNews || returnImmediately || Date.now() >= until || closed.aborted) return answer;
      if (!(await room.wait(stream.clientId, closed))) return answer;
    }
  };
}

interface PollRequest {
  readonly maxEvents: number;
  readonly returnImmediately: boolean;
  readonly ack: readonly string[];
  readonly errors: readonly { readonly jti: string; readonly err: string }[];
}

function readPoll({
  maxEvents = MAX_SETS,
  returnImmediately = false,
  ack = [],
  setErrs = {},
}: Body): PollRequest {
  if (!Number.isInteger(maxEvents) || Number(maxEvents) < 0)
    throw invalid('maxEvents must be a whole number, 0 or more');
  if (typeof returnImmediately !== 'boolean') throw invalid('returnImmediately must be true or false');
  return {
    maxEvents: Math.min(Number(maxEvents), MAX_SETS),
    returnImmediately,
    ack: readAcknowledged(ack),
    errors: readErrors(setErrs),
  };
}

function readAcknowledged(ack: unknown): readonly string[] {
  if (Array.isArray(ack) && ack.length <= MAX_ACKNOWLEDGED && ack.every((jti) => typeof jti === 'string'))
    return ack;
  throw invalid(`ack must be a list of at most ${MAX_ACKNOWLEDGED} texts`);
}

function readErrors(setErrs: unknown): PollRequest['errors'] {
  if (typeof setErrs !== 'object' || setErrs === null || Array.isArray(setErrs))
    throw invalid('setErrs must be an object');
  const entries = Object.entries(setErrs);
  if (entries.length > MAX_ACKNOWLEDGED) throw invalid(`setErrs has more than ${MAX_ACKNOWLEDGED} members`);
  return entries.map(([jti, error]) => {
    const { err } = (error ?? {}) as { readonly err?: unknown };
    if (typeof err !== 'string') throw invalid('each member of setErrs must be an object with err');
    return { jti, err };
  });
}

/** A receiver that cannot take a token will not take it the next time: nobody but the site can do anything about it. */
function reportRefused(
  { settings, events }: Server,
  { clientId }: SignalStream,
  { count, err }: { readonly count: number; readonly err: string },
): void {
  notifyHost(
    settings.onError,
    new OAuthError('server_error', 'a receiver of security events refused some', {
      // the log folds errors of one detail: what the receiver says would make each a kind of its own
      detail: `client ${clientId} refused events`,
      cause: sanitizeForLog(`${count}: ${err.slice(0, 100)}`),
    }),
    IN_BACKGROUND,
  );
  events.emit('signal.failed', { clientId, reason: 'refused', count });
}
