import { type Request, type Response, Router } from 'express';

import { createGrantRevocation } from '../../core/grants/grant-registry.js';
import { answerGuardError } from '../../core/guard/answer-guard-error.js';
import { authOf } from '../../core/guard/auth-of.js';
import { handle } from '../../core/http/handle.js';
import { jsonBody, jsonObjectOf } from '../../core/http/json-body.js';
import { jsonError } from '../../core/http/json-error.js';
import { refuseOtherMethods } from '../../core/http/methods.js';
import { secureTransport } from '../../core/http/secure-transport.js';
import { shedLoad } from '../../core/http/shed-load.js';
import { emitFor } from '../../core/observability/events.js';
import type { Endpoint } from '../../server/endpoint.js';
import type { Server } from '../../server/server.js';
import { createSiteGuard } from '../../server/site-guard.js';
import type { GlobalRevocationOptions } from '../../settings/features/global-revocation-options.js';
import { switchedOn } from '../../settings/table/switched-on.js';
import { OAuthError } from '../../shared/errors.js';
import type { SubjectIdentifier } from '../../shared/protocol/subject-identifier.js';
import { parseSubjectIdentifier } from './subject-identifier.js';

type Dependencies = Server & { readonly options: GlobalRevocationOptions };

/**
 * Ends all that a user has allowed, and their sessions, for clients that the site permits to do so.
 *
 * @see draft-parecki-oauth-global-token-revocation-04 §3
 */
function createGlobalRevocation(dependencies: Dependencies): Router {
  const { settings, models, report, options } = dependencies;
  const guard = createSiteGuard(dependencies);
  const router = Router();
  router.use(secureTransport(settings));
  router.post(
    '/',
    shedLoad(models.checkLoad),
    // §3.2: the request MUST be authenticated
    options.scope === undefined ? guard() : guard(options.scope),
    ...jsonBody(),
    handle((req, res) => revokeAll(dependencies, req, res)),
  );
  router.all('/', refuseOtherMethods('POST'));
  router.use(answerGuardError, jsonError('global_token_revocation', report));
  return router;
}

async function revokeAll(
  { models, events, options }: Dependencies,
  req: Request,
  res: Response,
): Promise<void> {
  const clientId = allowedClientOf(req, options);
  const userId = await find(options, parseSubjectIdentifier(jsonObjectOf(req)), clientId);
  // §3.3: tokens first; a session that is still open can get no more than before, and ends next
  const grants = createGrantRevocation(models, emitFor(events, req));
  await grants.revoke({ userId }, 'global_token_revocation');
  await endSessions(options, userId);
  // what a session has got meanwhile
  await grants.revoke({ userId }, 'global_token_revocation');
  res.status(204).end();
}

/** §6.1: narrowly scoped, and only for a token of the client itself: no user can grant this. */
function allowedClientOf(req: Request, { clients }: GlobalRevocationOptions): string {
  const { clientId, userId } = authOf(req);
  if (userId === undefined && clients.includes(clientId)) return clientId;
  throw new OAuthError('access_denied', 'this client may not end the tokens of users', {
    reason: 'revocation_not_allowed',
    detail: `client ${clientId} is none of globalTokenRevocation.clients, or acts for a user`,
  });
}

async function find(
  { findUser }: GlobalRevocationOptions,
  subject: SubjectIdentifier,
  clientId: string,
): Promise<string> {
  const userId = await findUser(subject, { clientId });
  // §3.4.2
  if (userId === null || userId === undefined)
    throw new OAuthError('invalid_request', 'there is no such user', { reason: 'user_unknown', status: 404 });
  if (typeof userId !== 'string' || userId === '')
    throw new TypeError('globalTokenRevocation.findUser must give the id of a user, as text, or null');
  return userId;
}

/** §3.3: MUST re-authenticate; §3.4.2: 422 if that fails. The tokens are gone anyway. */
async function endSessions({ endSessions: end }: GlobalRevocationOptions, userId: string): Promise<void> {
  try {
    await end(userId);
  } catch (cause) {
    throw new OAuthError('server_error', 'the tokens are revoked, but the user could not be logged out', {
      status: 422,
      detail: 'globalTokenRevocation.endSessions threw',
      cause,
    });
  }
}

export const globalTokenRevocationEndpoint: Endpoint = {
  name: 'global-token-revocation',
  create(server) {
    const options = switchedOn(server.settings.globalTokenRevocation, 'globalTokenRevocation');
    return createGlobalRevocation({ ...server, options });
  },
  // §5: by access tokens, RFC 6750
  metadata: (_server, url) => ({
    global_token_revocation_endpoint: url,
    global_token_revocation_endpoint_auth_methods_supported: ['Bearer'],
  }),
};
