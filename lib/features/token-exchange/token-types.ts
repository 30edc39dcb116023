import { isJwt } from '../../core/grants/tokens/access-tokens.js';
import { invalidRequest, type OAuthError } from '../../shared/errors.js';
import { type Parameters, requireParameter } from '../../shared/protocol/parameters.js';

/** RFC 8693 §2.1 */
export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** RFC 8693 §3 */
export const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const JWT = 'urn:ietf:params:oauth:token-type:jwt';

/** Scopes that sign a user in, or outlast the login: only the user's client gets them. */
export const NOT_HANDED_ON: readonly string[] = ['openid', 'offline_access'];

/**
 * Reads the tokens of a request, and checks that their types are access tokens.
 *
 * @throws OAuthError invalid_request
 * @see RFC 8693 §2.1
 */
export function readTokenTypes(parameters: Parameters) {
  const subjectToken = requireParameter(parameters, 'subject_token');
  checkType('subject_token', subjectToken, requireParameter(parameters, 'subject_token_type'));
  const {
    actor_token: actorToken,
    actor_token_type: actorType,
    requested_token_type: requested,
  } = parameters;
  if (requested !== undefined && requested !== ACCESS_TOKEN)
    throw unsupported(`requested_token_type must be ${ACCESS_TOKEN}, or left out`);
  // RFC 8693 §2.1: REQUIRED when actor_token is present, MUST NOT be included otherwise
  if ((actorToken === undefined) !== (actorType === undefined))
    throw unsupported('actor_token and actor_token_type come together');
  if (actorToken !== undefined && actorType !== undefined) checkType('actor_token', actorToken, actorType);
  return { subjectToken, actorToken };
}

function checkType(name: string, token: string, type: string): void {
  if (type === ACCESS_TOKEN || (type === JWT && isJwt(token))) return;
  throw unsupported(`${name}_type must be ${ACCESS_TOKEN}`);
}

function unsupported(description: string): OAuthError {
  return invalidRequest(description, 'parameter_unsupported');
}
