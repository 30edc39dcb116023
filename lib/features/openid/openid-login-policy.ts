import { randomUUID } from 'node:crypto';

import type { AuthenticatedContext } from '../../core/authorization/interaction.js';
import type { LoginPolicy } from '../../core/authorization/login-policy.js';
import { createSubjects } from '../../core/openid/subjects.js';
import { noteBrowserState } from '../../core/sessions/browser-state.js';
import { type SessionOfSignIns, sidOf } from '../../core/sessions/sign-in-session.js';
import { consumeSigned, type CookieKind, saveSigned } from '../../core/sessions/signed-cookies.js';
import { createLoginChecks } from '../../server/login-checks.js';
import type { LoginParts } from '../../server/server.js';
import { requireEnabled } from '../../settings/table/require-enabled.js';
import { keepClaims } from './claims-request.js';
import { createIdTokens } from './id-tokens.js';
import { readOpenidRequest } from './openid-request.js';
import { formatSessionState } from './session-state.js';

/**
 * Carries the session id of the clients in a cookie through a login that a client requires. Such a user has not logged
 * out, so the final logout must reach the clients of the previous login. The id gives no access.
 *
 * @see OpenID Connect Core §3.1.2.1, Back-Channel Logout §2.1
 */
const SESSION_NAME: CookieKind = { name: 'oauth-session-name', purpose: 'session' };

/** Decides which logins suffice for a request. @see OpenID Connect Core §3.1.2.1, §3.1.2.3 */
export function createOpenidLoginPolicy(parts: LoginParts): LoginPolicy {
  const { settings } = parts;
  const openid = requireEnabled(settings.openid, 'openid');
  const subjectOf = createSubjects(openid);
  const isMeant = ({ request: { client, openidRequest: requested }, userId }: AuthenticatedContext) =>
    requested?.hintedSubjects?.includes(subjectOf(client, userId));
  const checks = createLoginChecks(settings, (context) => isMeant(context) === false);
  return {
    readRequest: (params, request) =>
      readOpenidRequest(params, request, checks.readRequired(params, request.client), parts),
    createIdToken: createIdTokens(parts),
    needsAgain(context) {
      const { openidRequest: requested } = context.request;
      return (
        requested !== undefined && checks.needsAgain(context, requested.needsAuthTime && requested.signsIn)
      );
    },
    hasIdTokenHintFor: (context) =>
      context.request.openidRequest?.hasIdTokenHint === true && isMeant(context) === true,
    leave(context) {
      const sid = sidOf(context.req, context.userId);
      if (sid !== undefined) saveSigned(settings, SESSION_NAME, context, sid);
      return checks.leave(context);
    },
    read: (context) => checks.record(() => checks.read(context)).authentication,
    // OpenID Connect Session Management §2: `session_state` is in the response to each request with the scope `openid`,
    // errors included. Responses to malformed requests SHOULD have it too, but do not, because their scope is unknown.
    extraResponseParameters({ req, res, request }) {
      const { client, redirectUri, openidRequest } = request;
      if (openidRequest?.signsIn !== true) return {};
      const state = noteBrowserState(settings, { req, res, isForClient: true });
      return { session_state: state && formatSessionState(client.clientId, redirectUri, state) };
    },
    record(context, allowed) {
      const { req, userId } = context;
      const { openidRequest: requested } = context.request;
      if (requested === undefined) return {};
      // the policy of the site, or the user, may have removed `openid`
      const signsIn = requested.signsIn && allowed.includes('openid');
      const read = checks.require(context, requested.needsAuthTime && signsIn);
      if (!signsIn) return checks.record(read);
      // stored for ID tokens and userinfo
      const { nonce, claims, claimsLocales } = requested;
      const login = read();
      // the session as clients know it (OpenID Connect Back-Channel Logout §2.1): a new id, or the id from before this
      // login. Not the session's real id, which would give access
      const { session } = req as SessionOfSignIns;
      let sid = sidOf(req, userId);
      if (session !== undefined && sid === undefined) {
        sid = consumeSigned(settings, SESSION_NAME, context) ?? randomUUID();
        session.oauthSignIn = { sid, userId };
      }
      return {
        ...checks.record(read),
        openid: {
          ...login,
          ...(claims && keepClaims(claims, allowed, openid.scopeClaims)),
          nonce,
          claimsLocales: claimsLocales.length > 0 ? claimsLocales : undefined,
          sid,
        },
      };
    },
  };
}
