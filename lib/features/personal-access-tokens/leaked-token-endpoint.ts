import { hash } from 'node:crypto';

import { type Request, Router } from 'express';

import { bodyText, leftBody } from '../../core/http/body.js';
import { handle, refuseOtherMethods, shedLoad } from '../../core/http/handle.js';
import { jsonError, sendJson } from '../../core/http/json-error.js';
import { requestOriginOf } from '../../core/http/request-origin.js';
import { secureTransport } from '../../core/http/secure-transport.js';
import { emitFor, emitRateLimited } from '../../core/observability/events.js';
import type { Server } from '../../server/server.js';
import { parseScannableToken } from '../../shared/crypto/scannable-tokens.js';
import { invalidRequest, type OAuthError } from '../../shared/errors.js';
import { createFailureLimit, failureKey } from '../../shared/limits/failure-limit.js';
import { revokeLeakedToken } from './token-service.js';

/** Tokens in one report: a scanner sends all tokens of a file together. */
const MAX_TOKENS = 500;
const MAX_BYTES = 256 * 1024;
/** Reports per address and hour whose tokens are all well-formed but unknown: each costs a command. */
const MAX_WRONG = 200;
const HOUR = 3600;
/** Maximum length of a token type in a scanner's report. */
const MAX_TYPE = 100;

/**
 * Ends leaked tokens, for scanners and other finders. Whoever has the whole value needs no authentication; a text that
 * only looks like a token ends nothing.
 */
export function createLeakedTokenEndpoint({ settings, models, report, events }: Server): Router {
  const limit = createFailureLimit(
    settings.security.rateLimits !== false && {
      failures: MAX_WRONG,
      window: HOUR,
      counted: 'reports of unknown tokens',
      shared: { name: 'leaked tokens', store: models.failures },
    },
  );
  const router = Router();
  router.use(secureTransport(settings));
  router.post(
    '/',
    shedLoad(models.checkLoad),
    bodyText({ type: ['application/json', 'application/x-www-form-urlencoded'], limit: MAX_BYTES }),
    handle(async (req, res) => {
      // `token=…` as a form, `{ "token": "…" }`, or a list of such objects
      const body = readReport(req);
      const reports = [body].flat() as readonly (Readonly<Record<string, unknown>> | null)[];
      const isWrong = reports.some((each) => typeof each?.token !== 'string');
      if (isWrong || reports.length === 0 || reports.length > MAX_TOKENS)
        throw malformed(`name the token as 'token', or a list of at most ${MAX_TOKENS} objects that do`);
      const types = new Map(reports.map((each) => [each?.token as string, each?.type]));

      // A text with a wrong checksum is no token. One command looks up all others, so no other text in a report can
      // hide a live token.
      const presented = [...types.keys()].flatMap((token) => {
        const parsed = parseScannableToken(token);
        return parsed === null ? [] : [{ token, ...parsed }];
      });
      // the tokens of this server; true if this report has ended them, which only one of concurrent reports does
      const ended = new Map<string, boolean>();
      if (presented.length > 0) {
        const attempt = await limit.reserve(failureKey(requestOriginOf(req), ''));
        const ids = new Set(presented.map(({ grantId }) => grantId));
        const live = await models.grants.findNamedTokens([...ids]);
        const grants = new Map(live.map((grant) => [grant.grantId, grant]));
        for (const { token, ...one } of presented) {
          if (!grants.get(one.grantId)?.accessTokens.some(({ hash: stored }) => stored === one.hash))
            continue;
          const grant = await revokeLeakedToken(models, one, { now: new Date(), emit: emitFor(events, req) });
          ended.set(token, grant !== null);
        }
        // an ended token makes a report free of charge, unless more than half of its tokens are unknown
        if (ended.size * 2 < presented.length) await attempt.fail();
        else attempt.refund();
      }

      const results = [...types].map(([token, type]) => {
        const isOwn = ended.has(token);
        const result = { revoked: ended.get(token) === true, ended: isOwn };
        if (!Array.isArray(body)) return result;
        // the response of GitHub's secret scanning API: a hash instead of the token, and one of two labels. A token
        // that ended earlier is a true positive.
        const isType = typeof type === 'string' && type !== '' && type.length <= MAX_TYPE;
        const ownType = token.includes('eas_sat_') ? 'service_token' : 'personal_access_token';
        return {
          token_hash: hash('sha256', token, 'base64'),
          token_type: isType ? type : ownType,
          label: isOwn ? 'true_positive' : 'false_positive',
          ...result,
        };
      });
      sendJson(res, Array.isArray(body) ? results : (results[0] ?? {}));
    }),
  );
  router.all('/', refuseOtherMethods('POST'));
  router.use(emitRateLimited('leaked-token', events), jsonError('leaked-token', report));
  return router;
}

function readReport(req: Request): unknown {
  const isForm = typeof req.is('application/x-www-form-urlencoded') === 'string';
  const body = leftBody(req, { isJson: !isForm });
  if (typeof body !== 'string') return body;
  if (isForm) {
    const [token, ...more] = new URLSearchParams(body).getAll('token');
    if (more.length > 0) throw malformed('the token must be sent once');
    return { token };
  }
  try {
    return JSON.parse(body);
  } catch (cause) {
    throw malformed('the request body is not JSON', cause);
  }
}

function malformed(description: string, cause?: unknown): OAuthError {
  return invalidRequest(description, 'request_malformed', { cause });
}
