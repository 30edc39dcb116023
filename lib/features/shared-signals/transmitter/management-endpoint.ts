import { type Request, type Response, Router } from 'express';

import { authOf } from '../../../core/guard/access-token.js';
import { answerGuardError } from '../../../core/guard/answer-guard-error.js';
import { createGuard } from '../../../core/guard/guard.js';
import { jsonBody, requireJsonObject } from '../../../core/http/body.js';
import { handle, refuseOtherMethods, shedLoad } from '../../../core/http/handle.js';
import { jsonError, sendJson } from '../../../core/http/json-error.js';
import { queryOf } from '../../../core/http/query.js';
import { secureTransport } from '../../../core/http/secure-transport.js';
import { emitFor } from '../../../core/observability/events.js';
import type { Server } from '../../../server/server.js';
import { siteGuardDependencies } from '../../../server/site-guard.js';
import { OAuthError } from '../../../shared/errors.js';
import { parseParameter } from '../../../shared/protocol/parameters.js';
import { isSubject } from '../../../shared/protocol/subject-identifier.js';
import type { StreamStatus } from '../../../storage/other/signal-streams.js';
import { MANAGE_SCOPE, READ_SCOPE } from '../options.js';
import { createPoll } from './poll.js';
import { describeStream, invalid, transmitterOf } from './stream-configuration.js';
import { createStreamService } from './stream-service.js';

/** Maximum number of added or removed subjects of a stream. */
const MAX_SUBJECTS = 10_000;
const LIMIT = {
  max: MAX_SUBJECTS,
  tooMany: () =>
    new OAuthError('access_denied', `a stream has at most ${MAX_SUBJECTS} subjects`, {
      reason: 'stream_not_allowed',
    }),
};
const MAX_STATE = 1024;
const STATUSES: readonly unknown[] = ['enabled', 'paused', 'disabled'] satisfies StreamStatus[];

/**
 * The management API of streams, and their poll endpoint.
 *
 * @see Shared Signals Framework §8, RFC 8936 §2, CAEP Interoperability Profile §2.7
 */
export function createManagementEndpoint(server: Server): Router {
  const { settings, models, report, events } = server;
  const { receivers, defaultSubjects } = transmitterOf(server);
  const { signalStreams, streamSubjects } = models;
  const streams = createStreamService(server);
  const guard = createGuard(siteGuardDependencies(server));
  const poll = createPoll(server);

  /** §8: only clients in `receivers`, with a token without a user: no user can grant this access. */
  const clientIdOf = (req: Request): string => {
    const { clientId, userId } = authOf(req);
    if (userId === undefined && receivers.some((receiver) => receiver.clientId === clientId)) return clientId;
    throw new OAuthError('access_denied', 'this client may have no streams of security events', {
      reason: 'stream_not_allowed',
      detail: `client ${clientId} is none of sharedSignals.transmitter.receivers, or acts for a user`,
    });
  };
  const streamOfQuery = (req: Request) =>
    streams.find(clientIdOf(req), parseParameter(queryOf(req), 'stream_id'));
  /** The client's stream with the `stream_id` of the body. */
  const streamOfBody = async (req: Request) => {
    const clientId = clientIdOf(req);
    const body = requireJsonObject(req);
    if (typeof body.stream_id !== 'string') throw invalid('stream_id is missing');
    return { stream: await streams.find(clientId, body.stream_id), body };
  };

  const router = Router();
  router.use(secureTransport(settings));
  // §2.7.3: ssf.manage includes ssf.read
  const guards = { manage: guard(MANAGE_SCOPE), read: guard.any(MANAGE_SCOPE, READ_SCOPE) };
  const methodsOf = new Map<string, string[]>();
  const answer = (
    method: 'get' | 'post' | 'patch' | 'put' | 'delete',
    path: string,
    scope: keyof typeof guards,
    handler: (req: Request, res: Response) => Promise<void>,
  ): void => {
    methodsOf.set(path, [...(methodsOf.get(path) ?? []), method.toUpperCase()]);
    const body = method === 'get' || method === 'delete' ? [] : jsonBody();
    router[method](path, shedLoad(models.checkLoad), guards[scope], ...body, handle(handler));
  };

  answer('get', '/streams', 'read', async (req, res) => {
    const hasSecret = authOf(req).scopes.includes(MANAGE_SCOPE);
    const clientId = clientIdOf(req);
    if (parseParameter(queryOf(req), 'stream_id') !== undefined)
      return sendJson(res, await describeStream(await streamOfQuery(req), server, hasSecret));
    const ofClient = await signalStreams.listOf(clientId);
    sendJson(res, await Promise.all(ofClient.map((stream) => describeStream(stream, server, hasSecret))));
  });
  answer('post', '/streams', 'manage', async (req, res) => {
    const stream = await streams.create(clientIdOf(req), requireJsonObject(req), emitFor(events, req));
    res.status(201);
    sendJson(res, stream);
  });
  for (const method of ['patch', 'put'] as const)
    answer(method, '/streams', 'manage', async (req, res) => {
      const { stream, body } = await streamOfBody(req);
      sendJson(res, await streams.update(stream, body, method === 'put', emitFor(events, req)));
    });
  answer('delete', '/streams', 'manage', async (req, res) => {
    await streams.remove(await streamOfQuery(req), emitFor(events, req));
    done(res, 204);
  });
  answer('get', '/status', 'read', async (req, res) => {
    const { _id: id, status, reason } = await streamOfQuery(req);
    sendJson(res, { stream_id: id, status, reason });
  });
  answer('post', '/status', 'manage', async (req, res) => {
    const { stream, body } = await streamOfBody(req);
    const { status } = body;
    if (!STATUSES.includes(status)) throw invalid(`status must be one of ${STATUSES.join(', ')}`);
    const reason = optionalText('reason', body.reason);
    await streams.setStatus(stream, status as StreamStatus, reason);
    sendJson(res, { stream_id: stream._id, status, reason });
  });
  // §8.1.3.2, §8.1.3.3
  for (const path of ['/subjects/add', '/subjects/remove'])
    answer('post', path, 'manage', async (req, res) => {
      const { stream, body } = await streamOfBody(req);
      const { subject, verified } = body;
      if (verified !== undefined && typeof verified !== 'boolean')
        throw invalid('verified must be true or false');
      if (!isSubject(subject)) throw invalid('subject must be a subject identifier (RFC 9493)');
      const of = { streamId: stream._id, subject };
      const isRemoved = path === '/subjects/remove';
      // only differences from the default are stored
      if (isRemoved === (defaultSubjects === 'ALL')) await streamSubjects.keep({ ...of, isRemoved }, LIMIT);
      else await streamSubjects.forget(of);
      // §9.1: the same response whether or not the user exists
      done(res, isRemoved ? 204 : 200);
    });
  answer('post', '/verify', 'manage', async (req, res) => {
    const { stream, body } = await streamOfBody(req);
    await streams.verify(stream, optionalText('state', body.state), emitFor(events, req));
    done(res, 204);
  });
  answer('post', '/poll/:streamId', 'read', async (req, res) => {
    const stream = await streams.find(clientIdOf(req), req.params.streamId);
    sendJson(res, await poll(stream, requireJsonObject(req), req));
  });

  for (const [path, methods] of methodsOf) router.all(path, refuseOtherMethods(...methods));
  router.use(answerGuardError, jsonError('ssf', report));
  return router;
}

function optionalText(name: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && value.length <= MAX_STATE) return value;
  throw invalid(`${name} must be text of at most ${MAX_STATE} characters`);
}

function done(res: Response, status: number): void {
  res.status(status).set('Cache-Control', 'no-store').end();
}
