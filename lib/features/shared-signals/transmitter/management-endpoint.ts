import { type Request, type Response, Router } from 'express';

import type { StreamStatus } from '../../../core/delivery/signal-streams.js';
import { answerGuardError } from '../../../core/guard/answer-guard-error.js';
import { authOf } from '../../../core/guard/auth-of.js';
import { handle } from '../../../core/http/handle.js';
import { jsonBody, jsonObjectOf } from '../../../core/http/json-body.js';
import { jsonError, sendJson } from '../../../core/http/json-error.js';
import { refuseOtherMethods } from '../../../core/http/methods.js';
import { queryOf } from '../../../core/http/query.js';
import { secureTransport } from '../../../core/http/secure-transport.js';
import { shedLoad } from '../../../core/http/shed-load.js';
import { emitFor } from '../../../core/observability/events.js';
import type { Endpoint } from '../../../server/endpoint.js';
import type { Server } from '../../../server/server.js';
import { createSiteGuard } from '../../../server/site-guard.js';
import { MANAGE_SCOPE, READ_SCOPE } from '../../../settings/features/shared-signals-options.js';
import { OAuthError } from '../../../shared/errors.js';
import { parseParameter } from '../../../shared/protocol/parameters.js';
import { isSubject, type SubjectIdentifier } from '../../../shared/protocol/subject-identifier.js';
import { createPoll } from './poll.js';
import { invalid } from './stream-configuration.js';
import { createStreamService, type StreamService, transmitterOf } from './stream-service.js';

type Body = Readonly<Record<string, unknown>>;

/** Subjects that one stream has, added or removed. */
const MAX_SUBJECTS = 10_000;
const LIMIT = { max: MAX_SUBJECTS, tooMany: tooManySubjects };
const MAX_STATE = 1024;
const STATUSES: readonly unknown[] = ['enabled', 'paused', 'disabled'] satisfies StreamStatus[];

/**
 * The management API of streams, and the place where they are polled.
 *
 * @see Shared Signals Framework §8, RFC 8936 §2, CAEP Interoperability Profile §2.7
 */
function createManagementEndpoint(server: Server): Router {
  const { settings, models, report } = server;
  const streams = createStreamService(server);
  const guard = createSiteGuard(server);
  const context: Context = { server, streams, clientIdOf: createClientIdOf(server) };
  const poll = createPoll(server);
  const may = {
    manage: [shedLoad(models.checkLoad), guard(MANAGE_SCOPE)],
    // §2.7.3: ssf.manage includes ssf.read
    read: [shedLoad(models.checkLoad), guard.any(MANAGE_SCOPE, READ_SCOPE)],
  };
  const router = Router();
  router.use(secureTransport(settings));
  router
    .route('/streams')
    .get(may.read, handle(readStreams(context)))
    .post(may.manage, jsonBody(), handle(createStream(context)))
    .patch(may.manage, jsonBody(), handle(updateStream(context, false)))
    .put(may.manage, jsonBody(), handle(updateStream(context, true)))
    .delete(may.manage, handle(deleteStream(context)))
    .all(refuseOtherMethods('GET', 'POST', 'PATCH', 'PUT', 'DELETE'));
  router
    .route('/status')
    .get(may.read, handle(readStatus(context)))
    .post(may.manage, jsonBody(), handle(updateStatus(context)))
    .all(refuseOtherMethods('GET', 'POST'));
  router
    .route('/subjects/add')
    .post(may.manage, jsonBody(), handle(addSubject(context)))
    .all(refuseOtherMethods('POST'));
  router
    .route('/subjects/remove')
    .post(may.manage, jsonBody(), handle(removeSubject(context)))
    .all(refuseOtherMethods('POST'));
  router
    .route('/verify')
    .post(may.manage, jsonBody(), handle(verify(context)))
    .all(refuseOtherMethods('POST'));
  router
    .route('/poll/:streamId')
    .post(
      may.read,
      jsonBody(),
      handle(async (req, res) => {
        const stream = await streams.find(context.clientIdOf(req), req.params.streamId);
        sendJson(res, await poll(stream, jsonObjectOf(req), req));
      }),
    )
    .all(refuseOtherMethods('POST'));
  router.use(answerGuardError, jsonError('ssf', report));
  return router;
}

interface Context {
  readonly server: Server;
  readonly streams: StreamService;
  /** @throws OAuthError access_denied if the client may have no streams */
  readonly clientIdOf: (req: Request) => string;
}

/** §8: only those that the site has named, with a token of their own: no user can grant this. */
function createClientIdOf(server: Server): Context['clientIdOf'] {
  const allowed = new Set(transmitterOf(server).receivers.map(({ clientId }) => clientId));
  return (req) => {
    const { clientId, userId } = authOf(req);
    if (userId === undefined && allowed.has(clientId)) return clientId;
    throw new OAuthError('access_denied', 'this client may have no streams of security events', {
      reason: 'stream_not_allowed',
      detail: `client ${clientId} is none of sharedSignals.transmitter.receivers, or acts for a user`,
    });
  };
}

