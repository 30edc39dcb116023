import { hash } from 'node:crypto';

import { type Request, Router } from 'express';

import { bodyText } from '../../core/http/body-text.js';
import { handle } from '../../core/http/handle.js';
import { jsonError, sendJson } from '../../core/http/json-error.js';
import { refuseOtherMethods } from '../../core/http/methods.js';
import { requestOriginOf } from '../../core/http/request-origin.js';
import { secureTransport } from '../../core/http/secure-transport.js';
import { shedLoad } from '../../core/http/shed-load.js';
import { emitFor } from '../../core/observability/events.js';
import type { Endpoint } from '../../server/endpoint.js';
import { emitRateLimited } from '../../server/refusal.js';
import type { Server } from '../../server/server.js';
import { parseScannableToken } from '../../shared/crypto/scannable-tokens.js';
import { OAuthError } from '../../shared/errors.js';
import { createFailureLimit, failureKey, type FailureLimit } from '../../shared/limits/failure-limit.js';
import { dataOf } from './rotate-token.js';

/** Tokens in one report; scanners send what they have found in one file. */
const MAX_TOKENS = 100;
const MAX_BYTES = 64 * 1024;
/** Tokens that look right and are not live, from one address in an hour: each costs the database a command. */
const MAX_WRONG = 200;
const HOUR = 3600;

/**
 * "This token has leaked": for scanners, and for whoever has it in hand. To have the whole value is proof enough, so
 * nobody authenticates; what only looks like a token ends nothing.
 */
function createLeakedTokenEndpoint(server: Server): Router {
  const { settings, models, report, events } = server;
  const limit = createFailureLimit(
    settings.rateLimits !== false && {
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
      const { tokens, isList } = tokensIn(req);
      const results: object[] = [];
      for (const token of tokens) {
        const revoked = await end(server, req, { token, limit });
        results.push(isList ? { ...labelOf(token, revoked), revoked } : { revoked });
      }
      sendJson(res, isList ? results : (results[0] ?? {}));
    }),
  );
  router.all('/', refuseOtherMethods('POST'));
  router.use(emitRateLimited('leaked-token', events), jsonError('leaked-token', report));
  return router;
}

/** Whether this report has ended a token: of many reports of the same one, one does. */
async function end(
  { models: { grants }, events }: Server,
  req: Request,
  { token, limit }: { readonly token: string; readonly limit: FailureLimit },
): Promise<boolean> {
  // without a right checksum it cannot be one, and the database is not asked
  const presented = parseScannableToken(token);
  if (presented === null) return false;
  const attempt = await limit.reserve(failureKey(requestOriginOf(req), ''));
  const ended = await grants.revokeLeakedToken(presented, new Date());
  if (ended === null) {
    await attempt.fail();
    return false;
  }
  attempt.refund();
  emitFor(events, req)('grant.revoked', { ...dataOf(ended), reason: 'token_leaked' });
  return true;
}

/** What scanners of GitHub are answered: the token by its hash, so that no answer has a token in it. */
function labelOf(token: string, isRight: boolean): object {
  return {
    token_hash: hash('sha256', token, 'base64'),
    label: isRight ? 'true_positive' : 'false_positive',
  };
}

/**
 * The tokens of a report: `token=…` as a form, `{ "token": "…" }`, or a list of such objects.
 *
 * @throws OAuthError invalid_request
 */
function tokensIn(req: Request): { readonly tokens: readonly string[]; readonly isList: boolean } {
  const body = read(req);
  const given = [body].flat();
  const tokens = given.map((each) => (each as { readonly token?: unknown } | null)?.token);
  if (
    tokens.length === 0 ||
    tokens.length > MAX_TOKENS ||
    !tokens.every((token) => typeof token === 'string')
  )
    throw malformed(`name the token as 'token', or a list of at most ${MAX_TOKENS} objects that do`);
  return { tokens: [...new Set(tokens)], isList: Array.isArray(body) };
}

function read(req: Request): unknown {
  const body: unknown = req.body;
  if (typeof body !== 'string') return body;
  if (req.is('application/x-www-form-urlencoded')) {
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
  return new OAuthError('invalid_request', description, { reason: 'request_malformed', cause });
}

export const leakedToken: Endpoint = { name: 'leaked-token', create: createLeakedTokenEndpoint };
