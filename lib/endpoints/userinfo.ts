import { type RequestHandler, Router } from 'express';

import type { AccessToken } from '../guard/access-token.js';
import { checkRoute, createAdmission, type GuardDependencies } from '../guard/admission.js';
import { answerGuardError } from '../guard/answer-guard-error.js';
import { crossOrigin } from '../http/cross-origin.js';
import { formBody } from '../http/form-body.js';
import { handle } from '../http/handle.js';
import { jsonError, sendJson } from '../http/json-error.js';
import { refuseOtherMethods } from '../http/methods.js';
import { secureTransport } from '../http/secure-transport.js';
import { shedLoad } from '../http/shed-load.js';
import { findUserClaims } from '../openid/user-claims.js';
import { claimsOfScopes } from '../protocol/openid-claims.js';
import type { Endpoint } from '../server/endpoint.js';
import { ownGuardParts } from '../server/own-guard.js';
import type { Server } from '../server/server.js';
import type { OpenidSettings, UserClaims } from '../settings/openid-options.js';

type Dependencies = Server & { readonly openid: OpenidSettings };

/**
 * Says what the client may know of the person who has signed in.
 *
 * @see OpenID Connect Core §5.3
 */
function createUserinfo(dependencies: Dependencies): Router {
  const { settings, models, report } = dependencies;
  // §5.3.1, RFC 6750 §2.2: the token may be in the form of a POST, and never in the URL
  const parts: GuardDependencies = { ...ownGuardParts(dependencies), bearerMethods: ['header', 'body'] };
  const { admit, behind } = createAdmission(parts, checkRoute({ scopes: ['openid'], person: true }, parts));
  const answer = handle(async (req, res) => {
    const admitted = await admit(req, res);
    if (admitted === undefined || admitted === 'others')
      throw new Error('userinfo is for nobody without a token');
    sendJson(res, await behind(req, res, () => describePerson(dependencies, admitted.auth)));
  });
  const router = Router();
  router.use(secureTransport(settings));
  // §5.3: SHOULD support CORS
  router.all('/', crossOrigin('GET', 'POST'));
  router.get('/', shedLoad(models.admit), answer);
  router.post('/', shedLoad(models.admit), ...formIfAny(), answer);
  router.all('/', refuseOtherMethods('GET', 'POST'));
  router.use(answerGuardError, jsonError('userinfo', report));
  return router;
}

/** A POST whose token is in the header has no body as a rule. */
function formIfAny(): readonly RequestHandler[] {
  return formBody().map((read) => (req, res, next) => void (req.is('*/*') ? read(req, res, next) : next()));
}

async function describePerson(
  { openid }: Dependencies,
  { userId = '', scopes }: AccessToken,
): Promise<UserClaims> {
  const allowed = claimsOfScopes(scopes, openid.scopeClaims);
  const claims = await findUserClaims(openid, { userId, scopes, allowed });
  // §5.3.2: sub MUST always be returned
  return { sub: userId, ...claims };
}

export const userinfo: Endpoint = {
  name: 'userinfo',
  create(server) {
    const { openid } = server.settings;
    if (openid === false) throw new Error('openid is off');
    return createUserinfo({ ...server, openid });
  },
  metadata: (_server, url) => ({ userinfo_endpoint: url }),
};