function createStream({ server, streams, clientIdOf }: Context) {
  return async (req: Request, res: Response): Promise<void> => {
    const described = await streams.create(clientIdOf(req), jsonObjectOf(req), emitFor(server.events, req));
    res.status(201);
    sendJson(res, described);
  };
}

function readStreams({ server, streams, clientIdOf }: Context) {
  return async (req: Request, res: Response): Promise<void> => {
    const clientId = clientIdOf(req);
    const hasSecret = authOf(req).scopes.includes(MANAGE_SCOPE);
    const streamId = streamIdOfQuery(req);
    if (streamId !== undefined)
      return sendJson(res, await streams.describe(await streams.find(clientId, streamId), hasSecret));
    const own = await server.models.signalStreams.listOf(clientId);
    sendJson(res, await Promise.all(own.map((stream) => streams.describe(stream, hasSecret))));
  };
}

function updateStream({ server, streams, clientIdOf }: Context, isReplaced: boolean) {
  return async (req: Request, res: Response): Promise<void> => {
    const { stream, body } = await namedIn(req, { streams, clientIdOf });
    sendJson(res, await streams.update(stream, body, { isReplaced, emit: emitFor(server.events, req) }));
  };
}

function deleteStream({ server, streams, clientIdOf }: Context) {
  return async (req: Request, res: Response): Promise<void> => {
    const stream = await streams.find(clientIdOf(req), streamIdOfQuery(req));
    await streams.remove(stream, emitFor(server.events, req));
    done(res, 204);
  };
}

function readStatus({ streams, clientIdOf }: Context) {
  return async (req: Request, res: Response): Promise<void> => {
    const { id, status, reason } = await streams.find(clientIdOf(req), streamIdOfQuery(req));
    sendJson(res, { stream_id: id, status, ...(reason !== undefined && { reason }) });
  };
}

function updateStatus({ streams, clientIdOf }: Context) {
  return async (req: Request, res: Response): Promise<void> => {
    const { stream, body } = await namedIn(req, { streams, clientIdOf });
    const { status, reason } = body;
    if (!STATUSES.includes(status)) throw invalid(`status must be one of ${STATUSES.join(', ')}`);
    const text = optionalText('reason', reason);
    await streams.setStatus(stream, status as StreamStatus, text);
    sendJson(res, { stream_id: stream.id, status, ...(text !== undefined && { reason: text }) });
  };
}

function addSubject({ server, streams, clientIdOf }: Context) {
  const { defaultSubjects } = transmitterOf(server);
  return async (req: Request, res: Response): Promise<void> => {
    const { stream, body } = await namedIn(req, { streams, clientIdOf });
    const of = { streamId: stream.id, subject: subjectOf(body) };
    if (defaultSubjects === 'ALL') await server.models.streamSubjects.forget(of);
    else await server.models.streamSubjects.keep({ ...of, isRemoved: false }, LIMIT);
    // §9.1: the same whether there is such a user or not
    done(res, 200);
  };
}

function removeSubject({ server, streams, clientIdOf }: Context) {
  const { defaultSubjects } = transmitterOf(server);
  return async (req: Request, res: Response): Promise<void> => {
    const { stream, body } = await namedIn(req, { streams, clientIdOf });
    const of = { streamId: stream.id, subject: subjectOf(body) };
    if (defaultSubjects === 'ALL') await server.models.streamSubjects.keep({ ...of, isRemoved: true }, LIMIT);
    else await server.models.streamSubjects.forget(of);
    done(res, 204);
  };
}

function tooManySubjects(): OAuthError {
  return new OAuthError('access_denied', `a stream has at most ${MAX_SUBJECTS} subjects`, {
    reason: 'stream_not_allowed',
  });
}

function verify({ server, streams, clientIdOf }: Context) {
  return async (req: Request, res: Response): Promise<void> => {
    const { stream, body } = await namedIn(req, { streams, clientIdOf });
    await streams.verify(stream, optionalText('state', body.state), emitFor(server.events, req));
    done(res, 204);
  };
}

/** The stream that a body names, which is one of the client's own. */
async function namedIn(req: Request, { streams, clientIdOf }: Pick<Context, 'streams' | 'clientIdOf'>) {
  const clientId = clientIdOf(req);
  const body = jsonObjectOf(req);
  if (typeof body.stream_id !== 'string') throw invalid('stream_id is missing');
  return { stream: await streams.find(clientId, body.stream_id), body };
}

function streamIdOfQuery(req: Request): string | undefined {
  return parseParameter(queryOf(req), 'stream_id');
}

function subjectOf({ subject, verified }: Body): SubjectIdentifier {
  if (verified !== undefined && typeof verified !== 'boolean')
    throw invalid('verified must be true or false');
  if (!isSubject(subject)) throw invalid('subject must be a subject identifier (RFC 9493)');
  return subject;
}

function optionalText(name: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string' && value.length <= MAX_STATE) return value;
  throw invalid(`${name} must be text of at most ${MAX_STATE} characters`);
}

function done(res: Response, status: number): void {
  res.status(status).set('Cache-Control', 'no-store').end();
}

export const managementEndpoint: Endpoint = { name: 'ssf', create: createManagementEndpoint };
