import { OAuthError } from '../../shared/errors.js';
import type { ImpliedScopes } from '../../shared/protocol/implied-scopes.js';
import { isScopeToken } from '../../shared/protocol/scope.js';
import { InsufficientToken } from './checks.js';
import { protectedResourceMetadataUrl } from './protected-resource.js';
import type { ChallengeAttributes, GuardScheme } from './schemes/scheme.js';

/** No credentials at all: the answer has no error code (RFC 6750 §3.1). */
export class MissingToken extends OAuthError {
  constructor() {
    super('unauthorized', 'an access token is needed', {
      reason: 'access_token_missing',
      status: 401,
      detail: 'no token in the request',
    });
  }
}

/** What a challenge needs to know about a refusal. */
export interface Refusal {
  readonly realm: string;
  readonly resource: string;
  readonly schemes: readonly GuardScheme[];
  /** The schemes whose challenge says what was wrong. */
  readonly about: readonly GuardScheme[];
  /** What the route needs. */
  readonly scopes: readonly string[];
  /** Undefined if they are not known. */
  readonly knownScopes: readonly string[] | undefined;
  readonly impliedScopes: ImpliedScopes;
}

/**
 * The scopes to ask for, so that the call succeeds and the client loses nothing: many ask for no more than the
 * challenge says. It leaves out scopes of the token that the server no longer has, or that the others include.
 *
 * @see RFC 6750 §3.1, Model Context Protocol 2026-07-28, Runtime Insufficient Scope Errors
 */
function scopesToAsk(error: OAuthError, { scopes, knownScopes, impliedScopes }: Refusal): readonly string[] {
  if (!(error instanceof InsufficientToken)) return scopes;
  const all = [...new Set([...scopes, ...error.granted])];
  const comes = (scope: string) => all.some((other) => impliedScopes.get(other)?.includes(scope) === true);
  const matters = (scope: string) =>
    // what another server says of a token must not break out of the header
    isScopeToken(scope) && knownScopes?.includes(scope) !== false && !comes(scope);
  return all.filter((scope) => scopes.includes(scope) || matters(scope));
}

/** The error with the challenge that its answer must carry. @see RFC 6750 §3 */
export function withChallenge(error: OAuthError, refusal: Refusal): OAuthError {
  if (error.status >= 500) return error;
  const { schemes, about, realm, resource } = refusal;
  const scopes = scopesToAsk(error, refusal);
  const attributes: ChallengeAttributes =
    error instanceof MissingToken
      ? {}
      : {
          error: error.error,
          error_description: error.description,
          ...(error instanceof InsufficientToken && error.attributes),
        };
  const challenges = schemes.map((scheme) =>
    scheme.challenge({
      realm,
      ...(about.includes(scheme) && attributes),
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
      // RFC 9728 §5.1
      resource_metadata: protectedResourceMetadataUrl(resource),
    }),
  );
  const { description, reason, detail, cause, status, headers } = error;
  return new OAuthError(error.error, description, {
    ...(reason !== undefined && { reason }),
    ...(detail !== undefined && { detail }),
    cause,
    status,
    headers: { ...headers, 'WWW-Authenticate': challenges.join(', ') },
  });
}
