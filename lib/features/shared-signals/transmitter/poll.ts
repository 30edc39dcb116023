import type { Request } from 'express';

import { createCloseSignal } from '../../../core/http/request-origin.js';
import { notifyHost } from '../../../core/observability/report.js';
import type { Server } from '../../../server/server.js';
import { addSeconds } from '../../../shared/date.js';
import { OAuthError } from '../../../shared/errors.js';
import { sanitizeForLog } from '../../../shared/log-text.js';
import { isObject } from '../../../shared/schema.js';
import type { SignalStream } from '../../../storage/other/signal-streams.js';
import { STREAM_UPDATED } from '../event-types.js';
import { invalid } from './stream-configuration.js';
import { endpointOf, signEvent } from './stream-messages.js';

type Body = Readonly<Record<string, unknown>>;

/** Maximum number of tokens in one response. */
const MAX_SETS = 100;
const MAX_ACKNOWLEDGED = 1000;
/** Seconds until an unacknowledged token is sent again. */
const REDELIVERED_AFTER = 60;
/** Milliseconds that a poll waits for an event. */
const HOLD = 25_000;
/** Milliseconds until a waiting poll looks for events that another process has stored. */
const LOOK = 1000;
/** Maximum number of one client's polls that wait in this process. */
const MAX_WAITING = 10;

export function createPoll(server: Server) {
  const { models, settings } = server;
  const { outbox, signalStreams } = models;
  // one listener for all polls
  const waiting = new Map<string, Set<() => void>>();
  server.events.on('signal.issued', ({ clientId }) => waiting.get(clientId)?.forEach((wake) => wake()));
  /** Resolves after an event for the client, or a second; to false if too many polls of the client wait already. */
  const waitForNews = (clientId: string, closed: AbortSignal): Promise<boolean> => {
    const ofClient = waiting.get(clientId) ?? new Set();
    if (ofClient.size >= MAX_WAITING) return Promise.resolve(false);
    waiting.set(clientId, ofClient);
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        closed.removeEventListener('abort', wake);
        ofClient.delete(wake);
        if (ofClient.size === 0) waiting.delete(clientId);
        resolve(true);
      };
      const timer = setTimeout(wake, LOOK);
      // the timer must not keep the process alive
      timer.unref();
      closed.addEventListener('abort', wake, { once: true });
      ofClient.add(wake);
    });
  };

  /** The due tokens, by `jti`. (RFC 8936 §2.3) */
  const look = async (stream: SignalStream, max: number) => {
    const now = new Date();
    // §8.1.2.1: a stopped stream only transmits the event about its status
    const only = stream.status === 'enabled' ? undefined : STREAM_UPDATED;
    const due = await outbox.findDue(endpointOf(stream), now, max + 1, only);
    const until = addSeconds(now, REDELIVERED_AFTER);
    const signed = await Promise.all(
      due.slice(0, max).map(async (message): Promise<[id: string, jwt: string][]> => {
        // another process must not send a token at the same time
        if (!(await outbox.lease(message, until))) return [];
        return [[message._id, await signEvent(message, stream, server)]];
      }),
    );
    return { sets: Object.fromEntries(signed.flat()), moreAvailable: due.length > max ? true : undefined };
  };

  /** Responds to a poll of a stream (RFC 8936 §2.4, §2.5). @throws OAuthError invalid_request */
  return async (stream: SignalStream, body: Body, req: Request) => {
    const { maxEvents, returnImmediately, ack, errors } = readPoll(body);
    // §2.2: setErrs only counts for delivered tokens
    const ids = errors.map(({ jti }) => jti);
    const refused = (await outbox.findWaiting(endpointOf(stream), ids)).filter((id) => !ack.includes(id));
    await outbox.acknowledge(endpointOf(stream), [...ack, ...refused]);
    const first = errors.find(({ jti }) => refused.includes(jti));
    // a refused token is not sent again, because the receiver would refuse it again; only the site can find the cause
    if (first !== undefined) {
      const { clientId } = stream;
      const error = new OAuthError('server_error', 'a receiver of security events refused some', {
        // the log combines errors with the same detail, so the receiver's text is not part of it
        detail: `client ${clientId} refused events`,
        cause: sanitizeForLog(`${refused.length}: ${first.err.slice(0, 100)}`),
      });
      notifyHost(settings.onError, error, { requestId: '', endpoint: 'ssf' });
      server.events.emit('signal.failed', { clientId, reason: 'refused', count: refused.length });
    }
    const until = Date.now() + HOLD;
    const closed = createCloseSignal(req);
    for (let current: SignalStream | null = stream; ; current = await signalStreams.find(stream._id)) {
      // the stream was deleted meanwhile
      if (current === null) return { sets: {} };
      const answer = await look(current, maxEvents);
      const isNews = Object.keys(answer.sets).length > 0 || answer.moreAvailable === true;
      if (isNews || returnImmediately || Date.now() >= until || closed.aborted) return answer;
      if (!(await waitForNews(stream.clientId, closed))) return answer;
    }
  };
}

/** RFC 8936 §2.2 */
function readPoll({ maxEvents = MAX_SETS, returnImmediately = false, ack = [], setErrs = {} }: Body) {
  if (!Number.isInteger(maxEvents) || Number(maxEvents) < 0)
    throw invalid('maxEvents must be a whole number, 0 or more');
  if (typeof returnImmediately !== 'boolean') throw invalid('returnImmediately must be true or false');
  if (!Array.isArray(ack) || ack.length > MAX_ACKNOWLEDGED || !ack.every((jti) => typeof jti === 'string'))
    throw invalid(`ack must be a list of at most ${MAX_ACKNOWLEDGED} texts`);
  if (!isObject(setErrs)) throw invalid('setErrs must be an object');
  const refused = Object.entries(setErrs);
  if (refused.length > MAX_ACKNOWLEDGED) throw invalid(`setErrs has more than ${MAX_ACKNOWLEDGED} members`);
  const errors = refused.map(([jti, error]) => {
    const { err } = (error ?? {}) as { readonly err?: unknown };
    if (typeof err !== 'string') throw invalid('each member of setErrs must be an object with err');
    return { jti, err };
  });
  const max = Math.min(Number(maxEvents), MAX_SETS);
  return { maxEvents: max, returnImmediately, ack: ack as readonly string[], errors };
}
