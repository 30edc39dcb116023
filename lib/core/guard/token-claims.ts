import type { ChoiceValue } from '../../settings/options/choice-options.js';
import { parseActor } from '../../shared/protocol/actor.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import { TOKEN_KINDS } from '../../shared/protocol/token-kind.js';
import type { AccessToken } from './access-token.js';
import { invalidToken } from './verify-access-token.js';

/** The parts of a token that a JWT and an introspection response say in the same way. */
type TokenClaims = Pick<
  AccessToken,
  'kind' | 'authorizationDetails' | 'choices' | 'authTime' | 'acr' | 'amr' | 'actor' | 'cnf'
>;

/**
 * Reads the claims that a JWT and an introspection response have in common. What is absent is no member.
 *
 * @throws OAuthError invalid_token if one is malformed: a route that finds no details or no actor might allow more than
 *   was meant
 */
export function parseTokenClaims(claims: Readonly<Record<string, unknown>>): TokenClaims {
  // other makes of authorization servers have no kinds
  const token: TokenClaims = { kind: TOKEN_KINDS.find((kind) => kind === claims.token_kind) ?? 'app' };

  // RFC 9396 §9.1, §9.2
  const { authorization_details: details = [], authorization_choices: choices = {} } = claims;
  if (!isDetailList(details)) throw invalidToken('authorization_details is no list of objects with a type');
  if (details.length > 0) token.authorizationDetails = details;
  if (typeof choices !== 'object' || choices === null || Array.isArray(choices))
    throw invalidToken('authorization_choices is no object');
  if (Object.keys(choices).length > 0) token.choices = choices as Record<string, ChoiceValue>;

  // RFC 9470 §6.1, §6.2, RFC 9068 §2.2.1: when and how the user has logged in
  const { auth_time: authTime, acr, amr } = claims;
  if (authTime !== undefined) {
    if (typeof authTime !== 'number') throw invalidToken('auth_time is no number');
    token.authTime = authTime;
  }
  if (acr !== undefined) {
    if (typeof acr !== 'string') throw invalidToken('acr is no text');
    token.acr = acr;
  }
  if (amr !== undefined) {
    if (!Array.isArray(amr) || !amr.every((value) => typeof value === 'string'))
      throw invalidToken('amr is no list of texts');
    token.amr = amr;
  }

  // RFC 8693 §4.1: without an actor the user's own client would act
  if (claims.act !== undefined) {
    const actor = parseActor(claims.act);
    if (actor === undefined) throw invalidToken('act names nobody');
    token.actor = actor;
  }

  // RFC 7800 §3.1: a malformed cnf still means that the token is bound
  const { cnf } = claims;
  if (cnf !== undefined) token.cnf = typeof cnf === 'object' && cnf !== null ? { ...cnf } : {};
  return token;
}

/** RFC 9396 §2: objects with a `type`. */
export function isDetailList(value: unknown): value is AuthorizationDetail[] {
  return (
    Array.isArray(value) &&
    value.every((each) => typeof (each as Partial<AuthorizationDetail> | null)?.type === 'string')
  );
}
