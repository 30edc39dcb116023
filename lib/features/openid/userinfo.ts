import { type RequestHandler, type Response, Router } from 'express';

import { createEncryptToClient } from '../../core/client-authentication/encrypt-to-client.js';
import type { GuardedGrant } from '../../core/grants/grant.js';
import type { AccessToken } from '../../core/guard/access-token.js';
import { createAdmission, type GuardDependencies } from '../../core/guard/admission.js';
import { answerGuardError } from '../../core/guard/answer-guard-error.js';
import { parseRouteOptions } from '../../core/guard/parse-route-options.js';
import { invalidToken } from '../../core/guard/verify-access-token.js';
import { formBody } from '../../core/http/body.js';
import { crossOrigin } from '../../core/http/cross-origin.js';
import { handle, refuseOtherMethods, shedLoad } from '../../core/http/handle.js';
import { jsonError, sendJson, sendJwt } from '../../core/http/json-error.js';
import { secureTransport } from '../../core/http/secure-transport.js';
import type { OpenidAuthorization } from '../../core/openid/openid-authorization.js';
import { createSubjects } from '../../core/openid/subjects.js';
import type { Endpoint, Server } from '../../server/server.js';
import { siteGuardDependencies } from '../../server/site-guard.js';
import { urlOf } from '../../settings/endpoint-urls.js';
import { requireEnabled } from '../../settings/table/require-enabled.js';
import { storedClaims } from './claims-request.js';
import { findUserClaims } from './user-claims.js';

/** An access token, with the stored OpenID parameters of its grant. */
type WithOpenid = AccessToken & { readonly openid?: OpenidAuthorization | undefined };

/**
 * Returns the claims of the user to the client.
 *
 * @see OpenID Connect Core §5.3
 */
function createUserinfo(server: Server): Router {
  const { settings, models, report, clientSource, signingKeys } = server;
  const openid = requireEnabled(settings.openid, 'openid');
  const subjectOf = createSubjects(openid);
  const encryptToClient = createEncryptToClient(server.clientKeys);
  const ofSite = siteGuardDependencies(server, ({ authorization }: GuardedGrant) => ({
    openid: authorization.openid,
  }));
  const { href } = new URL(urlOf(settings, 'userinfo'));
  const parts: GuardDependencies = {
    ...ofSite,
    // a token for this endpoint only, or for the API of the site
    async verify(presented) {
      const auth = await ofSite.verify(presented);
      return auth.resource?.href === href ? { ...auth, resource: undefined } : auth;
    },
    // §5.3.1, RFC 6750 §2.2: the token may be in the form of a POST, and never in the URL
    bearerMethods: ['header', 'body'],
  };
  const { admit, runBehindGuard } = createAdmission(
    parts,
    parseRouteOptions({ scopes: ['openid'], requireUser: true }, parts),
  );
  const answer = handle(async (req, res) => {
    const admitted = await admit(req, res);
    if (admitted === undefined || admitted === 'foreign')
      throw new Error('no access token let this request in');
    await runBehindGuard(req, res, () => answerUserinfo(admitted.auth, res));
  });
  /** §5.3.2: as JSON, or as a JWT if the client is registered for it. */
  const answerUserinfo = async (auth: WithOpenid, res: Response): Promise<void> => {
    // a cached client will do: it was read when the client got the token
    const client = await clientSource.find(auth.clientId, { fresh: false });
    if (client === null) throw invalidToken('its client is deleted');
    const { userId = '', scopes, openid: stored } = auth;
    const userClaims = await findUserClaims(openid, {
      userId,
      scopes,
      requested: storedClaims(stored ?? {}, openid.scopeClaims).userinfo,
      withScopes: true,
      claimsLocales: stored?.claimsLocales,
    });
    // §5.3.3, RFC 6750 §3.1
    if (userClaims === undefined) throw invalidToken(`openid.claims gave nobody for ${userId}`);
    // §5.3.2: sub MUST always be returned
    const claims = { sub: subjectOf(client, userId), ...userClaims };
    const { userinfoSignedResponseAlg: required, userinfoEncryptedResponseAlg: alg } = client;
    if ((required ?? alg) === undefined) return sendJson(res, claims);
    const inJwt = { ...claims, iss: settings.issuer, aud: client.clientId };
    const signed = required === undefined ? undefined : await signingKeys.sign('JWT', inJwt, { required });
    const jwt = await encryptToClient(
      signed ?? JSON.stringify(claims),
      client,
      { alg, enc: client.userinfoEncryptedResponseEnc },
      signed === undefined ? null : 'JWT',
    );
    sendJwt(res, 'application/jwt', jwt);
  };
  const router = Router();
  router.use(secureTransport(settings));
  // §5.3: SHOULD support CORS
  router.all('/', crossOrigin('GET', 'POST'));
  router.get('/', shedLoad(models.checkLoad), answer);
  // a POST with the token in its header usually has no body
  const form = formBody().map<RequestHandler>(
    (read) => (req, res, next) => void (req.is('*/*') ? read(req, res, next) : next()),
  );
  router.post('/', shedLoad(models.checkLoad), ...form, answer);
  router.all('/', refuseOtherMethods('GET', 'POST'));
  router.use(answerGuardError, jsonError('userinfo', report));
  return router;
}

export const userinfo: Endpoint = {
  name: 'userinfo',
  create: createUserinfo,
  metadata: (_server, url) => ({ userinfo_endpoint: url }),
};
