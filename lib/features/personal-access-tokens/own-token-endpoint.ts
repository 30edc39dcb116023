import { Router } from 'express';

import type { GuardedGrant } from '../../core/grants/grant.js';
import type { NamedToken } from '../../core/grants/named-token.js';
import { type AccessToken, authOf } from '../../core/guard/access-token.js';
import { answerGuardError } from '../../core/guard/answer-guard-error.js';
import { createGuard } from '../../core/guard/guard.js';
import { refuseOtherMethods, shedLoad } from '../../core/http/handle.js';
import { jsonError, sendJson } from '../../core/http/json-error.js';
import { secureTransport } from '../../core/http/secure-transport.js';
import type { Server } from '../../server/server.js';
import { siteGuardDependencies } from '../../server/site-guard.js';

/** An access token with the data that the guard of this endpoint adds. */
type WithReference = AccessToken & { readonly namedToken?: NamedToken };

/**
 * Describes the presented token in the format of introspection (RFC 7662 §2.2), so that its user can try a new token.
 */
export function createOwnTokenEndpoint(server: Server): Router {
  const { settings, models, report } = server;
  const guard = createGuard(
    siteGuardDependencies(server, ({ namedToken }: GuardedGrant) => ({ namedToken })),
  );
  const router = Router();
  router.use(secureTransport(settings));
  router.get('/', shedLoad(models.checkLoad), guard({ kinds: ['personal', 'service'] }), (req, res) => {
    const { kind, clientId, scopes, expiresAt, userId, namedToken }: WithReference = authOf(req);
    sendJson(res, {
      token_kind: kind,
      token_name: namedToken?.name,
      client_id: clientId,
      scope: scopes.join(' '),
      exp: expiresAt,
      sub: userId,
    });
  });
  router.all('/', refuseOtherMethods('GET'));
  router.use(answerGuardError, jsonError('personal-access-token', report));
  return router;
}
