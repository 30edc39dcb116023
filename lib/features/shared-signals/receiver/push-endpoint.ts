import { type ErrorRequestHandler, Router } from 'express';

import { authorizationOf } from '../../../core/http/authorization-header.js';
import { bodyText, leftBody } from '../../../core/http/body.js';
import { handle, refuseOtherMethods, shedLoad } from '../../../core/http/handle.js';
import { secureTransport } from '../../../core/http/secure-transport.js';
import { emitFor } from '../../../core/observability/events.js';
import type { Server } from '../../../server/server.js';
import { toOAuthError } from '../../../shared/errors.js';
import { createReceiverParts } from './intake.js';
import { refusedToken } from './security-event-token.js';

const TYPE = 'application/secevent+jwt';
/** Bytes; a token has one event about one subject. */
const BODY_LIMIT = 64 * 1024;

/**
 * The endpoint to which trusted transmitters push security event tokens.
 *
 * @see RFC 8935 §2
 */
export function createPushEndpoint(server: Server): Router {
  const { settings, models, events, report } = server;
  const { take } = createReceiverParts(server);
  const router = Router();
  router.use(secureTransport(settings));
  router.post(
    '/',
    shedLoad(models.checkLoad),
    bodyText({ type: TYPE, limit: BODY_LIMIT }),
    handle(async (req, res) => {
      const jwt = req.is(TYPE) ? leftBody(req, { isJson: false }) : undefined;
      if (typeof jwt !== 'string')
        throw refusedToken('invalid_request', `the request body must be ${TYPE}`, 'wrong_content_type');
      await take(jwt, { authorization: authorizationOf(req), now: new Date(), emit: emitFor(events, req) });
      // §2.2: an empty body
      res.status(202).end();
    }),
  );
  router.all('/', refuseOtherMethods('POST'));
  router.use(function answerRefusal(thrown, req, res, next) {
    const { error: refusal, reason } = toOAuthError(thrown);
    events.emit('signal.refused', { error: refusal, reason }, req);
    const { error } = report(thrown, { endpoint: 'ssf-events', req, res });
    if (res.headersSent) return next(thrown);
    // §2.3: `err` and `description` instead of `error`, with their language
    res
      .status(error.status)
      .set({ ...error.headers, 'Content-Language': 'en', 'Cache-Control': 'no-store' })
      .set('X-Content-Type-Options', 'nosniff')
      .type('application/json')
      .end(JSON.stringify({ err: error.error, description: error.description }));
  } satisfies ErrorRequestHandler);
  return router;
}
