import type { JWTPayload } from 'jose';

import type { ChoiceValue } from '../../settings/options/choice-options.js';
import { parseActor } from '../../shared/protocol/actor.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import { TOKEN_KINDS } from '../../shared/protocol/token-kind.js';
import type { AccessToken } from './access-token.js';
import { invalidToken } from './verify-access-token.js';

/**
 * Reads the claims that a JWT and an introspection response have in common. Absent claims become no members.
 *
 * @throws OAuthError invalid_token if a claim is malformed: a route without details or an actor might allow too much
 * @see RFC 9068 §2.2, RFC 7662 §2.2
 */
export function accessTokenFromClaims(token: string, claims: JWTPayload, resource: string): AccessToken {
  const { sub, client_id: clientId, scope, exp } = claims;
  if (typeof clientId !== 'string' || (scope !== undefined && typeof scope !== 'string'))
    throw invalidToken('client_id or scope is no text');
  const auth: AccessToken = {
    token,
    // other authorization servers have no kinds of tokens
    kind: TOKEN_KINDS.find((kind) => kind === claims.token_kind) ?? 'app',
    clientId,
    scopes: scope === undefined ? [] : scope.split(' '),
    expiresAt: exp,
    resource: new URL(resource),
  };
  // RFC 9068 §2.2: without a resource owner, sub is the client
  if (sub !== undefined && sub !== clientId) auth.userId = sub;

  // RFC 9396 §9.1, §9.2
  const { authorization_details: details = [], authorization_choices: choices = {} } = claims;
  if (!isDetailList(details)) throw invalidToken('authorization_details is no list of objects with a type');
  if (details.length > 0) auth.authorizationDetails = details;
  if (typeof choices !== 'object' || choices === null || Array.isArray(choices))
    throw invalidToken('authorization_choices is no object');
  if (Object.keys(choices).length > 0) auth.choices = choices as Record<string, ChoiceValue>;

  // RFC 9470 §6.1, §6.2, RFC 9068 §2.2.1: when and how the user logged in
  const { auth_time: authTime, acr, amr } = claims;
  if (authTime !== undefined) {
    if (typeof authTime !== 'number') throw invalidToken('auth_time is no number');
    auth.authTime = authTime;
  }
  if (acr !== undefined) {
    if (typeof acr !== 'string') throw invalidToken('acr is no text');
    auth.acr = acr;
  }
  if (amr !== undefined) {
    if (!Array.isArray(amr) || !amr.every((value) => typeof value === 'string'))
      throw invalidToken('amr is no list of texts');
    auth.amr = amr;
  }

  // RFC 8693 §4.1: without `actor` the user's own client would seem to act
  if (claims.act !== undefined) {
    const actor = parseActor(claims.act);
    if (actor === undefined) throw invalidToken('act names nobody');
    auth.actor = actor;
  }

  // RFC 7800 §3.1: a malformed cnf still means that the token is bound
  const { cnf } = claims;
  if (cnf !== undefined) auth.cnf = typeof cnf === 'object' && cnf !== null ? { ...cnf } : {};
  return auth;
}

/** RFC 9396 §2: objects with a `type`. */
export function isDetailList(value: unknown): value is AuthorizationDetail[] {
  return (
    Array.isArray(value) &&
    value.every((each) => typeof (each as Partial<AuthorizationDetail> | null)?.type === 'string')
  );
}
